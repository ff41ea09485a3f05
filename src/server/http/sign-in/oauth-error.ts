/** OAuth failures (RFC 6749, section 5.2; RFC 7591; RFC 8707). */
import { Refusal } from "../refusal.js";

const STATUS = { invalid_client: 401, temporarily_unavailable: 503 } as const;

export class OAuthError extends Refusal {
  readonly code: string;

  constructor(code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(STATUS[code as keyof typeof STATUS] ?? 400, code, message, { headers });
    this.code = code;
  }

  override body(): object {
    return { error: this.code, error_description: this.message };
  }
}
