/** Logs one line an event on stderr, as text or JSON. */
import { isVaultError, type VaultError } from "../errors.js";
import { LOG_LEVELS, type Log, type LogLevel } from "../log.js";
import { writeSync } from "node:fs";

interface LogOptions {
  readonly level: LogLevel;
  readonly format: "text" | "json";
  /** Must not throw. */
  readonly write: (line: string) => void;
  readonly now: () => number;
}

type Fields = Readonly<Record<string, unknown>>;

export function createLog({ level, format, write, now }: LogOptions): Log {
  const threshold = LOG_LEVELS.indexOf(level);
  const toLine = format === "json" ? jsonLine : textLine;
  const at =
    (lineLevel: LogLevel) =>
    (message: string, fields: Fields = {}) => {
      if (LOG_LEVELS.indexOf(lineLevel) > threshold) return;
      const shown = JSON.parse(
        JSON.stringify(fields, (name, value: unknown) => shownValue(name, value, level)),
      ) as Fields;
      write(toLine(new Date(now()).toISOString(), lineLevel, message, shown));
    };
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}

function jsonLine(time: string, level: LogLevel, message: string, fields: Fields): string {
  return `${JSON.stringify({ time, level, message, ...fields })}\n`;
}

function textLine(time: string, level: LogLevel, message: string, fields: Fields): string {
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  return `${time} ${level.toUpperCase().padEnd(5)} ${visible(message)}${pairs.join("")}\n`;
}

/** They could forge a line or control the terminal. */
function visible(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) =>
    JSON.stringify(character).slice(1, -1),
  );
}

/** Stacks contain folders of this machine. */
function shownValue(name: string, value: unknown, level: LogLevel): unknown {
  if (name === "stack" && level !== "debug") return undefined;
  return value instanceof Error ? describe(value, level) : value;
}

/** Other messages may contain host paths. */
function describe(error: Error, level: LogLevel): unknown {
  if (level === "debug") return causes(error);
  if (isVaultError(error)) return `${error.code}: ${error.message}`;
  return "code" in error ? `${error.name} ${String(error.code)}` : error.name;
}

function causes(error: Error): string {
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error ? `${own}\ncaused by ${causes(error.cause)}` : own;
}

export function writeFailure({ message, hint }: VaultError): void {
  writeToStderr([message, ...(hint === undefined ? [] : [hint]), ""].join("\n"));
}

/** Without loading Node's streams. */
export function writeToStderr(text: string | Uint8Array): void {
  try {
    if (typeof text === "string") writeSync(2, text);
    else writeSync(2, text);
  } catch {}
}
