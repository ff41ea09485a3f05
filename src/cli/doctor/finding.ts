/** A finding of `doctor`. */
import { counted } from "../../text/wording.js";

export interface Finding {
  /** `error`: does not work; `warning`: ignored or about to fail; `note`: good to know. */
  readonly level: "ok" | "note" | "warning" | "error";
  readonly subject: string;
  readonly message: string;
  readonly advice?: string;
  /** Vault-relative; line and column from 1. */
  readonly path?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export function finding(
  level: Finding["level"],
  subject: string,
  message: string,
  advice?: string,
  place?: Pick<Finding, "path" | "line" | "column">,
): Finding {
  return { level, subject, message, ...(advice !== undefined && { advice }), ...place };
}

const MARKS: Readonly<Record<Finding["level"], string>> = { ok: "✅", note: "ℹ️ ", warning: "⚠️ ", error: "❌" };

export function findingsText(findings: readonly Finding[]): string {
  const lines = findings.map(({ level, subject, message, advice, path, line, column }) => {
    const place = [path, line, column].filter((part) => part !== undefined).join(":");
    const head = `${MARKS[level]} ${subject}: ${place === "" ? "" : `${place}: `}${message}`;
    return advice === undefined ? head : `${head}\n   → ${advice}`;
  });
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  const [errors, warnings] = [count("error"), count("warning")];
  const verdict =
    errors + warnings === 0
      ? "Everything is set up right."
      : `${counted(errors, "error")}, ${counted(warnings, "warning")}.`;
  return [...lines, "", verdict].join("\n");
}
