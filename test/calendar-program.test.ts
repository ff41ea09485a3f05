/** Calendars made, listed, printed and revoked by commands (`test/kit/run-here.ts`), and served by the published program meanwhile. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { builtProgram } from "./kit/built-program.js";
import { Child, type Ended } from "./kit/child.js";
import { LONG } from "./kit/fuzz.js";
import { listening } from "./kit/program-front-ends.js";
import { runHere } from "./kit/run-here.js";
import { TemporaryVault } from "./kit/temporary-vault.js";

let program: string;
let vault: TemporaryVault;
let home: string;
const children: Child[] = [];

beforeAll(async () => {
  program = await builtProgram();
});
beforeEach(() => {
  const day = new Date().toISOString().slice(0, 10);
  vault = new TemporaryVault({
    "Paint.md": `---\ntype: task\nid: task-paint\ndue: ${day}\narea: Home\n---\n`,
    "Report.md": `---\ntype: task\ndue: ${day}\narea: Work\n---\n`,
  });
  home = join(vault.base, "home");
  mkdirSync(home);
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.process.kill("SIGKILL");
    await child.ended;
  }
  vault.remove();
});

const own = () => ({ HOME: home, XDG_CACHE_HOME: join(home, ".cache"), XDG_STATE_HOME: join(home, ".state") });
const line = (args: readonly string[]) => [program, "calendar", ...args, "--vault", vault.folder, "--time-zone", "UTC"];
const spawned = (...args: readonly string[]): Promise<Ended> => new Child(line(args), own()).end("");
const calendar = (...args: readonly string[]): Promise<Ended> => (LONG ? spawned(...args) : runHere(line(args), own()));

async function serve(...args: readonly string[]): Promise<string> {
  const child = new Child([program, "--http", "0", vault.folder, ...args], own());
  children.push(child);
  return await listening(child);
}

describe("calendar", () => {
  it("makes an address that a running server opens at once, and closes as soon as it is revoked", async () => {
    const url = await serve();
    const made = await calendar("link", "House", "keeping", "--area", "Home", "--public-url", "https://notes.example");
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toContain('The calendar "House keeping" has 1 entry now.');
    const [, secret = ""] = /https:\/\/notes\.example\/calendar\/([\w-]{43})\.ics\n/.exec(made.stdout) ?? [];
    expect(made.stdout).toContain(`\nwebcal://notes.example/calendar/${secret}.ics\n`);
    const address = `${url}/calendar/${secret}.ics`;
    const answer = await fetch(address);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("UID:task-paint\r\n");
    const listed = await calendar("links");
    expect(listed.stdout).toBe("- House keeping: area Home\n");
    const again = await calendar("link", "house keeping");
    expect([again.code, again.stdout]).toEqual([1, ""]);
    expect(again.stderr).toContain("already");
    expect((await calendar("revoke", "House", "keeping")).code).toBe(0);
    expect((await fetch(address)).status).toBe(404);
    expect((await calendar()).stdout).toBe("There are no calendar links. To make one: calendar link <name>\n");
    expect((await calendar("revoke", "House")).stderr).toContain("There is no calendar link");
  });

  it("makes an address on the server's own port", async () => {
    const url = await serve();
    const { stdout } = await calendar("link", "Here", "--port", new URL(url).port);
    const [address = ""] = /http:\S+/.exec(stdout) ?? [];
    expect((await fetch(address)).status).toBe(200);
  });

  it("makes no link whose address cannot be shown", async () => {
    for (const wrong of [
      ["--port", "abc"],
      ["--public-url", "notes.example"],
    ])
      expect((await calendar("link", "Here", ...wrong)).code).toBe(2);
    expect((await calendar("links")).stdout).toContain("There are no calendar links");
  });

  it("keeps no secret, in files for their owner alone", async () => {
    const { stdout } = await spawned("link", "All", "--json");
    const { url, webcal, entries } = JSON.parse(stdout) as { url: string; webcal: string; entries: number };
    expect([url.slice(0, 31), webcal.slice(0, 9), entries]).toEqual([
      "http://127.0.0.1:3000/calendar/",
      "webcal://",
      2,
    ]);
    const secret = url.slice(31, -4);
    const folder = join(home, ".state", "obsidian-vault-mcp-server", "calendars");
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files).toHaveLength(1);
    for (const { parentPath, name } of files) {
      expect(name + readFileSync(join(parentPath, name), "utf8")).not.toContain(secret);
      if (process.platform !== "win32") expect(statSync(join(parentPath, name)).mode & 0o777).toBe(0o600);
    }
  });

  it("says what is wrong with a state folder that cannot be used, and what to do", async () => {
    const file = join(home, "state");
    writeFileSync(file, "");
    for (const command of [["link", "All"], ["links"], ["revoke", "All"]]) {
      const { code, stdout, stderr } = await calendar(...command, "--state-folder", file);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toBe(
        "calendar needs a state folder that can be read and written (ENOTDIR).\nName one with --state-folder.\n",
      );
    }
  });

  it("prints one where no server is reachable", async () => {
    const { code, stdout } = await calendar("print", "--area", "home", "--alarm", "7:00", "--component", "todo");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^BEGIN:VCALENDAR\r\n[\s\S]*BEGIN:VTODO[\s\S]*TRIGGER;RELATED=END:PT7H\r\n[\s\S]*END:VCALENDAR\r\n$/,
    );
    expect(stdout).not.toContain("Report");
  });

  it("says of a filter that no task has it, and leaves the calendar as it is", async () => {
    const printed = await calendar("print", "--area", "Hom");
    expect([printed.code, printed.stderr]).toEqual([0, 'No task has the area "Hom". The nearest: "Home".\n']);
    expect(printed.stdout).toMatch(/^BEGIN:VCALENDAR\r\n(?:(?!VEVENT)[\s\S])*END:VCALENDAR\r\n$/);
    const made = await calendar("link", "Wrong", "--tag", "nothing");
    expect(made.stdout).toContain('The calendar "Wrong" has 0 entries now.');
    expect(made.stdout).toContain('\n\nNo task has the tag "nothing".');
    expect((await calendar("revoke", "Wrong")).code).toBe(0);
    expect((await calendar("print", "--area", "Home")).stderr).toBe("");
  });

  it.each([
    [["subscribe"], "calendar takes link <name>, links, revoke <name> or print."],
    [["link"], "calendar link needs a name for the calendar."],
    [["revoke"], "calendar revoke needs the name of a link."],
    [["link", "x", "--alarm", "25:00"], '--alarm is "25:00", which is no time such as 08:30.'],
    [["links", "--area", "Home"], "--area says what a calendar shows; it goes with link and print, not with links."],
    [["link", "x", "--public-url", "notes.example"], '--public-url is "notes.example", which is no address'],
  ])("refuses %j", async (args, words) => {
    const { code, stderr, stdout } = await calendar(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(words);
  });

  it("may be opened by a token whose sole scope it is", async () => {
    const { writeFileSync } = await import("node:fs");
    const file = join(home, "tokens.json");
    const token = "k".repeat(43);
    const write = (scopes: readonly string[]) =>
      writeFileSync(file, JSON.stringify({ tokens: [{ name: "phone", token, scopes }] }), { mode: 0o600 });
    write(["calendar"]);
    const url = await serve("--tokens-file", file);
    expect((await fetch(`${url}/calendar/${token}.ics`)).status).toBe(200);
    write(["calendar", "read"]);
    const refused = await new Child([program, "--http", "0", vault.folder, "--tokens-file", file], own()).end("");
    expect([refused.code, refused.stderr.includes('"calendar" next to other scopes')]).toEqual([2, true]);
  });
});
