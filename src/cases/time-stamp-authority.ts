/** Asks a time stamp authority when a case was sealed (RFC 3161 over HTTP, §3.4). */

import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { withDeadline } from '../core/deadline.ts';
import { GatewayError } from '../core/errors.ts';
import { derOf } from '../evidence/der.ts';
import { checkTimeStamp, nonceOf } from '../evidence/time-stamp.ts';
import { callHttp, type HttpResponse } from '../network/http-call.ts';
import { CASE_ERRORS } from './errors.ts';

const TIMEOUT_MS = 20_000;
/** With the certificates of the authority. */
const MAX_RESPONSE_BYTES = 65_536;
const NONCE_BYTES = 8;
const TAG = { boolean: 0x01, integer: 0x02, octetString: 0x04, sequence: 0x30 } as const;
const VERSION_1 = Uint8Array.of(1);
/** AlgorithmIdentifier of SHA-256. */
const SHA_256 = Buffer.from('300d06096086480165030402010500', 'hex');
const YES = Uint8Array.of(0xff);

export class TimeStampAuthority {
  readonly #url: URL;
  readonly #clock: Pick<Clock, 'after'>;

  constructor(url: string, clock: Pick<Clock, 'after'>) {
    this.#url = new URL(url);
    this.#clock = clock;
  }

  /** The response (TimeStampResp) for the bytes, with the certificate of the authority. Fails TIME_STAMP_UNAVAILABLE, TIME_STAMP_INVALID. */
  async stamp(bytes: Uint8Array): Promise<Buffer> {
    // The first bit is not that of a sign, and the first byte is not zero.
    const nonce = randomBytes(NONCE_BYTES);
    nonce[0] = (nonce[0]! & 0x7f) | 0x40;
    const response = await this.#post(requestOf(bytes, nonce));
    const { body, status } = response;
    if (status !== 200) throw new GatewayError(CASE_ERRORS.TIME_STAMP_UNAVAILABLE, { status });
    const { state } = await checkTimeStamp(body, bytes);
    if (state === 'changed' || nonceOf(body) !== nonce.toString('hex')) {
      throw new GatewayError(CASE_ERRORS.TIME_STAMP_INVALID);
    }
    return body;
  }

  async #post(body: Uint8Array): Promise<HttpResponse> {
    const headers = {
      'content-type': 'application/timestamp-query',
      'content-length': String(body.length),
      accept: 'application/timestamp-reply',
    };
    try {
      return await withDeadline(this.#clock, TIMEOUT_MS, (signal) =>
        callHttp({ url: this.#url, method: 'POST', headers, body, signal }, MAX_RESPONSE_BYTES),
      );
    } catch (thrown) {
      throw new GatewayError(CASE_ERRORS.TIME_STAMP_UNAVAILABLE, { host: this.#url.host }, thrown);
    }
  }
}

/** TimeStampReq (§2.4.1), which asks for the certificate, too. */
function requestOf(bytes: Uint8Array, nonce: Uint8Array): Uint8Array {
  const hash = createHash('sha256').update(bytes).digest();
  return derOf(
    TAG.sequence,
    derOf(TAG.integer, VERSION_1),
    derOf(TAG.sequence, SHA_256, derOf(TAG.octetString, hash)),
    derOf(TAG.integer, nonce),
    derOf(TAG.boolean, YES),
  );
}
