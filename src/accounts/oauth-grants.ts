/**
 * The life of a grant: a code for the application that got consent, tokens for the code, new tokens for a refresh token, and its end. Codes
 * and refresh tokens work once. A second use means that it was stolen, so the whole grant ends (RFC 6749 §4.1.2, RFC 9700 §4.14.2). Only
 * hashes are stored.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import type { OAuthApplication, OAuthGrant, OAuthToken, OAuthTokenKind } from '../store/oauth.ts';
import type { Room } from '../store/record-change.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './caller.ts';
import type { CredentialRules } from './credential-rules.ts';
import { storedOrInForce } from './end-without-store.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import { isKeyWorking } from './key-end.ts';
import { codeChallengeOf, newOAuthSecret, type OAuthSecretPrefix } from './oauth-secret.ts';

export const CODE_LIFETIME_MS = 60_000;
export const ACCESS_TOKEN_LIFETIME_MS = 3_600_000;
/** The longest time between two refreshes. */
export const REFRESH_TOKEN_LIFETIME_MS = 30 * 24 * 3_600_000;
const ROOM: Room = {
  atMost: LIMITS.oauthGrants.perOrganization,
  full: () => new GatewayError(ACCOUNT_ERRORS.TOO_MANY_OAUTH_GRANTS),
};

type GrantStore = Pick<Store, 'oauthGrants' | 'apiKeys'>;

/** Tokens, as sent to the application. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSec: number;
}

/** An application's request to exchange a code. */
export interface CodePresentation {
  readonly code: string;
  readonly codeVerifier: string;
  /** null: the request had none. */
  readonly redirectUri: string | null;
}

export class OAuthGrants {
  readonly #store: GrantStore;
  readonly #rules: CredentialRules;
  readonly #clock: Clock;

  constructor(parts: { readonly store: GrantStore; readonly rules: CredentialRules; readonly clock: Clock }) {
    this.#store = parts.store;
    this.#rules = parts.rules;
    this.#clock = parts.clock;
  }

  /**
   * Lets `application` act for the caller's organization. Resolves with the code. Fails TOO_MANY_OAUTH_GRANTS,
   * OAUTH_APPLICATION_CANNOT_CONSENT.
   */
  async begin(
    caller: Caller,
    application: OAuthApplication,
    request: { readonly codeChallenge: string; readonly redirectUri: string | null },
  ): Promise<string> {
    const { principal } = caller;
    if (principal.kind !== 'key') throw new GatewayError(ACCOUNT_ERRORS.OAUTH_APPLICATION_CANNOT_CONSENT);
    const { key } = principal;
    await this.#store.oauthGrants.removeExpired(this.#clock.epochMs());
    const grant: OAuthGrant = {
      uuid: newRuuid(),
      orgUuid: caller.orgUuid,
      clientUuid: application.uuid,
      keyUuid: key.uuid,
      keyOrgUuid: key.orgUuid,
      codeChallenge: request.codeChallenge,
      redirectUri: request.redirectUri,
      createdAtMs: this.#clock.epochMs(),
    };
    const { text, token } = this.#newToken(grant, 'code', 'slo_ac_', CODE_LIFETIME_MS);
    await this.#store.oauthGrants.begin(grant, token, ROOM);
    return text;
  }

  /** Tokens for a code. Fails OAUTH_INVALID_GRANT. */
  async exchangeCode(application: OAuthApplication, presented: CodePresentation): Promise<IssuedTokens> {
    const { token, grant } = await this.#findUsable(application, presented.code, 'code');
    const expectedUri = grant.redirectUri ?? application.redirectUri;
    const namesUri = presented.redirectUri !== null;
    if (namesUri ? presented.redirectUri !== expectedUri : grant.redirectUri !== null) {
      throw invalidGrant('redirect_uri differs from the one in the authorization request.');
    }
    if (codeChallengeOf(presented.codeVerifier) !== grant.codeChallenge) {
      throw invalidGrant('code_verifier does not match the code_challenge of the authorization request.');
    }
    return this.#exchange(grant, token);
  }

  /** New tokens for a refresh token, which is then used up. Fails OAUTH_INVALID_GRANT. */
  async refresh(application: OAuthApplication, refreshToken: string): Promise<IssuedTokens> {
    const { token, grant } = await this.#findUsable(application, refreshToken, 'refresh');
    return this.#exchange(grant, token);
  }

