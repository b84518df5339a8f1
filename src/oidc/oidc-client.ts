/**
 * The conversation with a provider (OpenID Connect Core 1.0 §3.1): authorization code with PKCE, state and
 * nonce. ID tokens are verified by their signature, even though they come straight from the provider.
 */

import * as openid from 'openid-client';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { SessionAtProvider } from '../store/person.ts';
import { OIDC_ERRORS } from './errors.ts';
import { isSameIssuer, type OidcSettings } from './oidc-settings.ts';
import { type ProviderFetch, ProviderKeys } from './provider-keys.ts';
import { logoutOf, type ProviderLogout, sessionAtProvider, textClaim } from './provider-logout.ts';
import { ATTEMPT_MS, SealedValues, type SignInAttempt, UsedOnce } from './sign-in-attempt.ts';

const PROVIDER_TIMEOUT_SEC = 10;
const CLOCK_TOLERANCE_SEC = 30;
/** How long the provider's metadata is used before it is read again. */
const DISCOVERY_MS = 3_600_000;
/** A logout token is for now (OpenID Connect Back-Channel Logout 1.0 §2.4 advises two minutes). */
const MAX_LOGOUT_AGE_SEC = 600;
/** Some providers name no type, or that of every token. */
const LOGOUT_TYPES = ['logout+jwt', 'application/logout+jwt', 'jwt'];
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** An error code of openid-client. */
const ISSUER_MISMATCH = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED';
/** An error word as in RFC 6749 §4.1.2.1: short, and safe in a log. */
const ERROR_WORD = /^[\w.-]{1,64}$/;

const UNAVAILABLE: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'ERR_JWKS_TIMEOUT',
  'fetch failed',
]);

/** A person who signed in at the provider. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** null: none that the provider has verified. */
  readonly email: string | null;
  readonly name: string | null;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The session whose end at the provider ends this one. */
  readonly session: SessionAtProvider;
}

export interface FinishedSignIn {
  readonly identity: ProviderIdentity;
  readonly returnTo: string;
  /** Who was signed in to this browser when it began; null: no one. */
  readonly personUuid: Ruuid | null;
}

export interface OidcClientOptions {
  readonly settings: OidcSettings;
  readonly sealingKey: Uint8Array;
  /** The purpose of the sign-in: an attempt for one purpose cannot finish another. */
  readonly purpose: string;
  readonly redirectUri: string;
  /** Keeps the people of one provider apart from those of another with the same issuer. Default: the configured provider. */
  readonly realm?: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How to reach the provider. Default: as Node.js does. */
  readonly fetch?: ProviderFetch;
}

/** The provider's metadata and keys. */
interface KnownProvider {
  readonly configuration: openid.Configuration;
  readonly keys: ProviderKeys;
}

export class OidcClient {
  readonly #options: OidcClientOptions;
  readonly #attempts: SealedValues<SignInAttempt>;
  readonly #finished = new UsedOnce();
  readonly #logouts = new UsedOnce();
  #provider: Promise<KnownProvider> | null = null;
  #readAtMonoMs = 0;
  readonly #exchanges = new Pool(LIMITS.providerExchanges);
  readonly #verifications = new Pool(LIMITS.providerLogouts);

  constructor(options: OidcClientOptions) {
    this.#options = options;
    this.#attempts = new SealedValues(options.sealingKey, `attempt ${options.purpose}`, options.clock);
  }

  get settings(): OidcSettings {
    return this.#options.settings;
  }

  /** Reads the provider's metadata, unless they are known. Fails OIDC_UNAVAILABLE, OIDC_RESPONSE_INVALID. */
  async discover(): Promise<void> {
    await this.#known();
  }

