/** Matches a text against the forms of a language's table. */
import type { Slot, Slots, SlotValues, SlotWords } from "./english.js";

interface CompiledForm<Meaning> {
  readonly pattern: RegExp;
  readonly slots: readonly Slot[];
  readonly meaning: Meaning;
}

/** The first form that matches the whole text applies. */
export class LanguageForms<Meaning> {
  readonly #slots: Slots;
  readonly #forms: readonly CompiledForm<Meaning>[];

  constructor(slots: Slots, forms: readonly (readonly [form: string, meaning: Meaning])[]) {
    this.#slots = slots;
    this.#forms = forms.map(([form, meaning]) => ({ ...compile(form, slots), meaning }));
  }

  match(text: string): { readonly meaning: Meaning; readonly values: SlotValues } | undefined {
    for (const { pattern, slots, meaning } of this.#forms) {
      const found = pattern.exec(text);
      if (!found) continue;
      const values = slots.map((slot, place) => [slot, valueOf(this.#slots[slot]!, found[place + 1] ?? "")]);
      return { meaning, values: Object.fromEntries(values) as SlotValues };
    }
    return undefined;
  }
}

function compile(form: string, slots: Slots): { pattern: RegExp; slots: readonly Slot[] } {
  const named: Slot[] = [];
  const source = form
    .replace(/\((?=[^)]*\|)/g, "(?:")
    .replace(/\[([^\]]*)\]/g, "(?:$1)?")
    .replace(/\{(\w+)\}/g, (_, name: Slot) => {
      named.push(name);
      return `(${patternOf(slots[name]!)})`;
    });
  return { pattern: new RegExp(`^${source}$`), slots: named };
}

const patternOf = ({ words, digits }: SlotWords): string =>
  [...(digits === undefined ? [] : [digits]), ...words.keys()].join("|");

function valueOf({ words }: SlotWords, text: string): SlotValues[Slot] {
  return words.get(text) ?? Number.parseInt(text, 10);
}
