/** API keys, as organizations manage them: created and shown once, listed without their text, revoked. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { expirationSecOf } from '../core/expiration-time.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Secret } from '../core/secret.ts';
import type { AccessScope } from '../store/access-scope.ts';
import { hashApiKey, makeApiKey } from '../store/api-key-hash.ts';
import type { ApiKey, ApiKeyScheme, NotedKeyUses } from '../store/entities.ts';
import type { Role } from '../store/person.ts';
import type { Room } from '../store/record-change.ts';
import type { Store } from '../store/store.ts';
import { type ApiClientType, clientTypeOf } from './api-client-type.ts';
import type { CredentialRules } from './credential-rules.ts';
import { storedOrInForce } from './end-without-store.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import { checkedScope, expectLimitable } from './limited-rights.ts';

export const MAX_API_TOKENS_PER_ORG = LIMITS.apiTokens.perOrganization;
const MS_PER_SEC = 1_000;
const MAX_REVOKED_PER_ORG = LIMITS.revokedApiTokens.perOrganization;
const ROOM: Room = {
  atMost: MAX_API_TOKENS_PER_ORG,
  full: () => new GatewayError(ACCOUNT_ERRORS.TOO_MANY_API_TOKENS),
};

/** The rights of a new key, and when it ends. */
export interface ApiTokenTerms {
  /** Default: `admin`. */
  readonly role?: Role | undefined;
  /** null, the default: the whole organization. */
  readonly scope?: AccessScope | null;
  /** As callers write it (expiration-time.ts); null, the default: it does not end. */
  readonly expirationTimeSecs?: number | null;
  /** The person in the console; null, the default: anyone else. */
  readonly createdByUuid?: Ruuid | null;
}

/** Absent: unchanged. */
export interface ApiTokenChanges {
  /** As callers write it; null: it does not end. */
  readonly expirationTimeSecs?: number | null | undefined;
  readonly role?: Role | undefined;
  /** null: the whole organization. */
  readonly scope?: AccessScope | null | undefined;
}

export class ApiTokens {
  readonly #store: Pick<Store, 'apiKeys' | 'locations' | 'cameras'>;
  readonly #rules: CredentialRules;
  readonly #clock: Clock;
  /** Requests per second that the organization can make in the long run, with all of its keys together. */
  readonly requestsPerSec: number;

  constructor(parts: {
    readonly store: Pick<Store, 'apiKeys' | 'locations' | 'cameras'>;
    readonly rules: CredentialRules;
    readonly clock: Clock;
    readonly requestsPerSec: number;
  }) {
    this.#store = parts.store;
    this.#rules = parts.rules;
    this.#clock = parts.clock;
    this.requestsPerSec = parts.requestsPerSec;
  }

  /**
   * Resolves with the key, which is not stored. A key that only reports has no role of its own. Fails API_TOKEN_UNNAMED,
   * API_TOKEN_ROLE_UNUSED, API_TOKEN_EXPIRATION_INVALID or TOO_MANY_API_TOKENS.
   */
  async create(
    orgUuid: Ruuid,
    displayName: string,
    scheme: ApiKeyScheme,
    {
      role = 'admin',
      scope: wanted = null,
      expirationTimeSecs = null,
      createdByUuid = null,
    }: ApiTokenTerms = {},
  ): Promise<Secret> {
    const name = displayName.trim();
    if (name === '') throw new GatewayError(ACCOUNT_ERRORS.API_TOKEN_UNNAMED);
    if (scheme === 'device' && (role !== 'admin' || wanted !== null)) {
      throw new GatewayError(ACCOUNT_ERRORS.API_TOKEN_ROLE_UNUSED);
    }
    const expiresAtMs = this.#endOf(expirationTimeSecs);
    const scope = await checkedScope(this.#store, orgUuid, wanted);
    expectLimitable(role, scope);
    const known = await this.#store.apiKeys.list(orgUuid);
    await this.#removeFirst(known.filter(({ revokedAtMs }) => revokedAtMs !== null));
    const secret = makeApiKey();
    const key: ApiKey = {
      uuid: newRuuid(),
      orgUuid,
      name,
      scheme,
      role,
      scope,
      keyHash: hashApiKey(secret.reveal()),
      createdByUuid,
      createdAtMs: this.#clock.epochMs(),
      revokedAtMs: null,
      expiresAtMs,
    };
    await this.#store.apiKeys.add(key, ROOM);
    return secret;
  }

  /** Fails API_TOKEN_EXPIRATION_INVALID. */
  #endOf(expirationTimeSecs: number | null): number | null {
    if (expirationTimeSecs === null) return null;
    const expiresAtSec = expirationSecOf(expirationTimeSecs, this.#clock.epochMs());
    if (expiresAtSec === null) throw new GatewayError(ACCOUNT_ERRORS.API_TOKEN_EXPIRATION_INVALID);
    return expiresAtSec * MS_PER_SEC;
  }

  /** Removes those that were revoked first: every gateway has all keys in memory. */
  async #removeFirst(revoked: readonly ApiKey[]): Promise<void> {
    const inOrder = revoked.toSorted((a, b) => a.revokedAtMs! - b.revokedAtMs!);
    const excess = inOrder.slice(0, -MAX_REVOKED_PER_ORG);
    for (const { orgUuid, uuid } of excess) await this.#store.apiKeys.remove(orgUuid, uuid);
  }

