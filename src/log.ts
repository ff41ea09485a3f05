/** The interface for log lines. */

export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Never log note texts or secrets; titles and queries only at `debug`. */
export interface Log {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentLog: Log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
