/** What a caller is told of failures below. */
import { expect, test } from "vitest";
import { vaultPath } from "../path.js";
import { IsLink, translate } from "./failure.js";

test("a file that was exchanged for a link under a running call is refused as a link, not taken for a failing disk", () => {
  expect(translate(new IsLink(), vaultPath("a.md"))).toMatchObject({
    code: "PERMISSION_DENIED",
    message: "'a.md' is, or runs through, a link to a place that is closed to this server.",
  });
});
