/** What a tunnel's program prints, and how it begins and ends. */
import { afterEach, describe, expect, it } from "vitest";
import { isVaultError } from "../../errors.js";
import { openTunnel, originsIn, qrCode, wordsOfCommand, type Tunnel } from "./serve-tunnel.js";

it.each([
  ["ngrok http 3000 --log stdout", ["ngrok", "http", "3000", "--log", "stdout"]],
  ["  'C:\\Program Files\\t.exe'  \"a b\"c ''", ["C:\\Program Files\\t.exe", "a bc", ""]],
  ["t $HOME; rm -rf * | x && y > z `w`", ["t", "$HOME;", "rm", "-rf", "*", "|", "x", "&&", "y", ">", "z", "`w`"]],
])("separates the words of %s and interprets nothing", (command, words) => {
  expect(wordsOfCommand(command)).toEqual(words);
});

it("refuses a quotation mark without its end, and no program", async () => {
  expect(() => wordsOfCommand("ngrok 'http")).toThrow("quotation mark");
  await expect(opened("''")).rejects.toThrow("names no program");
});

it.each<[program: string, text: string, origins: readonly string[]]>([
  [
    "cloudflared",
    "INF terms (https://www.cloudflare.com/website-terms/), see https://developers.cloudflare.com/x/y\n2026 INF |  https://a-b.trycloudflare.com   |\n",
    ["https://a-b.trycloudflare.com"],
  ],
  [
    "ngrok",
    'lvl=info msg="started tunnel" addr=http://localhost:3000 url=https://a1.ngrok-free.app\n',
    ["https://a1.ngrok-free.app"],
  ],
  [
    "tailscale",
    "Available on the internet:\n\nhttps://box.tail1.ts.net:8443/\n|-- proxy http://127.0.0.1:3000\n",
    ["https://box.tail1.ts.net:8443"],
  ],
  ["colours", "\u001b[32mhttps://Notes.Example\u001b[0m.", ["https://notes.example"]],
  ["the same twice", "https://a.example/\nhttps://a.example", ["https://a.example"]],
  ["two", "https://a.example https://b.example", ["https://a.example", "https://b.example"]],
  [
    "others",
    "http://a.example https://localhost:4040 https://127.0.0.1/ https://a.example/?q https://me:x@a.example",
    [],
  ],
])("finds the address in what %s prints", (_, text, origins) => expect(originsIn(text)).toEqual(origins));

const controller = new AbortController();
const running: Tunnel[] = [];
afterEach(() => Promise.all(running.splice(0).map((tunnel) => tunnel.stop())));

/** Runs JavaScript as the tunnel's program. */
async function opened(command: string, options: Partial<Parameters<typeof openTunnel>[1]> = {}): Promise<Tunnel> {
  const given = {
    origin: undefined,
    environment: process.env,
    signal: controller.signal,
    addressMs: 300,
    settleMs: 50,
  };
  const tunnel = await openTunnel(command, { ...given, ...options });
  running.push(tunnel);
  return tunnel;
}
const program = (code: string) => `"${process.execPath}" -e '${code}'`;
const STAYS = "setInterval(() => {}, 1000);";
const refusalOf = async (command: string, options = {}): Promise<string> => {
  const error: unknown = await opened(command, options).catch((thrown: unknown) => thrown);
  if (isVaultError(error, "UNAVAILABLE")) return `${error.message} ${error.hint}`;
  throw error;
};

describe("a tunnel", () => {
  it("serves at the one address that its program prints, on either stream and in parts", async () => {
    const parts = `process.stderr.write("https://a.exam"); setTimeout(() => process.stderr.write("ple\\n"), 100); ${STAYS}`;
    const tunnel = await opened(program(parts), { addressMs: 10_000 });
    expect(tunnel.origin).toBe("https://a.example");
    await tunnel.stop();
    expect(await tunnel.ended).toContain("SIGTERM");
  });

  it("takes a given address, whatever is printed", async () => {
    const two = program(`console.log("https://a.example https://b.example"); ${STAYS}`);
    expect((await opened(two, { origin: "https://notes.example" })).origin).toBe("https://notes.example");
  });

  it("ends also when it ignores the polite signal, with the programs that it started", async () => {
    const stubborn = `process.on("SIGTERM", () => {}); console.log("https://a.example"); ${STAYS}`;
    const wrapped = program(
      `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(stubborn)}], { stdio: "inherit" });`,
    );
    const tunnel = await opened(wrapped, { addressMs: 10_000 });
    await tunnel.stop();
    expect(await tunnel.ended).toContain("ended");
  });

  it.each([
    ["is missing", "/nowhere/tunnel http", "could not be started"],
    ["prints nothing", program(STAYS), "printed no https address within 0.3 seconds"],
    [
      "prints two addresses",
      program(`console.log("https://a.example\\nhttps://b.example"); ${STAYS}`),
      "two addresses, https://a.example and https://b.example",
    ],
    [
      "prints a second one soon",
      program(`console.log("https://a.example"); setTimeout(() => console.log("https://b.example"), 10); ${STAYS}`),
      "two addresses",
    ],
    [
      "dies at once",
      program("console.error(`bad token`); process.exit(3)"),
      "exit code 3). It printed last: bad token",
    ],
    ["dies after its address", program('console.log("https://a.example")'), "exit code 0"],
  ])("whose program %s is refused", async (_, command, words) => {
    const options = words.includes("exit") || words.includes("two") ? { addressMs: 10_000, settleMs: 2_000 } : {};
    expect(await refusalOf(command, options)).toContain(words);
  });

  it("that is interrupted before it has an address ends", async () => {
    const interrupt = new AbortController();
    setTimeout(() => interrupt.abort(), 50);
    // Its program is not at fault.
    expect(await refusalOf(program(STAYS), { signal: interrupt.signal, addressMs: 10_000 })).toBe(
      "The server was stopped before it began. undefined",
    );
  });
});

it("shows a code in colours of its own on a terminal, so that a light one does not invert it", async () => {
  const lines = (await qrCode("https://a.example/#login=x", true)).split("\n");
  expect(lines.filter((line) => !line.startsWith("\u001b[97;40m") || !line.endsWith("\u001b[0m"))).toEqual([]);
  expect(await qrCode("https://a.example/#login=x", false)).not.toContain("\u001b");
});
