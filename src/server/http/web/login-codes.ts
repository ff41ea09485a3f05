/** One-time codes in links that log a browser in: 128 bits, for two minutes, each good once (spec: web, section 2). */
import { randomBytes } from "node:crypto";
import type { Caller } from "../guards.js";
import { digestOf } from "../tokens.js";

const LIFE_MS = 2 * 60_000;
const MOST = 100;

interface Offer {
  /** Whose session it begins. */
  readonly caller: Caller;
  readonly until: number;
}

export class LoginCodes {
  readonly #now: () => number;
  /** By the code's digest, oldest first: the codes themselves are not kept. */
  readonly #offers = new Map<string, Offer>();

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Past so many the oldest one is good no longer. */
  make(caller: Caller): string {
    const code = randomBytes(16).toString("base64url");
    this.#offers.set(nameOf(code), { caller, until: this.#now() + LIFE_MS });
    if (this.#offers.size > MOST) this.#forget([...this.#offers.keys()][0]);
    return code;
  }

  /** Who the code logs in; it is used up. Undefined: there is none such, or none any more. */
  redeem(code: string): Caller | undefined {
    const name = nameOf(code);
    const offer = this.#offers.get(name);
    this.#forget(name);
    return offer && this.#now() < offer.until ? offer.caller : undefined;
  }

  #forget(name: string | undefined): void {
    if (name !== undefined) this.#offers.delete(name);
  }
}

/** Found by its digest, so that the time of a look says nothing about codes that are near. */
const nameOf = (code: string): string => digestOf(code).toString("hex");
