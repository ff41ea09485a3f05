/** Many tabs of one browser: one listens for all, so that they leave each other connections, and another takes over when it is closed. */
import { afterEach, expect, it } from "vitest";
import { inChromium } from "../kit/chromium.js";
import { card, ServedPage } from "../kit/task-page.js";

const PAINT = "_projects/Kitchen/Paint the wall.md";
/** More than the connections that a browser opens to one server. */
const TABS = 7;

inChromium("test/web/tabs.test.ts", (chromium) => {
  let served: ServedPage;
  afterEach(() => served.close());

  it("all of them open, and all show another program's change", { timeout: 480_000 }, async () => {
    served = await ServedPage.open(chromium);
    const first = await served.page({ at: "#/today" });
    await card(first, "Paint the wall").waitFor();
    const tabs = [first];
    while (tabs.length < TABS) {
      const tab = await first.context().newPage();
      await tab.goto(first.url());
      await card(tab, "Paint the wall").waitFor();
      tabs.push(tab);
    }
    const retitle = (title: string) =>
      served.write(PAINT, served.read(PAINT).replace(/type: task\n(title: .*\n)?/, `type: task\ntitle: ${title}\n`));
    retitle("Paint two walls");
    for (const tab of tabs) await card(tab, "Paint two walls").waitFor();
    // The first one has listened for the others.
    await first.close();
    retitle("Paint three walls");
    for (const tab of tabs.slice(1)) await card(tab, "Paint three walls").waitFor();
    expect(await tabs[1]?.locator(".offline p").count()).toBe(0);
  });
});
