/** Starts the App in a host's frame. */
import { render } from "preact";
import { PageAddress } from "../state/address.js";
import { PageContext, TasksPage } from "../state/page.js";
import { WORDS } from "../words.js";
import { HostCarrier } from "./host-carrier.js";
import { Host } from "./host.js";
import { HostedPage } from "./hosted-page.js";

const host = new Host(window.parent);
const page = new TasksPage(new HostCarrier(host), new PageAddress("memory"));

/** Frames may not navigate; links that the host does not open are shown. */
function openOutside(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
  const url = link?.getAttribute("href") ?? "";
  if (link === null || url.startsWith("#")) return;
  event.preventDefault();
  void host.openLink(url).then((isOpen) => isOpen || page.notices.tell(WORDS.copyLink(url)));
}

addEventListener("click", openOutside);
render(
  <PageContext.Provider value={page}>
    <HostedPage host={host} />
  </PageContext.Provider>,
  document.body,
);
async function begin(): Promise<void> {
  await host.begin();
  new ResizeObserver(() => {
    const { width, height } = document.body.getBoundingClientRect();
    host.tellSize(Math.ceil(width), Math.ceil(height));
  }).observe(document.body);
  // A new result may name other available tools.
  host.given.subscribe(() => void page.begin());
}
void begin();
