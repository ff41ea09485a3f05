/** Reads strict YAML as a tree with line numbers, for files that are refused rather than repaired. */
import type { Node } from "yaml";
import { findTrap, loadYaml } from "./yaml-reader.js";

/** Lines count from 1. */
export type YamlTree = { readonly line: number } & (
  | { readonly kind: "scalar"; readonly value: string | number | boolean | null }
  | { readonly kind: "list"; readonly items: readonly YamlTree[] }
  | { readonly kind: "map"; readonly entries: readonly YamlEntry[] }
);
export interface YamlEntry {
  readonly key: string;
  readonly line: number;
  readonly value: YamlTree;
}
interface YamlTreeFault {
  readonly message: string;
  readonly line: number;
}

/** YAML 1.2 core; refuses what a settings file does not need: aliases, tags, a key twice. */
export function readYamlTree(text: string): YamlTree | YamlTreeFault {
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  const trap = findTrap(text);
  if (trap) return { message: trap.message, line: lineAt(trap.offset) };
  const { isAlias, isMap, isScalar, isSeq, parseDocument } = loadYaml();
  const document = parseDocument(text, { version: "1.2", schema: "core", merge: false, prettyErrors: false });
  const [error] = [...document.errors, ...document.warnings];
  if (error) {
    const isTag = error.code === "TAG_RESOLVE_FAILED";
    const message = isTag ? "a text that begins with ! needs quotes in YAML" : error.message.split("\n")[0];
    return { message: message ?? "", line: lineAt(error.pos[0]) };
  }
  let fault: YamlTreeFault | undefined;
  const read = (node: Node | null | undefined, around: number): YamlTree => {
    const line = node?.range ? lineAt(node.range[0]) : around;
    const refuse = (message: string) => void (fault ??= { message, line });
    if (node && !isAlias(node) && node.tag?.startsWith("!") === true && !/^!?$/.test(node.tag))
      refuse("tags of YAML are not understood");
    if (isMap(node))
      return {
        kind: "map",
        line,
        entries: node.items.map(({ key, value }) => {
          if (!isScalar(key)) refuse("a key is no text");
          const name = isScalar(key) ? String(key.source ?? key.value) : "";
          const at = isScalar(key) && key.range ? lineAt(key.range[0]) : line;
          return { key: name, line: at, value: read(value as Node | null, at) };
        }),
      };
    if (isSeq(node)) return { kind: "list", line, items: node.items.map((item) => read(item as Node | null, line)) };
    if (isAlias(node)) refuse("aliases of YAML are not understood");
    const value = isScalar(node) ? node.value : null;
    return { kind: "scalar", line, value: typeof value === "object" || value === undefined ? null : (value as string) };
  };
  const tree = read(document.contents, 1);
  return fault ?? tree;
}