  /** The address for the browser, and the sealed attempt that it must keep. Fails OIDC_UNAVAILABLE. */
  async begin(
    returnTo: string,
    personUuid: Ruuid | null = null,
  ): Promise<{ readonly location: string; readonly sealed: string }> {
    const { settings, redirectUri, clock } = this.#options;
    const { configuration } = await this.#known();
    const attempt: SignInAttempt = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      codeVerifier: openid.randomPKCECodeVerifier(),
      returnTo,
      personUuid,
      expiresAtMs: clock.epochMs() + ATTEMPT_MS,
    };
    const location = openid.buildAuthorizationUrl(configuration, {
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
   * `query`: of the callback; `sealed`: the browser's cookie; `address`: the browser's. Fails OIDC_ATTEMPT_INVALID, OIDC_BUSY, OIDC_UNAVAILABLE,
   * OIDC_CANCELED, OIDC_REFUSED, OIDC_CLOCK, OIDC_RESPONSE_INVALID.
   */
  async finish(query: URLSearchParams, sealed: string | null, address: string): Promise<FinishedSignIn> {
    const attempt = this.#attempts.open(sealed);
    const states = query.getAll('state');
    if (attempt === null || states.length !== 1 || states[0] !== attempt.state) throw invalidAttempt();
    if (!this.#finished.use(attempt.state)) throw invalidAttempt();
    const place = this.#exchanges.take({ address: subscriberOf(address) });
    if (!place.isTaken) throw new GatewayError(OIDC_ERRORS.OIDC_BUSY);
    try {
      const { returnTo, personUuid = null } = attempt;
      return { identity: await this.#exchange(query, attempt), returnTo, personUuid };
    } catch (thrown) {
      // Keys and endpoints may have changed: the next sign-in reads them again.
      this.#provider = null;
      throw this.#failure(thrown);
    } finally {
      place.giveBack();
    }
  }

  /** Where an attempt of this browser will lead back to; null: there is none that still counts. */
  returnToOf(sealed: string | null): string | null {
    return this.#attempts.open(sealed)?.returnTo ?? null;
  }

  /**
   * The page where people sign out at the provider (OpenID Connect RP-Initiated Logout 1.0). We keep no ID token that could be the hint, so
   * the request names the client instead, and providers may ask the person to confirm. null: there is no such page. Fails OIDC_UNAVAILABLE.
   */
  async endSessionUrl(returnUri: string): Promise<string | null> {
    const { configuration } = await this.#known();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
    return openid.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnUri }).href;
  }

  /**
   * Carries out a logout token once, regardless of the sender; `end` can fail. Fails OIDC_LOGOUT_INVALID, OIDC_BUSY, OIDC_UNAVAILABLE, and
   * like `end`.
   */
  async logOut(
    token: string,
    address: string,
    end: (logout: ProviderLogout) => Promise<void>,
  ): Promise<void> {
    const place = this.#verifications.take({ address: subscriberOf(address) });
    if (!place.isTaken) throw new GatewayError(OIDC_ERRORS.OIDC_BUSY);
    try {
      const logout = await this.#verifyLogout(token);
      if (!this.#logouts.use(logout.jti)) throw new GatewayError(OIDC_ERRORS.OIDC_LOGOUT_INVALID);
      await end(logout).catch((failure: unknown) => {
        // The provider can send it again.
        this.#logouts.giveBack(logout.jti);
        throw failure;
      });
    } finally {
      place.giveBack();
    }
  }

  async #verifyLogout(token: string): Promise<ProviderLogout> {
    const { settings, clock } = this.#options;
    const { configuration, keys } = await this.#known();
    try {
      const claims = await keys.verifyStrangers(token, {
        issuer: configuration.serverMetadata().issuer,
        audience: settings.clientId,
        typ: LOGOUT_TYPES,
        now: new Date(clock.epochMs()),
        toleranceSec: CLOCK_TOLERANCE_SEC,
        maxAgeSec: MAX_LOGOUT_AGE_SEC,
      });
      const logout = logoutOf(claims, this.#options.realm);
      if (logout !== null) return logout;
    } catch (thrown) {
      throw this.#failure(thrown, OIDC_ERRORS.OIDC_LOGOUT_INVALID);
    }
    throw new GatewayError(OIDC_ERRORS.OIDC_LOGOUT_INVALID);
  }

  async #exchange(query: URLSearchParams, attempt: SignInAttempt): Promise<ProviderIdentity> {
    const { configuration, keys } = await this.#known();
    const current = new URL(this.#options.redirectUri);
    current.search = query.toString();
    const tokens = await openid.authorizationCodeGrant(configuration, current, {
      pkceCodeVerifier: attempt.codeVerifier,
      expectedNonce: attempt.nonce,
      expectedState: attempt.state,
      idTokenExpected: true,
    });
    await keys.verifyOwn(tokens.id_token!);
    const own = tokens.claims()!;
    if (textClaim(own.sub) === null) throw new GatewayError(OIDC_ERRORS.OIDC_RESPONSE_INVALID);
    const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
    const more = hasUserInfo ? await openid.fetchUserInfo(configuration, tokens.access_token, own.sub) : {};
    const claims: Record<string, unknown> = { ...more, ...own };
    const { email, email_verified: isVerified, name } = claims;
    const { settings, realm } = this.#options;
    const counts =
      isVerified === true || (isVerified === undefined && settings.acceptsUnverifiedEmail === true);
    return {
      issuer: own.iss,
      subject: own.sub,
      email: counts && typeof email === 'string' ? email : null,
      name: typeof name === 'string' ? name : null,
      claims,
      session: sessionAtProvider(own, realm),
    };
  }

  #known(): Promise<KnownProvider> {
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

  async #discover(): Promise<KnownProvider> {
    const { settings, fetch: fetchFromProvider = fetch } = this.#options;
    const { issuer, clientId, clientSecret } = settings;
    const url = new URL(issuer);
    const isLocal = url.protocol === 'http:' && LOOPBACK.has(url.hostname);
    try {
      const discover = (server: URL) =>
        openid.discovery(
          server,
          clientId,
          { client_secret: clientSecret, [openid.clockTolerance]: CLOCK_TOLERANCE_SEC },
          undefined,
          {
            timeout: PROVIDER_TIMEOUT_SEC,
            execute: isLocal ? [openid.allowInsecureRequests] : [],
            [openid.customFetch]: fetchFromProvider as openid.CustomFetch,
          },
        );
      const configuration = await discover(url).catch((thrown: unknown) => {
        if (!isSameIssuer(namedIssuerOf(thrown), issuer)) throw thrown;
        return discover(new URL(namedIssuerOf(thrown)));
      });
      const metadata = configuration.serverMetadata();
      const jwksUri = URL.parse(metadata.jwks_uri ?? '');
      if (jwksUri === null || !(jwksUri.protocol === 'https:' || (isLocal && jwksUri.protocol === 'http:'))) {
        throw this.#failure(Object.assign(new Error('no usable keys'), { code: 'JWKS_URI_UNUSABLE' }));
      }
      const algorithms = metadata.id_token_signing_alg_values_supported;
      return { configuration, keys: new ProviderKeys({ jwksUri, algorithms, fetch: fetchFromProvider }) };
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
    const failure = new GatewayError(meaningOf(thrown, fault) ?? otherwise, { fault }, thrown);
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
  return UNAVAILABLE.has(fault) ? OIDC_ERRORS.OIDC_UNAVAILABLE : null;
}

/**
 * The own name of a provider that was refused because that is not the configured issuer (OpenID Connect Discovery 1.0 §4.3); '': it was
 * refused for another reason.
 */
function namedIssuerOf(thrown: unknown): string {
  const { code, cause } = (thrown ?? {}) as { code?: unknown; cause?: { body?: { issuer?: unknown } } };
  const named = code === ISSUER_MISMATCH ? cause?.body?.issuer : undefined;
  return typeof named === 'string' ? named : '';
}

/** One word about what went wrong. */
function faultOf(thrown: unknown): string {
  const { error, code, name, message, cause } = (thrown ?? {}) as Record<string, unknown>;
  if (message === 'fetch failed') return 'fetch failed';
  const causeCode = (cause as { code?: unknown } | undefined)?.code;
  const words = [error, causeCode, code, name].filter((word) => typeof word === 'string');
  return words.find((word) => ERROR_WORD.test(word)) ?? 'unknown';
}
