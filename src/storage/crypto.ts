/** Node's cryptography at its first use: loading it takes two milliseconds, which a call that only reads need not spend. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
export const loadCrypto = (): typeof import("node:crypto") => require("node:crypto") as typeof import("node:crypto");
