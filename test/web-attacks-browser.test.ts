/**
 * A page that another program serves on this machine, in the browser that is logged in (docs: web, "Checks"): it is sent the cookie and
 * can do nothing with it. Needs Chromium (CHROMIUM names it when it is in no usual place); web-attacks.test.ts sends the same as raw requests.
 */
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { BrowserContext, LaunchOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inChromium, sharedBrowser } from "./kit/chromium.js";
import { TOKEN, WebTest } from "./kit/web-front.js";

inChromium("test/web-attacks-browser.test.ts", browserTests);

const CALL = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "create", arguments: { path: "Attacked.md", file_text: "x" } },
};

/** Tries all that scripts, forms and frames can, and tells what was open to it. @param key a session key, as if the page had got one */
const attackPage = (target: string, key: string) => `<!doctype html><meta charset="utf-8"><body><script type="module">
  const open = [];
  const target = ${JSON.stringify(target)};
  const body = ${JSON.stringify(JSON.stringify(CALL))};
  const asked = [["/mcp", "POST", body], ["/web/codes", "POST", "{}"], ["/web/events", "GET", undefined],
    ["/web/session", "DELETE", undefined], ["/web/session", "POST", ${JSON.stringify(JSON.stringify({ token: TOKEN }))}],
    ["/", "GET", undefined], ["/web/page-0a1b2c3d.js", "GET", undefined]];
  for (const [path, method, body] of asked)
    for (const headers of [{}, { "Content-Type": "application/json" }, { "Content-Type": "application/json", "X-Session-Key": ${JSON.stringify(key)} }])
      for (const mode of ["cors", "no-cors", "same-origin"])
        await fetch(target + path, { method, body, headers, mode, credentials: "include", signal: AbortSignal.timeout(1000) })
          .then((response) => { if (response.ok) open.push(["fetch", mode, method, path].join(" ")); }, () => {});
  await new Promise((resolve) => {
    const stream = new EventSource(target + "/web/events", { withCredentials: true });
    stream.onopen = () => { open.push("EventSource"); stream.close(); resolve(); };
    stream.onerror = () => { stream.close(); resolve(); };
  });
  for (const tag of ["script", "img", "link"])
    await new Promise((resolve) => {
      const element = document.createElement(tag);
      element.onload = () => { open.push(tag); resolve(); };
      element.onerror = resolve;
      if (tag === "link") { element.rel = "stylesheet"; element.href = target + "/web/page-0a1b2c3d.css"; }
      else element.src = target + (tag === "img" ? "/web/icon-0a1b2c3d.png" : "/web/page-0a1b2c3d.js");
      document.body.append(element);
    });
  const frame = document.createElement("iframe");
  frame.name = "frame";
  document.body.append(frame);
  for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
    const form = document.createElement("form");
    Object.assign(form, { method: "post", action: target + "/mcp", enctype: type, target: "frame" });
    const field = document.createElement("input");
    field.name = body.slice(0, -1) + ',"x":"';
    field.value = '"}';
    form.append(field);
    document.body.append(form);
    const loaded = new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 1000); });
    form.submit();
    await loaded;
  }
  frame.src = target + "/";
  await new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 1000); });
  window.attacked = open;
</script>`;

function browserTests(chromium: LaunchOptions): void {
  let context: BrowserContext;
  let web: WebTest;
  let key: string;
  let other: Server;
  let cookies: (string | undefined)[];
  beforeAll(async () => {
    web = await WebTest.open();
    context = await (await sharedBrowser(chromium)).newContext();
    const page = await context.newPage();
    await page.goto(`${web.origin}/`);
    key = await page.evaluate(async (token) => {
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch("/web/session", { method: "POST", headers, body: JSON.stringify({ token }) });
      return ((await answer.json()) as { key: string }).key;
    }, TOKEN);
    cookies = [];
    other = createServer((request, response) => {
      cookies.push(request.headers.cookie);
      response.writeHead(200, { "Content-Type": "text/html" }).end(attackPage(web.origin, key));
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    await context.close();
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
    await web.close();
  });

  describe("another port's page", () => {
    it("is sent the cookie, and even with the key can do nothing and show nothing", async () => {
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
      const open = await page.waitForFunction("window.attacked", undefined, { timeout: 150_000 });
      expect(await open.jsonValue()).toEqual([]);
      expect(cookies.join(";")).toContain(`${web.cookieName}=`);
      expect(existsSync(join(web.http.vault.folder, "Attacked.md"))).toBe(false);
      const framed = page.frames().find((frame) => frame.name() === "frame");
      expect(await framed?.content()).not.toContain("page-0a1b2c3d.js");
    });

    it("leaves the page's own session as it was", async () => {
      const page = await context.newPage();
      await page.goto(`${web.origin}/`);
      const status = await page.evaluate(
        async ([body, key]) => {
          const headers = { "Content-Type": "application/json", "X-Session-Key": key ?? "" };
          return (await fetch("/mcp", { method: "POST", headers, body: body ?? "" })).status;
        },
        [JSON.stringify(CALL), key],
      );
      expect(status).toBe(200);
      expect(existsSync(join(web.http.vault.folder, "Attacked.md"))).toBe(true);
    });
  });
}
