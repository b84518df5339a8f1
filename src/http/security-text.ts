/** `/.well-known/security.txt` (RFC 9116): whom to tell about a vulnerability of this installation. Both listeners serve it. */

import type { FastifyReply } from 'fastify';

export const SECURITY_TEXT_PATH = '/.well-known/security.txt';

/** From the setting `security`. */
export interface SecurityText {
  /** URIs, in order of preference. */
  readonly contact: readonly string[];
  /** Readers must not use the file after this time. */
  readonly expiresEpochMs: number;
  /** Where the operator's rules for reports are. */
  readonly policy: string | null;
}

/** The setting `security` in the form that threads exchange; null: it is not set. */
export function securityTextOf(setting: {
  readonly contact: readonly string[];
  readonly expiresEpochMs: number | null;
  readonly policy: string | null;
}): SecurityText | null {
  const { contact, expiresEpochMs, policy } = setting;
  return contact.length === 0 || expiresEpochMs === null ? null : { contact, expiresEpochMs, policy };
}

/** Sends the file; false if there is none, or if it has expired (RFC 9116 §2.5.5). */
export function sendSecurityText(reply: FastifyReply, text: SecurityText | null, epochMs: number): boolean {
  if (text === null || epochMs >= text.expiresEpochMs) return false;
  const fields = [
    ...text.contact.map((uri) => `Contact: ${uri}`),
    `Expires: ${new Date(text.expiresEpochMs).toISOString().replace('.000', '')}`,
    ...(text.policy === null ? [] : [`Policy: ${text.policy}`]),
  ];
  reply
    .code(200)
    .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' })
    .send(`${fields.join('\n')}\n`);
  return true;
}
