/**
 * The conversation with the configured provider (OpenID Connect Core 1.0 §3.1): authorization code with PKCE, state and
 * nonce. ID tokens are verified by their signature, even though they come straight from the provider.
 */

import * as openid from 'openid-client';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { OIDC_ERRORS } from './errors.ts';
import type { OidcSettings } from './oidc-settings.ts';
import { ATTEMPT_MS, FinishedAttempts, SealedValues, type SignInAttempt } from './sign-in-attempt.ts';

const PROVIDER_TIMEOUT_SEC = 10;
const CLOCK_TOLERANCE_SEC = 30;
/** What the provider says about itself is read again after this. */
const DISCOVERY_MS = 3_600_000;
/** Sign-ins whose code is being exchanged. */
const MAX_EXCHANGES = 16;
const MAX_SUBJECT_CHARS = 255;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** An error word as in RFC 6749 §4.1.2.1: short, and safe in a log. */
const ERROR_WORD = /^[\w.-]{1,64}$/;

/** Who signed in at the provider. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** null: none that the provider has verified. */
  readonly email: string | null;
  readonly name: string | null;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface FinishedSignIn {
  readonly identity: ProviderIdentity;
  readonly returnTo: string;
}

export interface OidcClientOptions {
  readonly settings: OidcSettings;
  readonly sealingKey: Uint8Array;
  /** What the sign-in is for: attempts for one purpose finish nothing for another. */
  readonly purpose: string;
  readonly redirectUri: string;
  readonly clock: Clock;
  readonly log: Log;
}

export class OidcClient {
  readonly #options: OidcClientOptions;
  readonly #attempts: SealedValues<SignInAttempt>;
  readonly #finished = new FinishedAttempts();
  #provider: Promise<openid.Configuration> | null = null;
  #readAtMonoMs = 0;
  #exchanges = 0;

  constructor(options: OidcClientOptions) {
    this.#options = options;
    this.#attempts = new SealedValues(options.sealingKey, `attempt ${options.purpose}`, options.clock);
  }

  get settings(): OidcSettings {
    return this.#options.settings;
  }

