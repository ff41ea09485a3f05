/** In tests a sentence whose calls and arguments are data equals its text. */
import { expect } from "vitest";
import { Said } from "../../src/text/wording.js";

expect.addEqualityTesters([(a, b) => (a instanceof Said || b instanceof Said ? String(a) === String(b) : undefined)]);
