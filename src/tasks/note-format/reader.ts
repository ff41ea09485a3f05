/** The reader by which the catalog takes task facts out of notes, and their digest: the vault's dialect. */
import type { FactReader } from "../../catalog/catalog.js";
import { DialectCount } from "./dialect-count.js";
import { readFacts, type TaskFacts } from "./facts.js";

export const taskReader: FactReader<TaskFacts> = {
  name: "tasks",
  // Raise it whenever facts or the dialect change in shape or meaning: stored ones are then read anew.
  version: 1,
  read: readFacts,
  digest: () => new DialectCount(),
};
