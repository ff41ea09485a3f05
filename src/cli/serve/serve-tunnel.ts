/** `--tunnel`: serves with sign-in at the public address of a tunnel that lives with the server (docs: phone). */
import { createServer } from "node:net";
import { VaultError } from "../../errors.js";
import type { Log } from "../../log.js";
import { isOwner, ownersToken } from "../../server/http/tokens.js";
import { EXIT_CODES } from "../exit-codes.js";
import { writeFailure, writeToStderr } from "../log.js";
import { OPTIONS, type Settings } from "../options/options.js";
import { loginLink } from "../sign-in.js";
import { writeOut } from "../terminal.js";
import { accessRules, httpAddress, isLoopbackAddress, publicUrl, type HttpAddress } from "./http-access.js";
import { serveUntilSignal, type HttpService } from "./serve-http.js";
import { openSignInStore } from "./sign-in-settings.js";
import { badTunnel, openTunnel, type Tunnel } from "./tunnel.js";

/** Until a signal or the end of the tunnel. */
export async function serveTunnel(settings: Settings, log: Log): Promise<number> {
  const address = httpAddress(settings);
  if (!settings.signIn) throw badTunnel("lets others reach the server, which needs --sign-in", "Add --sign-in.");
  if (!isLoopbackAddress(address))
    throw badTunnel("reaches the server on this machine, which listens for others too", "Leave out the address.");
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  try {
    return await serveThrough(await openedTunnel(settings, address, interrupt.signal), settings, address, log);
  } catch (error) {
    if (!(error instanceof VaultError) || error.code !== "UNAVAILABLE") throw error;
    writeFailure(error);
    return (interrupt.signal.aborted ? EXIT_CODES.interrupted : EXIT_CODES.failed).number;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

async function openedTunnel(settings: Settings, { host, port }: HttpAddress, signal: AbortSignal): Promise<Tunnel> {
  // Holds the port, so that the tunnel never leads to another program.
  const holder = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    holder.once("error", () => reject(portTaken(host, port)));
    holder.listen({ host, port }, resolve);
  });
  try {
    const origin = publicUrl(settings)?.origin;
    return await openTunnel(settings.tunnel ?? "", { origin, environment: withoutSecrets(process.env), signal });
  } finally {
    await new Promise((resolve) => holder.close(resolve));
  }
}

function portTaken(host: string, port: number): VaultError {
  return new VaultError("UNAVAILABLE", `${host}:${port} cannot be opened; another program may use it.`, {
    hint: `Name another port with ${OPTIONS.http.flag}, and in the tunnel's command.`,
  });
}

/** The tunnel's program needs none of this server's. */
function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { token, couchdbUrl, signInDatabase, ...others } = OPTIONS;
  const secret = [token, couchdbUrl, signInDatabase, ...Object.values(others).filter(({ kind }) => kind === "secret")];
  const names = new Set<string>(
    secret.flatMap((option) =>
      "environment" in option ? option.environment.map((one) => (typeof one === "string" ? one : one.name)) : [],
    ),
  );
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.has(name)));
}

async function serveThrough(tunnel: Tunnel, given: Settings, address: HttpAddress, log: Log): Promise<number> {
  const { origin } = tunnel;
  const settings = { ...given, publicUrl: origin };
  // Strangers come from loopback too, so the rates of a public server hold.
  const rules = accessRules(settings, false);
  const person = rules.tokens.find(({ scopes }) => isOwner(scopes)) ?? rules.people?.[0] ?? ownersToken("the owner");
  const isNew = ![...rules.tokens, ...(rules.people ?? [])].includes(person);
  const access = isNew ? { ...rules, tokens: [...rules.tokens, person] } : rules;
  const { store } = await openSignInStore(settings);
  let isConnected = false;
  let lost: string | undefined;
  const service: HttpService = {
    address,
    access,
    web: !settings.noWeb,
    portFlag: OPTIONS.http.flag,
    until: tunnel.ended.then((reason) => void (lost = reason)),
    signedIn(name) {
      if (!isConnected) void writeOut(`Connected: ${name}.\n`);
      isConnected = true;
    },
  };
  try {
    const code = await serveUntilSignal(
      settings,
      log,
      service,
      () => void invite(origin, () => loginLink(store, origin, person.name)),
    );
    if (lost === undefined || tunnel.isStopped()) return code;
    writeToStderr(`${lost}\nThe server has ended too: nobody could reach it.\n`);
    return EXIT_CODES.failed.number;
  } finally {
    await tunnel.stop();
  }
}

async function invite(origin: string, makeLink: () => Promise<string>): Promise<void> {
  const { renderUnicodeCompact } = await import("uqr");
  const link = await makeLink();
  await writeOut(
    `Address for the assistant:  ${origin}/mcp
Log the phone's browser in:  ${link}
(once, within ten minutes; or scan this)

${renderUnicodeCompact(link, { border: 2 })}

Waiting for the first signed-in call. Ctrl-C ends server and tunnel.
`,
  );
}
