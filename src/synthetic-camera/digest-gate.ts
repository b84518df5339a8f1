/** Digest authentication for the camera. RFC 7616, RFC 2617. One per connection, each with its own nonce. */

import { randomBytes } from 'node:crypto';
import { buildDigestChallenge, type Credentials, verifyDigest } from '../rtsp/auth.ts';
import type { RtspRequest } from '../rtsp/message.ts';

export interface CameraCredentials extends Credentials {
  readonly algorithm: 'MD5' | 'SHA-256';
}

const REALM = 'Synthetic camera';

export class DigestGate {
  readonly #credentials: CameraCredentials;
  readonly #nonce = randomBytes(16).toString('hex');

  constructor(credentials: CameraCredentials) {
    this.#credentials = credentials;
  }

  /** WWW-Authenticate value for a request without the correct response; null if it may pass. */
  challenge(request: RtspRequest): string | null {
    const authorization = request.headers.get('Authorization');
    const { algorithm } = this.#credentials;
    const expected = {
      method: request.method,
      uri: request.uri,
      realm: REALM,
      nonce: this.#nonce,
      algorithm,
      qop: 'auth',
      credentials: this.#credentials,
    } as const;
    // Clients of RFC 2069 respond without qop, which servers should accept (RFC 2617 §3.2.2).
    const isRight =
      authorization !== null &&
      (verifyDigest(authorization, expected) || verifyDigest(authorization, { ...expected, qop: 'none' }));
    return isRight ? null : buildDigestChallenge(REALM, this.#nonce, algorithm, 'auth');
  }
}
