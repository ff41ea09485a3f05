/** Notes that would like to run something: all of it shows as text, and the policy never has to step in (docs: web, "Stack"). */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { ServedPage, taskNote } from "../kit/task-page.js";

const SCRIPT = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>";
const BODY = `# T

${SCRIPT}

<svg onload="document.title='run'"></svg> inline ${SCRIPT}

[click](javascript:document.title='run') [data](data:text/html,${encodeURIComponent(SCRIPT)}) [vb](vbscript:x)
[ok](https://example.org/) ![picture](https://example.org/p.png) [odd](JaVaScRiPt:alert(1)) [rel](//example.org/x)

[[${SCRIPT}]] &lt;b&gt; \`${SCRIPT}\`

\`\`\`html
${SCRIPT}
\`\`\`

| ${SCRIPT} | b |
|---|---|
| 1 | 2 |
`;
const LONG = `# Long\n\n${"A line with **bold** and [[link]] text.\n\n".repeat(25_000)}`;

inChromium("test/web/hostile-notes.test.ts", (chromium) => {
  let served: ServedPage;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    served = await ServedPage.open(chromium, {
      files: {
        "bad.md": taskNote(
          `id: bad\ntitle: '${SCRIPT.replaceAll("'", "''")}'\nstatus: ${JSON.stringify(SCRIPT)}`,
          BODY,
        ),
        "title.md": taskNote(
          `id: title\ntitle: '${SCRIPT.replaceAll("'", "''")}'\ntags: ["<b>"]\narea: "<i>A</i>"`,
          BODY,
        ),
        "long.md": taskNote("id: long\ntitle: Long", LONG),
      },
    });
    page = await served.page();
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(served.url)) complaints.push(`asked ${request.url()}`);
    });
  });
  afterAll(() => served.close());

  it("shows markup in titles, areas and notes as it is written", async () => {
    await page.locator(".card", { hasText: "onerror" }).first().waitFor();
    await page.goto(`${served.url}/#/board?task=title`);
    await page
      .locator("dialog.drawer .note-text h3", { hasText: "T" })
      .or(page.locator(".note-text p").first())
      .first()
      .waitFor();
    await page.locator("dialog.drawer .note-text a").first().waitFor();
    expect(await page.locator("dialog.drawer .note-text").locator("img, script, svg, iframe, style").count()).toBe(0);
    const addresses = await Promise.all(
      (await page.locator("dialog.drawer .note-text a").all()).map((link) => link.getAttribute("href")),
    );
    expect(addresses).toEqual(["https://example.org/"]);
    for (const button of await page.locator("dialog.drawer .note-text button").all())
      await button.click({ trial: true });
    expect(await page.locator("dialog.drawer .note-text").textContent()).toContain(
      "Picture: https://example.org/p.png",
    );
    expect(await page.title()).not.toBe("run");
  });

  it("draws a note of a megabyte in portions, and stays quick", async () => {
    await page.goto(`${served.url}/#/board?task=long`);
    await page.locator("dialog.drawer .note-text strong").first().waitFor();
    expect(Number(await page.evaluate("document.querySelectorAll('*').length"))).toBeLessThan(5_000);
    await page.locator("dialog.drawer").getByRole("button", { name: "Show more" }).waitFor();
    expect(await page.getByRole("button", { name: "Edit the note" }).count()).toBe(0);
  });

  it("had no violation of its policy, no error, and asked nobody else", () => expect(complaints).toEqual([]));

  it("shows highlights and callouts as Obsidian does, and hides comments", async () => {
    served.write(
      "title.md",
      taskNote(
        "id: title",
        "Some ==marked== text %%not this%%.\n\n%%\nnor this\n%%\n\n> [!warning] Wet paint\n> Do not touch.",
      ),
    );
    await page.goto(`${served.url}/#/board?task=title`);
    const note = page.locator("dialog.drawer .note-text").first();
    await note.locator("mark", { hasText: "marked" }).waitFor();
    expect(await note.textContent()).not.toMatch(/this/);
    expect(await note.locator(".callout strong").textContent()).toBe("Wet paint");
    expect(await note.locator(".callout").textContent()).toContain("Do not touch.");
  });
});
