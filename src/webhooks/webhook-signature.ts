/**
 * Signatures of deliveries: HMAC-SHA256 (RFC 2104) over the time and the body, so that a recorded delivery cannot
 * be replayed later. `x-sluice-signature: t=<epoch seconds>,v1=<hex>`, over `<epoch seconds>.<body>`.
 */

import { createHmac, randomBytes } from 'node:crypto';
import { Secret } from '../core/secret.ts';

export const SIGNATURE_HEADER = 'x-sluice-signature';

const SECRET_BYTES = 32;

export function newWebhookSecret(): Secret {
  return new Secret(randomBytes(SECRET_BYTES).toString('base64url'));
}

/** The header's value. */
export function webhookSignature(secret: Secret, epochSec: number, body: string): string {
  const digest = createHmac('sha256', secret.reveal()).update(`${epochSec}.${body}`).digest('hex');
  return `t=${epochSec},v1=${digest}`;
}
