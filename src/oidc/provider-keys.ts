/**
 * The keys with which the provider signs, read when they are needed (RFC 7517). A token names its key, and providers change
 * their keys at any time: an unknown key is a reason to read them again, but strangers must not make us ask without end.
 */

import { compactVerify, createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';

const READ_TIMEOUT_MS = 10_000;
/** Keys that the provider no longer publishes do not count for longer. */
const MAX_AGE_MS = 300_000;
/** Tokens of strangers have the keys read at most once in this time. */
const STRANGERS_COOLDOWN_MS = 10_000;
/** OpenID Connect Core 1.0 §3.1.3.7: what providers use that announce nothing. */
const DEFAULT_ALGORITHMS = ['RS256'];
/** A symmetric key would have to be the client secret, which signs nothing here; `none` means unsigned. */
const NOT_BY_KEY = /^(?:HS\d+|none)$/;

/** Fetches a URL of the provider. */
export type ProviderFetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface ProviderKeysOptions {
  readonly jwksUri: URL;
  /** Those that the provider announces; undefined: none. */
  readonly algorithms: readonly string[] | undefined;
  readonly fetch: ProviderFetch;
}

/** The required claims of a token that anyone may have sent. */
export interface ExpectedClaims {
  readonly issuer: string;
  readonly audience: string;
  readonly typ: readonly string[];
  readonly now: Date;
  readonly toleranceSec: number;
  readonly maxAgeSec: number;
}

export class ProviderKeys {
  readonly #keys: ReturnType<typeof createRemoteJWKSet>;
  readonly #algorithms: string[];

  constructor({ jwksUri, algorithms = DEFAULT_ALGORITHMS, fetch }: ProviderKeysOptions) {
    this.#algorithms = algorithms.filter((algorithm) => !NOT_BY_KEY.test(algorithm));
    this.#keys = createRemoteJWKSet(jwksUri, {
      timeoutDuration: READ_TIMEOUT_MS,
      cacheMaxAge: MAX_AGE_MS,
      cooldownDuration: STRANGERS_COOLDOWN_MS,
      [customFetch]: fetch,
    });
  }

  /**
   * Verifies the signature of a token that the provider itself just sent. If no known key made it, the keys are read again, once: its code
   * is used up, so there is no second try. Rejects with errors of jose and fetch.
   */
  async verifyOwn(token: string): Promise<void> {
    const verify = () => compactVerify(token, this.#keys, { algorithms: this.#algorithms });
    try {
      await verify();
    } catch (thrown) {
      if (!isOfUnknownKey(thrown)) throw thrown;
      await this.#keys.reload();
      await verify();
    }
  }

  /** Signature and standard claims of a token that anyone may have sent. Rejects with errors of jose and fetch. */
  async verifyStrangers(token: string, expected: ExpectedClaims): Promise<JWTPayload> {
    const { payload, protectedHeader } = await jwtVerify(token, this.#keys, {
      algorithms: this.#algorithms,
      issuer: expected.issuer,
      audience: expected.audience,
      currentDate: expected.now,
      clockTolerance: expected.toleranceSec,
      maxTokenAge: expected.maxAgeSec,
      requiredClaims: ['exp', 'iat', 'jti'],
    });
    const { typ } = protectedHeader;
    if (typ !== undefined && !expected.typ.includes(typ.toLowerCase())) {
      throw new errors.JWTInvalid('another kind of token');
    }
    return payload;
  }
}

/** Also if a new key has the old one's name, or none. */
function isOfUnknownKey(thrown: unknown): boolean {
  return (
    thrown instanceof errors.JWKSNoMatchingKey || thrown instanceof errors.JWSSignatureVerificationFailed
  );
}
