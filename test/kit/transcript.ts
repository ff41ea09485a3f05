/**
 * Transcripts: worked examples in Markdown that are run as tests. One holds the vault before, calls with their answers, and the
 * vault after:
 *
 *     # What it shows
 *     Server: configured vault | no vault | missing vault [, read-only]
 *     Front ends: folder, stdio                          (left out: every front end)
 *     ## Vault                                      `path` on a line of its own, then a fence with the note
 *     ## Call                                       a json fence: { "name", "arguments" }
 *     ## Answer  or  ## Answer: ERROR_CODE          a text fence, a second one where the second block matters, and a json fence with
 *                                                   part of the structured content
 *     ## Vault after                                the notes that are new or changed, "`path` is gone." for those that are not
 *                                                   there any more; all others must be as they were
 *
 * A note's fence may say `crlf`, `bom` or `no-final-newline` after its language. `{{today}}`, `{{today+3}}`, `{{weekday+3}}` (its
 * day of the week, such as Fri) and `{{vault}}` (the vault's path) are filled in everywhere; `{{id}}` stands for six letters or digits, the same ones wherever it occurs, `{{op}}` for the name of an operation and
 * `{{hash}}` for what identifies a file's content.
 */
export interface Transcript {
  readonly title: string;
  readonly vault: "configured" | "none" | "missing";
  readonly readOnly: boolean;
  /** Undefined: every front end. */
  readonly frontEnds: readonly string[] | undefined;
  readonly before: ReadonlyMap<string, string>;
  readonly calls: readonly TranscriptCall[];
  readonly after: ReadonlyMap<string, string>;
  /** What must not be there any more. */
  readonly gone: readonly string[];
}

interface TranscriptCall {
  /** JSON text of `{ name, arguments }`. */
  readonly call: string;
  /** The error code the answer must have. */
  readonly error: string | undefined;
  readonly text: string;
  /** The second block of words; undefined: whatever it says. */
  readonly details: string | undefined;
  /** JSON text of what the structured content must hold among other things. */
  readonly structured: string | undefined;
}

interface Fence {
  /** The file's path, for notes. */
  readonly path: string | undefined;
  readonly language: string;
  readonly flags: readonly string[];
  readonly lines: readonly string[];
}

interface Section {
  readonly heading: string;
  readonly fences: Fence[];
  readonly gone: string[];
}

/** Reads a transcript. @throws Error saying what is wrong with it */
export function parseTranscript(markdown: string): Transcript {
  const [start, ...sections] = sectionsOf(markdown);
  const before = new Map<string, string>();
  const after = new Map<string, string>();
  const gone: string[] = [];
  const calls: TranscriptCall[] = [];
  let call: string | undefined;
  for (const { heading, fences, gone: lost } of sections) {
    gone.push(...lost);
    if (heading === "Vault") for (const fence of fences) before.set(...noteOf(fence));
    else if (heading === "Vault after") for (const fence of fences) after.set(...noteOf(fence));
    else if (heading === "Call") call = fenceIn(fences, "json", heading);
    else if (heading.startsWith("Answer")) {
      if (call === undefined) throw new Error("an answer without a call");
      const structured = fences.find(({ language }) => language === "json");
      calls.push({
        call,
        error: heading.split(":")[1]?.trim(),
        text: fenceIn(fences, "text", heading),
        details: fences.filter(({ language }) => language === "text")[1]?.lines.join("\n"),
        structured: structured?.lines.join("\n"),
      });
      call = undefined;
    } else throw new Error(`unknown section: ${heading}`);
  }
  if (call !== undefined || calls.length === 0) throw new Error("a call without an answer");
  const server = settingIn(markdown, "Server") ?? "configured vault";
  return {
    title: start?.heading ?? "",
    vault: server.startsWith("no vault") ? "none" : server.startsWith("missing vault") ? "missing" : "configured",
    readOnly: server.includes("read-only"),
    frontEnds: settingIn(markdown, "Front ends")?.split(/,\s*/),
    before,
    calls,
    after,
    gone,
  };
}

function settingIn(markdown: string, name: string): string | undefined {
  return new RegExp(`^${name}: (.+)$`, "m").exec(markdown)?.[1]?.trim();
}

function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = [];
  let path: string | undefined;
  let open: { mark: string; language: string; flags: string[]; lines: string[] } | undefined;
  for (const line of markdown.split("\n")) {
    if (open) {
      if (line === open.mark) {
        sections.at(-1)?.fences.push({ ...open, path });
        [open, path] = [undefined, undefined];
      } else open.lines.push(line);
      continue;
    }
    const heading = /^#{1,2} (.+)$/.exec(line);
    const fence = /^(`{3,})(\w+)(.*)$/.exec(line);
    const file = /^`([^`]+)`$/.exec(line);
    const lost = /^`([^`]+)` is gone\.$/.exec(line);
    if (heading) sections.push({ heading: heading[1] ?? "", fences: [], gone: [] });
    if (lost) sections.at(-1)?.gone.push(lost[1] ?? "");
    if (file) path = file[1];
    if (fence)
      open = { mark: fence[1] ?? "", language: fence[2] ?? "", flags: (fence[3] ?? "").trim().split(" "), lines: [] };
  }
  if (open) throw new Error("a fence is not closed");
  return sections;
}

function fenceIn(fences: readonly Fence[], language: string, heading: string): string {
  const fence = fences.find((fence) => fence.language === language);
  if (!fence) throw new Error(`${heading}: no ${language} fence`);
  return fence.lines.join("\n");
}

function noteOf({ path, flags, lines }: Fence): [path: string, text: string] {
  if (path === undefined) throw new Error("a note without a path");
  const end = flags.includes("no-final-newline") || lines.length === 0 ? "" : "\n";
  const text = `${flags.includes("bom") ? "\uFEFF" : ""}${lines.join("\n")}${end}`;
  return [path, flags.includes("crlf") ? text.replaceAll("\n", "\r\n") : text];
}
