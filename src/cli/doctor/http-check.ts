/** Checks the settings of `--http`: would the server start with them, who could call it, and who can read its tokens. */
import { statSync } from "node:fs";
import { isVaultError } from "../../errors.js";
import type { AccessRules } from "../../server/http/guards.js";
import { accessRules } from "../serve/http-access.js";
import { httpAddress, isLoopbackAddress, type HttpAddress } from "../serve/http-address.js";
import type { Settings } from "../options/options.js";
import type { Finding } from "./finding.js";

const subject = "http";

/** Reports nothing while none of these settings is used. */
export function checkHttp(settings: Settings): Finding[] {
  const { http, bindAddress, token, tokenFile, tokensFile } = settings;
  if ([http, bindAddress, token, tokenFile, tokensFile].every((setting) => setting === undefined)) return [];
  try {
    const address = httpAddress(settings);
    const access = accessRules(settings, isLoopbackAddress(address));
    return [described(address, access), ...[tokenFile, tokensFile].flatMap(readableByOthers)];
  } catch (error) {
    if (!isVaultError(error)) throw error;
    const advice = error.hint === undefined ? {} : { advice: error.hint };
    return [{ level: "error", subject, message: error.message, ...advice }];
  }
}

function described(address: HttpAddress, { tokens, calendarTokens = [], rate }: AccessRules): Finding {
  const { host, port } = address;
  const place = `--http listens on ${host.includes(":") ? `[${host}]` : host}:${port}`;
  const names = [
    ...tokens.map(({ name, scopes }) => `${name} (${scopes.write ? "reads and writes" : "reads"})`),
    ...calendarTokens.map(({ name }) => `${name} (a calendar)`),
  ];
  const limits = rate ? "" : ", at any rate";
  if (tokens.length > 0) return { level: "ok", subject, message: `${place}; tokens: ${names.join(", ")}${limits}` };
  if (isLoopbackAddress(address))
    return { level: "ok", subject, message: `${place}; every program of this machine may call, without a token` };
  return {
    level: "warning",
    subject,
    message: `${place}; anybody who can reach it can change the vault`,
    advice: "Set AUTH_TOKEN_FILE and leave out --insecure-no-auth.",
  };
}

function readableByOthers(path: string | undefined): Finding[] {
  if (path === undefined || process.platform === "win32") return [];
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) === 0) return [];
  const message = `${path} can be read by other users of this machine`;
  return [{ level: "warning", subject, message, advice: `chmod 600 ${path}` }];
}
