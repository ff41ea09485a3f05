/** Where the HTTP server listens, from `--http`, BIND_ADDR and PORT. */
import { OPTIONS, sourceOf, type Settings } from "../options/options.js";
import { misused } from "../options/option-kinds.js";

export interface HttpAddress {
  /** A host name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

export const LOOPBACK = "127.0.0.1";
const DEFAULT_PORT = 3000;
/** `host:port`, `[address]:port`, `:port` or `port`. */
const FORM = /^(?:(?:\[([0-9a-f:.]+)\]|([^:[\]/\s]*)):)?(\d{1,5})$/i;

export function httpAddress(settings: Settings): HttpAddress {
  const { http, bindAddr, port } = settings;
  if (http !== undefined && http !== "") return parse(OPTIONS.http.flag, http);
  const base =
    bindAddr === undefined ? { host: LOOPBACK, port: DEFAULT_PORT } : parse(sourceOf("bindAddr", settings), bindAddr);
  return port === undefined ? base : { ...base, port: parsePort(sourceOf("port", settings), port) };
}

const BOARD_PORTS = 20;

/** In order of trying; a given port is the only one. */
export function boardPorts(settings: Settings): readonly number[] {
  const { port } = settings;
  if (port !== undefined) return [parsePort(sourceOf("port", settings), port)];
  return Array.from({ length: BOARD_PORTS }, (_, index) => DEFAULT_PORT + index);
}

function parse(source: string, text: string): HttpAddress {
  const [, address, name, port] = FORM.exec(text.trim()) ?? [];
  if (port === undefined) throw misused(source, `is "${text}", which is no address such as 127.0.0.1:3000 or 3000`);
  return { host: address ?? (name === undefined || name === "" ? LOOPBACK : name), port: parsePort(source, port) };
}

function parsePort(source: string, text: string): number {
  if (/^\d{1,5}$/.test(text.trim()) && Number(text) <= 65_535) return Number(text);
  throw misused(source, `is "${text}", which is no port from 0 to 65535`);
}

export function isLoopbackAddress({ host }: HttpAddress): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
