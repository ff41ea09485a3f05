/** The page's files over real sockets: what is served, under which headers, and that nothing else ever is. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { PAGE_FILES, WebTest } from "../../../../test/kit/web-front.js";

let web: WebTest | undefined;
afterEach(async () => {
  await web?.close();
  web = undefined;
});
const open = async (...about: Parameters<typeof WebTest.open>) => (web = await WebTest.open(...about));

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; manifest-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const SAFETY = {
  "content-security-policy": POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

describe("the page's files", () => {
  it("the shell is for everybody, is never stored, and is framed by nobody", async () => {
    const { http } = await open();
    const shell = await http.send("/");
    expect([shell.status, shell.text]).toEqual([200, PAGE_FILES["index.html"]]);
    expect(shell.headers).toMatchObject({
      ...SAFETY,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
    });
    expect((await http.send("/?x=1")).status).toBe(200);
  });

  it("files with a hash in their name are kept for good, and sent compressed to whoever takes that", async () => {
    const { http } = await open();
    const script = await http.send("/web/page-0a1b2c3d.js");
    expect([script.status, script.text]).toEqual([200, PAGE_FILES["page-0a1b2c3d.js"]]);
    expect(script.headers).toMatchObject({
      ...SAFETY,
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
    });
    const coding = async (accepted: string, path = "/web/page-0a1b2c3d.js") => {
      const answer = await fetch(http.url + path, { headers: { "Accept-Encoding": accepted } });
      expect(await answer.text()).toBe(PAGE_FILES[path.slice("/web/".length) as keyof typeof PAGE_FILES]);
      return answer.headers.get("content-encoding");
    };
    for (const accepted of ["gzip", "br, GZIP;q=0.5", "deflate , gzip"]) expect(await coding(accepted)).toBe("gzip");
    for (const accepted of ["", "br", "gzip;q=0", "gzip; q=0.0", "x-gzip2"]) expect(await coding(accepted)).toBeNull();
    expect(await coding("gzip", "/web/icon-0a1b2c3d.png")).toBeNull();
    const packed = await http.send("/web/page-0a1b2c3d.js", { headers: { "Accept-Encoding": "gzip" } });
    expect(Number(packed.headers["content-length"])).toBeLessThan(PAGE_FILES["page-0a1b2c3d.js"].length / 4);
  });

  it("HEAD tells what GET would, and other methods are refused", async () => {
    const { http } = await open();
    for (const path of ["/", "/web/page-0a1b2c3d.js"]) {
      const head = await http.send(path, { method: "HEAD" });
      expect([head.status, head.text]).toEqual([200, ""]);
      expect(Number(head.headers["content-length"])).toBeGreaterThan(0);
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
        const refused = await http.send(path, { method });
        expect([refused.status, refused.headers["allow"]], method).toEqual([405, "GET, HEAD"]);
      }
    }
  });

  it("no other name is served: none without a hash, none that leads elsewhere, none that came after the start", async () => {
    const { http, folder } = await open();
    writeFileSync(join(folder, "web", "late-0a1b2c3d.js"), "late");
    writeFileSync(join(folder, "outer-0a1b2c3d.js"), "outside");
    for (const name of [
      "",
      "index.html",
      "tasks-app.html",
      "notes.txt",
      "late-0a1b2c3d.js",
      "../outer-0a1b2c3d.js",
      "..%2fouter-0a1b2c3d.js",
      "..\\outer-0a1b2c3d.js",
      "page-0a1b2c3d.js/",
      "page-0a1b2c3d.js%00",
      "PAGE-0A1B2C3D.JS",
      "a/page-0a1b2c3d.js",
    ]) {
      const answer = await http.send(`/web/${name}`);
      expect(answer.status, name).toBe(404);
      expect(answer.headers, name).toMatchObject(SAFETY);
    }
    expect((await http.send("/web")).status).toBe(401);
    expect((await http.send("/index.html")).status).toBe(401);
  });

  it("nothing of it is shown to pages of other sites", async () => {
    const { http } = await open();
    for (const path of ["/", "/web/page-0a1b2c3d.js", "/web/session", "/web/events", "/web/codes"]) {
      const answers = [
        await http.send(path),
        await http.send(path, { method: "OPTIONS", headers: { Origin: "http://localhost:1" } }),
      ];
      for (const { headers } of answers)
        expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect((await http.send(path, { headers: { Origin: "https://evil.example" } })).status).toBe(403);
      expect((await http.send(path, { headers: { Host: "evil.example" } })).status).toBe(403);
    }
  });

  it("a build without a page says so, and --no-web serves none", async () => {
    const unbuilt = await open({ files: {} });
    const missing = await unbuilt.send("/");
    expect([missing.status, missing.text]).toEqual([404, expect.stringContaining("built without its page")]);
    await unbuilt.close();
    const none = await open({ web: undefined });
    for (const path of ["/", "/web/page-0a1b2c3d.js", "/web/session", "/web/events"]) {
      const answer = await none.send(path);
      expect([answer.status, answer.text], path).toEqual([404, expect.stringContaining("nothing at this path")]);
    }
  });
});