  lastUses(orgUuid: Ruuid): Promise<NotedKeyUses> {
    return this.#store.apiKeys.lastUses(orgUuid);
  }

  /** Those that are not revoked. `clientTypes`: only keys for these; absent: all. */
  async list(orgUuid: Ruuid, clientTypes?: readonly ApiClientType[]): Promise<ApiKey[]> {
    return (await this.#store.apiKeys.list(orgUuid)).filter(
      (key) =>
        key.revokedAtMs === null && (clientTypes === undefined || clientTypes.includes(clientTypeOf(key))),
    );
  }

  /**
   * Changes the role, the limits, and the end of a key that is not revoked; absent: unchanged. They apply to its next request. Fails
   * API_TOKEN_NOT_FOUND, API_TOKEN_ROLE_UNUSED, API_TOKEN_EXPIRATION_INVALID, and like `checkedScope` and `expectLimitable`.
   */
  async update(orgUuid: Ruuid, tokenUuid: Ruuid, changes: ApiTokenChanges): Promise<ApiKey> {
    const scope =
      changes.scope === undefined ? {} : { scope: await checkedScope(this.#store, orgUuid, changes.scope) };
    const role = changes.role === undefined ? {} : { role: changes.role };
    const end =
      changes.expirationTimeSecs === undefined
        ? {}
        : { expiresAtMs: this.#endOf(changes.expirationTimeSecs) };
    const changesRights = changes.role !== undefined || changes.scope !== undefined;
    const { after } = await this.#store.apiKeys.change(
      orgUuid,
      tokenUuid,
      (key) => {
        if (key === null || key.revokedAtMs !== null) {
          throw new GatewayError(ACCOUNT_ERRORS.API_TOKEN_NOT_FOUND);
        }
        if (changesRights && key.scheme !== 'api')
          throw new GatewayError(ACCOUNT_ERRORS.API_TOKEN_ROLE_UNUSED);
        const next = { ...key, ...role, ...scope, ...end };
        expectLimitable(next.role, next.scope);
        return next;
      },
      'vital',
    );
    if (after === null) throw new GatewayError(ACCOUNT_ERRORS.API_TOKEN_NOT_FOUND);
    await this.#rules.applied({ kind: 'key', uuid: tokenUuid, record: after });
    return after;
  }

  /**
   * While the store is unavailable, too. Fails API_TOKEN_NOT_FOUND, also for a key that is already revoked; API_TOKEN_END_NOT_STORED,
   * TOO_MANY_UNSTORED_TOKEN_ENDS.
   */
  async revoke(orgUuid: Ruuid, tokenUuid: Ruuid): Promise<void> {
    const decide = (key: ApiKey | null): ApiKey => {
      if (key === null || key.revokedAtMs !== null)
        throw new GatewayError(ACCOUNT_ERRORS.API_TOKEN_NOT_FOUND);
      return { ...key, revokedAtMs: this.#clock.epochMs() };
    };
    const revoked = await storedOrInForce(this.#rules, orgUuid, { kind: 'key', uuid: tokenUuid }, () =>
      this.#store.apiKeys.change(orgUuid, tokenUuid, decide, 'vital'),
    );
    const record = revoked.isStored ? revoked.result.after : null;
    if (record !== null) await this.#rules.applied({ kind: 'key', uuid: tokenUuid, record });
  }
}