  /** Where to send the browser, and what it must keep. Fails OIDC_UNAVAILABLE. */
  async begin(returnTo: string): Promise<{ readonly location: string; readonly sealed: string }> {
    const { settings, redirectUri, clock } = this.#options;
    const provider = await this.#configuration();
    const attempt: SignInAttempt = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      codeVerifier: openid.randomPKCECodeVerifier(),
      returnTo,
      expiresAtMs: clock.epochMs() + ATTEMPT_MS,
    };
    const location = openid.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: settings.scopes.join(' '),
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(attempt.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { location: location.href, sealed: this.#attempts.seal(attempt) };
  }

  /**
   * `query`: of the callback; `sealed`: the browser's cookie. Fails OIDC_ATTEMPT_INVALID, OIDC_BUSY, OIDC_UNAVAILABLE,
   * OIDC_CANCELED, OIDC_REFUSED, OIDC_CLOCK, OIDC_RESPONSE_INVALID.
   */
  async finish(query: URLSearchParams, sealed: string | null): Promise<FinishedSignIn> {
    const attempt = this.#attempts.open(sealed);
    const states = query.getAll('state');
    if (attempt === null || states.length !== 1 || states[0] !== attempt.state) throw invalidAttempt();
    if (!this.#finished.finish(attempt.state)) throw invalidAttempt();
    if (this.#exchanges >= MAX_EXCHANGES) throw new GatewayError(OIDC_ERRORS.OIDC_BUSY);
    this.#exchanges++;
    try {
      return { identity: await this.#exchange(query, attempt), returnTo: attempt.returnTo };
    } catch (thrown) {
      // Keys and endpoints may have changed: the next sign-in reads them again.
      this.#provider = null;
      throw this.#failure(thrown);
    } finally {
      this.#exchanges--;
    }
  }

  /** Where an attempt of this browser will lead back to; null: there is none that still counts. */
  returnToOf(sealed: string | null): string | null {
    return this.#attempts.open(sealed)?.returnTo ?? null;
  }

  async #exchange(query: URLSearchParams, attempt: SignInAttempt): Promise<ProviderIdentity> {
    const provider = await this.#configuration();
    const current = new URL(this.#options.redirectUri);
    current.search = query.toString();
    const tokens = await openid.authorizationCodeGrant(provider, current, {
      pkceCodeVerifier: attempt.codeVerifier,
      expectedNonce: attempt.nonce,
      expectedState: attempt.state,
      idTokenExpected: true,
    });
    const own = tokens.claims()!;
    if (own.sub.length > MAX_SUBJECT_CHARS) throw new GatewayError(OIDC_ERRORS.OIDC_RESPONSE_INVALID);
    const hasUserInfo = provider.serverMetadata().userinfo_endpoint !== undefined;
    const more = hasUserInfo ? await openid.fetchUserInfo(provider, tokens.access_token, own.sub) : {};
    const claims: Record<string, unknown> = { ...more, ...own };
    const { email, email_verified: isVerified, name } = claims;
    return {
      issuer: own.iss,
      subject: own.sub,
      email: isVerified === true && typeof email === 'string' ? email : null,
      name: typeof name === 'string' ? name : null,
      claims,
    };
  }

  #configuration(): Promise<openid.Configuration> {
    const nowMonoMs = this.#options.clock.monoMs();
    if (this.#provider === null || nowMonoMs - this.#readAtMonoMs > DISCOVERY_MS) {
      this.#readAtMonoMs = nowMonoMs;
      const reading = this.#discover();
      this.#provider = reading;
      reading.catch(() => {
        if (this.#provider === reading) this.#provider = null;
      });
    }
    return this.#provider;
  }

  async #discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options.settings;
    const url = new URL(issuer);
    const isLocal = url.protocol === 'http:' && LOOPBACK.has(url.hostname);
    try {
      return await openid.discovery(
        url,
        clientId,
        { client_secret: clientSecret, [openid.clockTolerance]: CLOCK_TOLERANCE_SEC },
        undefined,
        {
          timeout: PROVIDER_TIMEOUT_SEC,
          execute: [openid.enableNonRepudiationChecks, ...(isLocal ? [openid.allowInsecureRequests] : [])],
        },
      );
    } catch (thrown) {
      throw this.#failure(thrown, OIDC_ERRORS.OIDC_UNAVAILABLE);
    }
  }

  /** Logs what an engineer needs, without tokens, codes or descriptions of strangers. */
  #failure(
    thrown: unknown,
    otherwise: (typeof OIDC_ERRORS)[keyof typeof OIDC_ERRORS] = OIDC_ERRORS.OIDC_RESPONSE_INVALID,
  ): GatewayError {
    if (thrown instanceof GatewayError) return thrown;
    const fault = faultOf(thrown);
    const failure = new GatewayError(meaningOf(thrown, fault) ?? otherwise, { fault });
    const { settings, purpose, log } = this.#options;
    log.warn({ code: failure.code, fault, issuer: settings.issuer, purpose }, 'single sign-on failed');
    return failure;
  }
}

function invalidAttempt(): GatewayError {
  return new GatewayError(OIDC_ERRORS.OIDC_ATTEMPT_INVALID);
}

function meaningOf(thrown: unknown, fault: string) {
  if (thrown instanceof openid.AuthorizationResponseError) {
    return fault === 'access_denied' ? OIDC_ERRORS.OIDC_CANCELED : OIDC_ERRORS.OIDC_REFUSED;
  }
  if (thrown instanceof openid.ResponseBodyError) return OIDC_ERRORS.OIDC_REFUSED;
  if (thrown instanceof openid.WWWAuthenticateChallengeError) return OIDC_ERRORS.OIDC_REFUSED;
  if (fault === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return OIDC_ERRORS.OIDC_CLOCK;
  if (fault === 'OAUTH_TIMEOUT' || fault === 'OAUTH_ABORT' || fault === 'fetch failed') {
    return OIDC_ERRORS.OIDC_UNAVAILABLE;
  }
  return null;
}

/** One word about what went wrong. */
function faultOf(thrown: unknown): string {
  const { error, code, name, message, cause } = (thrown ?? {}) as Record<string, unknown>;
  if (message === 'fetch failed') return 'fetch failed';
  const causeCode = (cause as { code?: unknown } | undefined)?.code;
  const words = [error, causeCode, code, name].filter((word) => typeof word === 'string');
  return words.find((word) => ERROR_WORD.test(word)) ?? 'unknown';
}
