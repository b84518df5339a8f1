/**
 * A client's memory of authentication within one connection: the camera's newest challenge, how often its nonce has been
 * used, and whether the credentials have ever been accepted.
 *
 * A 401 to a request with credentials means that they are wrong, and is final: repeated attempts would lock the account
 * on many cameras. There are two exceptions: the camera says `stale=true`, or the nonce changed after the credentials
 * had been accepted (Hikvision and others renew nonces silently). Both get one more attempt.
 */

import { GatewayError } from '../core/errors.ts';
import { buildAuthorization, type Challenge, type Credentials, parseChallenge } from './auth.ts';
import { RTSP_ERRORS } from './errors.ts';
import type { RtspHeaders } from './headers.ts';

/** 401 responses that one request may get before the client gives up: none, first, stale. */
const MAX_TRIES = 3;

/** A request that got a 401. */
export interface ChallengedRequest {
  readonly method: string;
  /** How often it has been sent. */
  readonly tries: number;
  readonly wasAuthorized: boolean;
}

export class Authenticator {
  readonly #credentials: Credentials | null;
  readonly #makeCnonce: () => string;
  #challenge: Challenge | null = null;
  #nonceCount = 0;
  #areCredentialsProven = false;

  /** `makeCnonce`: unpredictable text of letters and digits. */
  constructor(credentials: Credentials | null, makeCnonce: () => string) {
    this.#credentials = credentials;
    this.#makeCnonce = makeCnonce;
  }

  /** Authorization value for the next request; null before the camera's first challenge. */
  authorize(method: string, uri: string): string | null {
    if (this.#challenge === null || this.#credentials === null) return null;
    this.#nonceCount += 1;
    const request = { method, uri, nonceCount: this.#nonceCount, cnonce: this.#makeCnonce() };
    return buildAuthorization(this.#challenge, this.#credentials, request);
  }

  /** A request with credentials got a response other than 401. */
  accepted(): void {
    this.#areCredentialsProven = true;
  }

  /** Reads a 401 response. Returns null if the request should be sent once more, otherwise the reason not to. */
  challenged(request: ChallengedRequest, headers: RtspHeaders): GatewayError | null {
    const { method } = request;
    const challenge = parseChallenge(headers.all('WWW-Authenticate'));
    if (challenge === null) return new GatewayError(RTSP_ERRORS.RTSP_AUTH_UNSUPPORTED, { method });
    if (this.#credentials === null) {
      return new GatewayError(RTSP_ERRORS.RTSP_AUTH_FAILED, { method, reason: 'no-credentials-configured' });
    }
    if (request.tries >= MAX_TRIES || (request.wasAuthorized && !this.#mayBeStale(challenge))) {
      return new GatewayError(RTSP_ERRORS.RTSP_AUTH_FAILED, { method, reason: 'wrong-credentials' });
    }
    this.#challenge = challenge;
    this.#nonceCount = 0;
    return null;
  }

  #mayBeStale(challenge: Challenge): boolean {
    if (challenge.scheme === 'basic') return false;
    if (challenge.isStale) return true;
    const previousNonce = this.#challenge?.scheme === 'digest' ? this.#challenge.nonce : null;
    return this.#areCredentialsProven && challenge.nonce !== previousNonce;
  }
}
