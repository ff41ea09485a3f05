/** One run of a view: its current row, limits and warnings, and what values need of the vault. */
import { WorkTime } from "../../clock.js";
import { counted } from "../../text/wording.js";
import type { BaseFile, BaseFiles } from "./files.js";
import { Misread } from "../answer.js";
import {
  DateValue,
  Duration,
  FileValue,
  LinkValue,
  parseLink,
  Pattern,
  TagValue,
  tagKey,
  typeOf,
  typeWord,
  type Value,
  type Zone,
} from "./values.js";

const MAX_ELEMENTS = 20_000;
const MAX_CHARACTERS = 1024 * 1024;
const MAX_CHARACTERS_A_VIEW = 64 * MAX_CHARACTERS;
const MAX_STEPS = 200_000;
const MAX_WORK_MS = 2_000;
const STEPS_A_CHECK = 4_096;
const NAMED_FILES = 3;

export type Local = "value" | "index" | "acc" | "values";

export class Evaluation {
  readonly zone: Zone;
  readonly files: BaseFiles;
  /** What `this` means. */
  readonly context: BaseFile;
  row: BaseFile;
  readonly locals: Partial<Record<Local, Value>> = {};
  /** To find where `.md` in `file.name` matters. */
  namesHaveExtension = false;
  readonly #warned = new Map<string, Set<string>>();
  #steps = 0;
  #elements = 0;
  #characters = 0;
  #allCharacters = 0;
  /** Pause it while others work. */
  readonly work = new WorkTime();

  constructor(files: BaseFiles, context: BaseFile) {
    this.files = files;
    this.zone = files.zone;
    this.context = context;
    this.row = context;
  }

  enter(row: BaseFile): void {
    this.row = row;
    this.#steps = 0;
    this.#checkTime();
  }

  /** Begins a cell, a filter or a sort key. */
  begin(): void {
    this.#elements = 0;
    this.#characters = 0;
  }

