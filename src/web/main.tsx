import { render } from "preact";
import { HttpCarrier } from "./carrier/http-carrier.js";
import { takeLoginCode } from "./carrier/session-key.js";
import { ignoreStrayClicks } from "./parts/controls.js";
import { applyTheme } from "./state/stored.js";
import { TasksPage, PageContext } from "./state/page.js";
import { App } from "./views/app.js";

applyTheme();
ignoreStrayClicks();
const page = new TasksPage(new HttpCarrier(takeLoginCode()));
void page.begin();
render(
  <PageContext.Provider value={page}>
    <App />
  </PageContext.Provider>,
  document.body,
);
