/** Starts the page in a browser. */
import { render } from "preact";
import { HttpTransport } from "./transport/http-transport.js";
import { takeLoginCode } from "./transport/session-key.js";
import { ignoreStrayClicks } from "./parts/controls.js";
import { addPageIcons } from "./parts/icon.js";
import { applyTheme } from "./state/stored.js";
import { TasksPage, PageContext } from "./state/page.js";
import { App } from "./views/app.js";

applyTheme();
addPageIcons();
ignoreStrayClicks();
const page = new TasksPage(new HttpTransport(takeLoginCode()));
void page.begin();
render(
  <PageContext.Provider value={page}>
    <App />
  </PageContext.Provider>,
  document.body,
);