  /** RFC 7009 §2.1: revoking a refresh token ends its grant, an access token only itself. Anything else is ignored. */
  async revokeToken(application: OAuthApplication, text: string): Promise<void> {
    const found = await this.#store.oauthGrants.findToken(hashApiKey(text));
    if (found === null || found.grant.clientUuid !== application.uuid) return;
    const { token, grant } = found;
    if (token.kind === 'access') {
      await this.#store.oauthGrants.removeToken(grant, token.tokenHash);
      await this.#rules.applied({ kind: 'tokens', ended: { tokenHash: token.tokenHash } });
    } else {
      await this.#store.oauthGrants.remove(grant.orgUuid, grant.uuid);
      await this.#rules.applied({ kind: 'tokens', ended: { grantUuid: grant.uuid } });
    }
  }

  /** The organization's grants that are not revoked. */
  async list(orgUuid: Ruuid): Promise<OAuthGrant[]> {
    await this.#store.oauthGrants.removeExpired(this.#clock.epochMs());
    return this.#store.oauthGrants.list(orgUuid);
  }

  /** While the store is unavailable, too. Fails OAUTH_GRANT_NOT_FOUND, and like `storedOrInForce`. */
  async remove(orgUuid: Ruuid, grantUuid: Ruuid): Promise<void> {
    const removed = await storedOrInForce(this.#rules, orgUuid, { kind: 'grant', uuid: grantUuid }, () =>
      this.#store.oauthGrants.remove(orgUuid, grantUuid),
    );
    if (!removed.isStored) return;
    if (!removed.result) throw new GatewayError(ACCOUNT_ERRORS.OAUTH_GRANT_NOT_FOUND);
    await this.#rules.applied({ kind: 'tokens', ended: { grantUuid } });
  }

  async #findUsable(
    application: OAuthApplication,
    text: string,
    kind: OAuthTokenKind,
  ): Promise<{ token: OAuthToken; grant: OAuthGrant }> {
    const found = await this.#store.oauthGrants.findToken(hashApiKey(text));
    if (found === null || found.token.kind !== kind || found.grant.clientUuid !== application.uuid) {
      throw invalidGrant();
    }
    const { token, grant } = found;
    if (token.usedAtMs !== null) throw await this.#reused(grant);
    if (this.#clock.epochMs() >= token.expiresAtMs) throw invalidGrant();
    const key = await this.#store.apiKeys.find(grant.keyOrgUuid, grant.keyUuid);
    if (key === null || !isKeyWorking(key, this.#clock.epochMs())) throw invalidGrant();
    return found;
  }

  async #exchange(grant: OAuthGrant, used: OAuthToken): Promise<IssuedTokens> {
    const access = this.#newToken(grant, 'access', 'slo_at_', ACCESS_TOKEN_LIFETIME_MS);
    const refresh = this.#newToken(grant, 'refresh', 'slo_rt_', REFRESH_TOKEN_LIFETIME_MS);
    const nowMs = this.#clock.epochMs();
    const isFirst = await this.#store.oauthGrants.exchange(used.tokenHash, nowMs, [
      access.token,
      refresh.token,
    ]);
    if (!isFirst) throw await this.#reused(grant);
    return {
      accessToken: access.text,
      refreshToken: refresh.text,
      expiresInSec: ACCESS_TOKEN_LIFETIME_MS / 1_000,
    };
  }

  async #reused(grant: OAuthGrant): Promise<GatewayError> {
    await this.#store.oauthGrants.remove(grant.orgUuid, grant.uuid);
    await this.#rules.applied({ kind: 'tokens', ended: { grantUuid: grant.uuid } });
    return invalidGrant();
  }

  #newToken(
    grant: OAuthGrant,
    kind: OAuthTokenKind,
    prefix: OAuthSecretPrefix,
    lifetimeMs: number,
  ): { readonly text: string; readonly token: OAuthToken } {
    const text = newOAuthSecret(prefix);
    const expiresAtMs = this.#clock.epochMs() + lifetimeMs;
    const tokenHash = hashApiKey(text);
    return { text, token: { tokenHash, grantUuid: grant.uuid, kind, expiresAtMs, usedAtMs: null } };
  }
}

function invalidGrant(sentence?: string): GatewayError {
  return new GatewayError(ACCOUNT_ERRORS.OAUTH_INVALID_GRANT, sentence === undefined ? {} : { sentence });
}
