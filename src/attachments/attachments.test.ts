/** Images, PDFs, canvases and drawings as the two reading tools show them, over a vault in memory. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LONG } from "../../test/kit/fuzz.js";
import { madeGif, madeJpeg, madePdf, madePng, madeWebp } from "../../test/kit/made-attachments.js";
import { memoryVault } from "../../test/kit/memory-vault.js";
import type { VaultPath } from "../storage/path.js";
import { canvasLines, drawingLines } from "./canvas.js";
import { imageFacts } from "./attachments.js";

describe("images", () => {
  it.each([
    ["PNG", madePng(1200, 800), 1200, 800],
    ["PNG of 100 megapixels", madePng(10_000, 10_000), 10_000, 10_000],
    ["JPEG", madeJpeg(640, 480), 640, 480],
    ["JPEG with a long preview", madeJpeg(640, 480, 60_000), 640, 480],
    ["GIF", madeGif(300, 20), 300, 20],
    ["lossy WebP", madeWebp(1024, 768, "VP8 "), 1024, 768],
    ["lossless WebP", madeWebp(1024, 768, "VP8L"), 1024, 768],
    ["extended WebP", madeWebp(9000, 10, "VP8X"), 9000, 10],
  ])("%s: format and dimensions from its bytes", (name, bytes, width, height) => {
    expect(imageFacts(bytes)).toMatchObject({ size: { width, height } });
    expect(name).toContain(imageFacts(bytes)?.format ?? "none");
  });

  it("reads any damaged beginning without failing", () => {
    const whole = [madePng(9, 9), madeJpeg(9, 9), madeGif(9, 9), madeWebp(9, 9, "VP8X")];
    for (const bytes of whole)
      for (let end = 0; end < Math.min(bytes.length, 80); end += 1) imageFacts(bytes.subarray(0, end));
    fc.assert(
      fc.property(fc.constantFrom(...whole), fc.uint8Array({ maxLength: 60 }), (bytes, noise) => {
        imageFacts(Buffer.concat([bytes.subarray(0, 12), noise]));
      }),
    );
  });

  it("are shown whatever their file is called, and only up to the limits", async () => {
    const roof = madePng(1200, 800, 150_000);
    const { read, view } = memoryVault({
      "roof.png": roof,
      "photo.txt.jpg": roof,
      "wide.png": madePng(8001, 1),
      "heavy.png": madePng(10, 10, 720_000),
      "cut.png": roof.subarray(0, 18),
    });
    for (const tool of [read, view]) {
      const shown = await tool("roof.png");
      expect(shown.text).toContain("'roof.png': PNG, 1200 × 800, 147 KB.");
      const [image, ...more] = shown.images as readonly { readonly mimeType: string; readonly bytes: Uint8Array }[];
      expect([image?.mimeType, Buffer.from(image?.bytes ?? []).equals(roof), more]).toEqual(["image/png", true, []]);
      expect((await tool("photo.txt.jpg")).images).toHaveLength(1);
      for (const [name, words] of [
        [
          "wide.png",
          "'wide.png': PNG, 8001 × 1, 1 KB. It is not shown: at most 700 KB and 8,000 pixels a side are shown (--max-image-size).",
        ],
        ["heavy.png", "'heavy.png': PNG, 10 × 10, 704 KB. It is not shown"],
        ["cut.png", "'cut.png': PNG, dimensions unknown, the file is damaged, 1 KB. It is not shown."],
      ] as const) {
        const refused = await tool(name);
        expect(refused.text).toContain(words);
        expect(refused.images).toBeUndefined();
      }
    }
  });

  it("respect --max-image-size", async () => {
    const { view } = memoryVault({ "roof.png": madePng(12, 8, 5000) }, { maxImageSize: 4000 });
    expect((await view("roof.png")).text).toContain("at most 4 KB");
  });
});

describe("files with nothing to show", () => {
  it("are refused with what the tools can do, never with a method of the protocol", async () => {
    const { view, read, call } = memoryVault({
      "song.mp3": Uint8Array.of(0xff, 0xfb, 0x90),
      "empty.png": "",
      "A.md": "![[song.mp3]]\n",
    });
    for (const tool of [view, read])
      for (const [name, words] of [
        ["song.mp3", "'song.mp3' (audio/mpeg, 1 KB) is no text, PDF or image that can be shown."],
        ["empty.png", "'empty.png' is empty (0 bytes)"],
      ] as const) {
        const { text, ok } = await tool(name);
        expect(ok).toBe(false);
        expect(text).toContain(words);
        expect(text).toContain(`find_notes with kind "attachment" and query "${name}"`);
        expect(text).not.toContain("resources/read");
      }
    const found = await call("find_notes", { kind: "attachment", query: "song.mp3" });
    expect(found).toMatchObject({
      data: { attachments: [{ path: "song.mp3", linked_from: ["A.md"], link_count: 1 }] },
    });
  });
});

describe("PDFs", () => {
  it("give the text of every page", async () => {
    const texts = [1, 40].map((length, at) =>
      Array.from({ length }, (_, page) => `Report ${at} (page ${page + 1})\nLine two: ${"word ".repeat(page)}end`),
    );
    const files = Object.fromEntries(texts.map((pages, at) => [`made-${at}.pdf`, madePdf(pages)]));
    const { view } = memoryVault(files);
    for (const [at, pages] of texts.entries()) {
      const { text } = await view(`made-${at}.pdf`);
      for (const [index, page] of pages.entries())
        expect(text).toContain(`Page ${index + 1} of ${pages.length}\n${page}`);
    }
  });

  it("are read page by page", async () => {
    const { view, read } = memoryVault({ "plan.pdf": madePdf(["One", "", "Three"]) });
    expect((await view("plan.pdf")).text).toBe("Page 1 of 3\nOne\nPage 2 of 3\n(no text)\nPage 3 of 3\nThree");
    expect((await view("plan.pdf", [3, 3])).text).toBe("Page 3 of 3\nThree");
    expect((await view("plan.pdf", [4, 4])).text).toContain("'plan.pdf' has 3 pages");
    expect((await read("plan.pdf")).text).toContain("Page 3 of 3\nThree");
  });

  it("reads a PDF that changed again", async () => {
    const { storage, view } = memoryVault({ "plan.pdf": madePdf(["First"]) });
    expect((await view("plan.pdf")).text).toContain("First");
    await storage.write("plan.pdf" as VaultPath, new Uint8Array(madePdf(["Other"])), { kind: "any" });
    expect((await view("plan.pdf")).text).toContain("Other");
  });

  it("of scanned pages say so", async () => {
    const { view } = memoryVault({ "scan.pdf": madePdf(Array.from({ length: 12 }, () => "")) });
    expect((await view("scan.pdf")).text).toBe("No text: 12 scanned pages.");
  });

  it("of many pages come in parts", async () => {
    const count = LONG ? 500 : 100;
    const pages = Array.from({ length: count }, (_, at) => `Page text ${at + 1}. ${"lorem ipsum ".repeat(60)}`);
    const { view } = memoryVault({ "book.pdf": madePdf(pages) });
    const first = await view("book.pdf");
    expect(first.text).toContain(`Page 1 of ${count}\nPage text 1.`);
    const next = Number(/\[… (\d+) to \d+ are not shown/.exec(first.text)?.[1]);
    expect(next).toBeGreaterThan(1);
    expect((await view("book.pdf", [next, count])).text).toContain(`Page ${next} of ${count}\nPage text ${next}.`);
    expect((await view("book.pdf", [count, -1])).text).toContain(`Page text ${count}.`);
  });

  it.each([
    ["locked.pdf", madePdf(["Secret"], { encrypted: true }), "is an encrypted PDF"],
    ["cut.pdf", new TextEncoder().encode("%PDF-1.4\n1 0 obj\n<< /Type"), "is a damaged PDF"],
    ["named.doc", madePdf(["By its content"]), "By its content"],
  ])("%s says what is the matter", async (name, bytes, words) => {
    const { view } = memoryVault({ [name]: bytes });
    expect((await view(name)).text).toContain(words);
  });
});

describe("canvases", () => {
  it("name each node once, in reading order, whatever is in them", () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const nodes = Array.from({ length: 3 + seed }, (_, at) => ({
        id: `n${at}`,
        type: ["text", "file", "link", "group"][(at * 7 + seed) % 4],
        x: ((at * 37 + seed * 11) % 9) * 100,
        y: ((at * 53 + seed * 5) % 7) * 100,
        width: (at * 7 + seed) % 4 === 3 ? 450 : 80,
        height: (at * 7 + seed) % 4 === 3 ? 350 : 60,
        text: `Card-${at}-\nsecond line`,
        file: `Card-${at}-.md`,
        url: `https://example.org/Card-${at}-`,
        label: `Card-${at}-`,
      }));
      const edges = [{ id: "e", fromNode: "n0", toNode: "n1", label: "needs" }];
      const lines = canvasLines(JSON.stringify({ nodes, edges })) ?? [];
      const cards = lines.slice(1, -1).join("\n");
      for (const { label } of nodes) expect(cards.split(label)).toHaveLength(2);
      expect(lines.at(-1)).toMatch(/Card-0-.* → .*Card-1-.*: needs$/);
    }
  });

  it("have groups with their cards inside, then arrows", () => {
    const nodes = [
      { id: "g", type: "group", x: 0, y: 0, width: 500, height: 400, label: "Kitchen" },
      { id: "a", type: "text", x: 20, y: 200, width: 100, height: 50, text: "Sand\nthe floor" },
      { id: "b", type: "file", x: 20, y: 20, width: 100, height: 50, file: "Plans/Oven.md", subpath: "#Size" },
      { id: "c", type: "link", x: 600, y: -10, width: 100, height: 50, url: "https://example.org" },
    ];
    const edges = [
      { fromNode: "b", toNode: "a", label: "before" },
      { fromNode: "a", toNode: "g" },
    ];
    expect(canvasLines(JSON.stringify({ nodes, edges }))).toEqual([
      "Canvas: 3 cards, 1 group, 2 arrows.",
      "- https://example.org",
      "Group: Kitchen",
      "  - Plans/Oven.md#Size",
      "  - Sand",
      "    the floor",
      "Oven.md → Sand: before",
      "Sand → Kitchen",
    ]);
  });

  it("are raw JSON with view_range, and text where they are no JSON", async () => {
    const json = '{\n  "nodes": []\n}';
    const { view } = memoryVault({ "a.canvas": json, "broken.canvas": "{nodes" });
    expect((await view("a.canvas")).text).toBe("Canvas: 0 cards, 0 groups, 0 arrows.");
    expect((await view("a.canvas", [1, 2])).text).toContain('1: {\n2:   "nodes": []');
    expect((await view("broken.canvas")).text).toBe("1: {nodes");
  });
});

describe("drawings", () => {
  const scene = {
    elements: [
      { type: "text", text: "Later", x: 0, y: 9 },
      { type: "text", text: "First", rawText: "First [[Oven]]", x: 0, y: 1, link: "[[Oven]]" },
      { type: "rectangle", x: 0, y: 0 },
      { type: "arrow", x: 0, y: 0, isDeleted: true },
    ],
  };
  const expected = ["Drawing: 2 texts, 1 shape.", "- First [[Oven]]", "- Later", "Links:", "- [[Oven]]"];

  it("are read from their JSON", () => expect(drawingLines(JSON.stringify(scene))).toEqual(expected));

  it("are read from a note's JSON, with the files in them", () => {
    const text = `---\nexcalidraw-plugin: parsed\n---\n# Excalidraw Data\n\n## Text Elements\nold ^a\n\n## Embedded Files\n4f2: [[roof.png]]\n\n%%\n## Drawing\n\`\`\`json\n${JSON.stringify(scene)}\n\`\`\`\n%%\n`;
    expect(drawingLines(text)).toEqual([...expected, "- [[roof.png]]"]);
  });

  it("are read from the plain sections where the drawing is compressed", () => {
    const text =
      "---\nexcalidraw-plugin: parsed\n---\n# Excalidraw Data\n\n## Text Elements\nBuy paint\nand brushes ^aB-12\n\nSand ^c_3\n\n## Element Links\naB12: [[Oven]]\n\n%%\n## Drawing\n```compressed-json\nN4Kg\n\nAAA\n```\n%%\n";
    expect(drawingLines(text)).toEqual([
      "Drawing: 2 texts, its shapes are compressed and not counted.",
      "- Buy paint",
      "  and brushes",
      "- Sand",
      "Links:",
      "- [[Oven]]",
    ]);
  });
});

describe("find_notes with kind attachment", () => {
  it("lists type, size, dimensions and the notes that link to each", async () => {
    const { call } = memoryVault({
      "Pictures/Roof.png": madePng(1200, 800),
      "plan.pdf": madePdf(["One"]),
      "A.md": "![[Roof.png]] ![[Roof.png]]",
      "B.md": "[[Roof.png]]",
    });
    const found = await call("find_notes", { kind: "attachment", sort_by: "path" });
    expect(found).toMatchObject({
      data: {
        match_count: 2,
        attachments: [
          { path: "Pictures/Roof.png", type: "image/png", width: 1200, height: 800, linked_from: ["A.md", "B.md"] },
          { path: "plan.pdf", type: "application/pdf", linked_from: [], link_count: 0 },
        ],
      },
    });
    expect(await call("find_notes", { kind: "attachment", folder: "Pictures", count_only: true })).toMatchObject({
      data: { match_count: 1 },
    });
    expect((await call("find_notes", { kind: "attachment", tags: ["a"] })).text).toContain("tags is for notes");
  });
});
