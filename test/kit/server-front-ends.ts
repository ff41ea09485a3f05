/** The servers of the program as front ends for transcripts, in the test's own process: what the program puts together, without its start. */
import { readCommandLine } from "../../src/cli/options/arguments.js";
import { lazyOpener } from "../../src/cli/vault-opener.js";
import { systemClock } from "../../src/clock.js";
import { silentLog } from "../../src/log.js";
import { startHttp } from "../../src/server/http/http-server.js";
import { instructionsFor } from "../../src/tools/instructions.js";
import { toolsFor } from "../../src/tools/registry.js";
import { createWorkspace } from "../../src/tools/workspace.js";
import { VaultFolder, type FrontEnd, type FrontEndSetup } from "./front-ends.js";
import { OPEN_ACCESS } from "./http-front.js";
import { argumentsFor, resultIn, type HttpService } from "./program-front-ends.js";
import { StdioSession } from "./stdio-session.js";

/** A server's parts, from the command line that the program would get. */
function partsOf(setup: FrontEndSetup, folder: VaultFolder, switches: boolean) {
  const { settings } = readCommandLine(argumentsFor(setup, folder), {}, () => true);
  const { vault, readOnly, toolErrors } = settings;
  const opener = lazyOpener(settings, silentLog, () => true);
  const hasDefaultVault = vault !== undefined;
  return {
    tools: toolsFor({ readOnly, hasDefaultVault }),
    workspace: createWorkspace({ opener, default: vault, switches }),
    log: silentLog,
    toolErrors,
    version: "1",
    instructions: async () => instructionsFor(toolsFor({ readOnly, hasDefaultVault }).tools, { hasDefaultVault }),
    close: () => opener.close(),
  };
}

/** One connection for all calls. @param handshake without one, calls come as from a script, without the SDK's part */
export function stdioServerFrontEnd({ handshake = true } = {}): FrontEnd {
  return {
    name: "stdio",
    today: () => systemClock("UTC").today(),
    async open(setup) {
      const folder = new VaultFolder(setup);
      const session = new StdioSession(partsOf(setup, folder, true));
      if (handshake) await session.initialize();
      let last = 0;
      return {
        vault: folder.path,
        call: async (name, args) => resultIn(await session.call(++last, name, args).answer(last)),
        files: async () => folder.files(),
        close: async () => {
          await session.end();
          folder.remove();
        },
      };
    },
  };
}

export const servedHere: HttpService = async (setup, folder) => {
  const { instructions, close, ...parts } = partsOf(setup, folder, false);
  const server = await startHttp({
    ...parts,
    host: "127.0.0.1",
    port: 0,
    access: OPEN_ACCESS,
    instructions,
  });
  return {
    url: server.url,
    end: async () => {
      await server.stop();
      await close();
    },
  };
};