  #checkTime(): void {
    if (this.work.exceeds(MAX_WORK_MS)) throw new Misread(`the view takes more than ${MAX_WORK_MS / 1000} s`);
  }

  step(count = 1): void {
    const before = this.#steps;
    this.#steps += count;
    if (this.#steps > MAX_STEPS)
      throw new Misread(`it takes more than ${MAX_STEPS.toLocaleString("en-US")} steps for ${this.row.path}`);
    if (Math.floor(before / STEPS_A_CHECK) !== Math.floor(this.#steps / STEPS_A_CHECK)) this.#checkTime();
  }

  /** Counts work that grows with a value's size. */
  touch(value: Value, each = 1): void {
    if (typeof value === "string") this.step((value.length >> 8) * each);
    else if (Array.isArray(value)) this.step(value.length * each);
  }

  /** Counts what a formula makes. */
  made<Made extends Value>(value: Made): Made {
    if (typeof value === "string") this.claim(value.length);
    else if (Array.isArray(value) && (this.#elements += value.length) > MAX_ELEMENTS)
      throw new Misread(`it makes more than ${MAX_ELEMENTS.toLocaleString("en-US")} elements`);
    return value;
  }

  /** Before a text of this length is made. */
  claim(characters: number): void {
    this.#characters += characters;
    this.#allCharacters += characters;
    if (this.#characters > MAX_CHARACTERS) throw new Misread("it makes more than 1 MiB of text");
    if (this.#allCharacters > MAX_CHARACTERS_A_VIEW) throw new Misread("the view makes more than 64 MiB of text");
  }

  /** @returns an empty value */
  warn(what: string): null {
    const paths = this.#warned.get(what) ?? new Set();
    this.#warned.set(what, paths.add(this.row.path));
    return null;
  }

  warnings(): string[] {
    return [...this.#warned].map(([what, paths]) => {
      const named = [...paths].slice(0, NAMED_FILES).join(", ");
      return `${what} (${counted(paths.size, "file")}: ${named}${paths.size > NAMED_FILES ? ", …" : ""})`;
    });
  }

  /** As `toString()` and joined texts have it: a link in brackets. */
  written = (value: Value): string => {
    if (Array.isArray(value)) return (value as readonly Value[]).map(this.written).join(", ");
    if (!(value instanceof LinkValue) || isAddress(value.target)) return this.text(value);
    const { target, display } = value;
    return `[[${target.replace(/^\//, "")}${display === undefined ? "" : `|${display}`}]]`;
  };

  /** As it is shown, and sorts. */
  text = (value: Value): string => {
    if (value === null) return "";
    if (typeof value !== "object") return String(value);
    if (value instanceof DateValue) return this.zone.text(value);
    if (value instanceof LinkValue) return value.display ?? value.target;
    if (value instanceof TagValue) return `#${value.name}`;
    if (value instanceof FileValue) return value.path;
    if (value instanceof Duration) return durationText(value);
    if (value instanceof Map) return JSON.stringify(this.cell(value));
    if (value instanceof Pattern) return value.text;
    this.touch(value);
    return (value as readonly Value[]).map(this.text).join(", ");
  };

  /** In an answer's form. @param withTime formulas' dates have a time */
  cell(value: Value, withTime?: true): unknown {
    if (value === null || typeof value === "number" || typeof value === "boolean") return value;
    if (value instanceof DateValue) return this.zone.text(value, withTime);
    if (Array.isArray(value)) return (value as readonly Value[]).map((item) => this.cell(item, withTime));
    if (value instanceof Map) return Object.fromEntries([...value].map(([key, inner]) => [key, this.cell(inner)]));
    return this.text(value);
  }

  /** Of a cell's links, in its form: a path or an address; null without one. */
  targets(value: Value): unknown {
    if (value instanceof FileValue) return value.path;
    if (value instanceof LinkValue) return this.fileOf(value)?.path ?? (isAddress(value.target) ? value.target : null);
    if (!Array.isArray(value)) return null;
    const all = (value as readonly Value[]).map((item) => this.targets(item));
    return all.some((one) => one !== null) ? all : null;
  }

  fileOf(link: LinkValue): BaseFile | undefined {
    const path = this.files.resolve(link.target, link.from);
    return path === undefined ? undefined : this.files.at(path);
  }

  /** Equal values have one key. */
  key(value: Value): string {
    if (value instanceof FileValue) return `file ${value.path}`;
    if (value instanceof LinkValue) {
      const path = this.files.resolve(value.target, value.from);
      return path === undefined ? `link ${value.target.toLowerCase()}` : `file ${path}`;
    }
    if (value instanceof TagValue) return `tag ${tagKey(value.name)}`;
    if (value instanceof DateValue) return `date ${value.ms}`;
    if (value instanceof Duration) return `duration ${value.length}`;
    if (Array.isArray(value)) {
      this.touch(value);
      return `[${(value as readonly Value[]).map((item) => JSON.stringify(this.key(item))).join()}]`;
    }
    if (value instanceof Map)
      return `{${[...value].map((entry) => JSON.stringify([entry[0], this.key(entry[1] as Value)])).join()}}`;
    return `${typeof value} ${this.text(value)}`;
  }

  equal(a: Value, b: Value): boolean {
    if (typeof a !== "object" && typeof b !== "object") {
      if (
        typeof a !== typeof b &&
        typeof a !== "boolean" &&
        typeof b !== "boolean" &&
        a !== "" &&
        Number(a) === Number(b)
      )
        this.warn(`== between a text and a number, ${JSON.stringify(a)} and ${JSON.stringify(b)}, is false`);
      return a === b;
    }
    if (a === null || b === null) return a === b;
    if (typeof a === "string") return typeof b === "string" ? a === b : this.#equalsText(b, a);
    if (typeof b === "string") return this.#equalsText(a, b);
    return this.key(a) === this.key(b);
  }

  #equalsText(value: Value, text: string): boolean {
    if (value instanceof TagValue) return tagKey(value.name) === tagKey(text);
    if (value instanceof DateValue) return this.zone.parse(text)?.ms === value.ms;
    const link = value instanceof LinkValue ? parseLink(text, value.from) : undefined;
    if (link) return this.key(link) === this.key(value);
    const isNamed = value instanceof FileValue && (value as BaseFile).name === text;
    if (isNamed || ((value instanceof FileValue || value instanceof LinkValue) && this.text(value) === text)) {
      const word = typeWord(typeOf(value));
      this.warn(`== between a ${word} and a text is false; write ${word}(${JSON.stringify(text)})`);
    }
    return false;
  }
}

const isAddress = (target: string): boolean => /^https?:/i.test(target);

function durationText({ months, days, ms }: Duration): string {
  const minutes = Math.trunc(ms / 60_000);
  const parts = [
    [months, "month"],
    [days, "day"],
    [Math.trunc(minutes / 60), "hour"],
    [minutes % 60, "minute"],
    [(ms % 60_000) / 1000, "second"],
  ] as const;
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [counted(count, unit)])).join(" ") || "0 seconds";
}
