/** Runs a transcript through a front end and compares what it says with what comes. */
import { expect } from "vitest";
import { type LocalDate, localDateOf } from "../../src/clock.js";
import { TOOLS } from "../../src/tools/all-tools.js";
import { ERROR_META_KEY } from "../../src/tools/outcome.js";
import { validatorFor } from "../../src/tools/validator.js";
import type { FrontEnd } from "./front-ends.js";
import type { Transcript } from "./transcript.js";

export async function runTranscript(transcript: Transcript, frontEnd: FrontEnd): Promise<void> {
  const { vault, readOnly, before, calls, after, gone } = transcript;
  const neutral = frontEnd.ownRevisions
    ? (text: string) => text.replaceAll(REVISION, "{{revision}}").replaceAll(/\{\{hash\d?\}\}/g, "{{revision}}")
    : (text: string) => text;
  const dates = new Blanks(frontEnd.today());
  const files = mapped(before, (text) => dates.fill(text));
  const session = await frontEnd.open({ files, vault, readOnly });
  const blanks = new Blanks(frontEnd.today(), session.vault);
  try {
    for (const { call, error, text, details, structured } of calls) {
      const { name, arguments: args } = JSON.parse(blanks.fill(call)) as { name: string; arguments: unknown };
      const result = await session.call(name, args);
      const [words, more] = result.content.map((block) => (block.type === "text" ? block.text : ""));
      blanks.expectText(neutral(words ?? ""), neutral(text));
      if (details !== undefined) blanks.expectText(neutral(more ?? ""), neutral(details));
      expect(result.isError ?? false).toBe(error !== undefined);
      if (frontEnd.wordsOnly) continue;
      expect(result["_meta"]?.[ERROR_META_KEY]?.code).toBe(error);
      if (structured !== undefined)
        expect(JSON.parse(neutral(JSON.stringify(result.structuredContent)))).toMatchObject(
          JSON.parse(neutral(blanks.fill(structured))) as object,
        );
      if (error === undefined) await expectValid(name, result.structuredContent);
      else expect(result.structuredContent).toBeUndefined();
    }
    const expected = new Map([...files, ...mapped(after, (text) => blanks.fill(text))]);
    for (const path of gone) if (!expected.delete(path)) throw new Error(`'${path}' was never there`);
    expect(sorted(await session.files())).toEqual(sorted(expected));
  } finally {
    await session.close();
  }
}

/** A hash of the content, or CouchDB's. */
const REVISION = /\b(?:\d+-[0-9a-f]{10}|[0-9a-f]{10})\b/g;

/** Every success is what its tool's output schema says. */
async function expectValid(name: string, structured: unknown): Promise<void> {
  const schema = TOOLS.find((tool) => tool.name === name)?.listing.outputSchema;
  if (!schema) throw new Error(`no tool ${name}`);
  const validate = await validatorFor(name, schema);
  expect(validate(structuredClone(structured))).toEqual([]);
}

function mapped(files: ReadonlyMap<string, string>, change: (text: string) => string): Map<string, string> {
  return new Map([...files].map(([path, text]) => [change(path), change(text)]));
}

function sorted(files: ReadonlyMap<string, string>): [string, string][] {
  return [...files].sort(([one], [other]) => (one < other ? -1 : 1));
}

const DAY = 86_400_000;
const ID = /\{\{(id\d?|op\d?|hash\d?|time|caller)\}\}/g;
const FORMS: Readonly<Record<string, string>> = {
  id: "[a-z0-9]{6}",
  op: "op-[a-z0-9]{1,10}-[a-z0-9]{1,12}",
  hash: String.raw`[\w-]+`,
  time: String.raw`\d\d:\d\d`,
  caller: "[^·]+",
};

/** What stands for `{{...}}`; ids are learnt from the first answer that shows them. */
export class Blanks {
  readonly #today: LocalDate;
  readonly #vault: string;
  readonly #ids = new Map<string, string>();

  constructor(today: LocalDate, vault = "") {
    this.#today = today;
    this.#vault = vault;
  }

  fill(text: string): string {
    return text
      .replaceAll(/\{\{today(?:([+-]\d+))?\}\}/g, (_, days: string | undefined) => this.#dayAfter(days))
      .replaceAll(/\{\{weekday(?:([+-]\d+))?\}\}/g, (_, days: string | undefined) =>
        new Date(this.#dayAfter(days)).toUTCString().slice(0, 3),
      )
      .replaceAll("{{vault}}", () => this.#vault)
      .replaceAll(ID, (blank, name: string) => this.#ids.get(name) ?? blank);
  }

  #dayAfter(days = "0"): LocalDate {
    return localDateOf(Date.parse(this.#today) + Number(days) * DAY, "UTC");
  }

  expectText(actual: string, expected: string): void {
    const known = this.fill(expected);
    const names: string[] = [];
    const pattern = known
      .split(ID)
      .map((part, index) => {
        if (index % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
        if (names.includes(part)) return String.raw`\k<${part}>`;
        names.push(part);
        return `(?<${part}>${FORMS[part.replace(/\d$/, "")]})`;
      })
      .join("");
    const match = new RegExp(`^${pattern}$`).exec(actual);
    for (const [name, value] of Object.entries(match?.groups ?? {})) this.#ids.set(name, value);
    expect(actual).toBe(this.fill(expected));
  }
}
