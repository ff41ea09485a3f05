/** What is run to open a link: always with the link as an argument of its own, never through a shell. */
import { expect, it } from "vitest";
import { openerFor } from "./board.js";

const LINK = "http://127.0.0.1:3000/#login=abc";

it.each<[NodeJS.Platform, string | undefined, readonly string[]]>([
  ["linux", undefined, ["xdg-open", LINK]],
  ["linux", "", ["xdg-open", LINK]],
  ["darwin", undefined, ["open", LINK]],
  ["win32", undefined, ["rundll32", "url.dll,FileProtocolHandler", LINK]],
  ["linux", "/opt/my browser/run", ["/opt/my browser/run", LINK]],
  ["darwin", "firefox --new-window; rm", ["firefox --new-window; rm", LINK]],
])("%s, BROWSER %s", (system, browser, command) => {
  expect(openerFor(LINK, browser, system)).toEqual(command);
});
