/**
 * Identifies callers by the credential they present: an API key, an application's access token, a page's session, or a
 * person's.
 * Every refusal is the same, so it reveals nothing about which keys or organizations exist.
 */

import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { isRuuid, type Ruuid } from '../core/ruuid.ts';
import type { ApiKeyScheme } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import { type AccessTokenCache, createAccessTokenCache, type GrantedAccess } from './access-tokens.ts';
import { type Caller, callerOf, keyOf } from './caller.ts';
import { ClientOrganizations } from './client-organizations.ts';
import { ConsoleAccesses } from './console-session.ts';
import { type EndedCredentials, endedName } from './ended-credentials.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import {
  createFederatedSessionCache,
  type FederatedSessionCache,
  federatedSessionUuid,
  isFromDomain,
  type SessionAccess,
} from './federated-session.ts';
import { KeyCache } from './key-cache.ts';
import { keyEndMs } from './key-end.ts';
import { KeyUses } from './key-uses.ts';

/** A credential, and what comes with it. */
export interface PresentedCredential {
  readonly kind: 'key' | 'token' | 'session' | 'console';
  /** SHA-256 of its text as hex (api-key-hash.ts). */
  readonly hash: string;
  /** The schemes that the caller can have. */
  readonly accepted: readonly ApiKeyScheme[];
  /** The client organization that a partner names to act for; null: the caller's own. */
  readonly namedOrg: string | null;
  /** Whether a session for one device is accepted: only by code that limits it to that device. */
  readonly admitsOneDevice: boolean;
  /** The origin of the page that presents it, as the browser reports it; null: none reported. */
  readonly origin: string | null;
  /** Whether it is only checked if it still works, which does not keep a console session going. */
  readonly isRecheck: boolean;
  /** The request can end access: if the store is unavailable, a recently read credential counts. */
  readonly endsAccess: boolean;
}

type CallerStore = Pick<
  Store,
  'apiKeys' | 'oauthGrants' | 'organizations' | 'resources' | 'people' | 'consoleSessions' | 'onChange'
>;

export class Callers {
  readonly #clients: ClientOrganizations;
  readonly #ended: EndedCredentials;
  readonly #keys: KeyCache;
  readonly #tokens: AccessTokenCache;
  readonly #sessions: FederatedSessionCache;
  readonly #consoles: ConsoleAccesses;
  readonly #clock: Clock;
  readonly #uses: KeyUses;

  /** `ended`: credentials that have ended although the store has them as active. */
  constructor(store: CallerStore, clock: Clock, ended: EndedCredentials = new Set()) {
    this.#clients = new ClientOrganizations(store, clock);
    this.#ended = ended;
    this.#keys = new KeyCache(store, clock, ended);
    this.#tokens = createAccessTokenCache(store, clock);
    this.#sessions = createFederatedSessionCache(store, clock);
    this.#consoles = new ConsoleAccesses(store, clock);
    this.#clock = clock;
    this.#uses = new KeyUses(store, clock);
  }

  /** True if this credential was valid recently. Runs no query. */
  knows({ kind, hash }: PresentedCredential): boolean {
    switch (kind) {
      case 'key':
        return this.#keys.knows(hash);
      case 'token':
        return this.#tokens.knows(hash);
      case 'session':
        return this.#sessions.knows(hash);
      case 'console':
        return this.#consoles.knows(hash);
    }
  }

  /**
   * null: the credential is unknown, has another scheme, or gives no access to the named organization. Fails API_TOKEN_EXPIRED: only someone
   * who has the key learns that.
   */
  async find(presented: PresentedCredential): Promise<Caller | null> {
    const caller = await this.#find(presented);
    const key = caller === null ? null : keyOf(caller);
    if (key !== null) this.#uses.note(key);
    return caller;
  }

  async #find(presented: PresentedCredential): Promise<Caller | null> {
    switch (presented.kind) {
      case 'key':
        return this.#ofKey(presented);
      case 'token': {
        const access = await this.#tokens.find(presented.hash, presented.endsAccess);
        return access === null || this.#hasEnded(access.key, access.grant)
          ? null
          : this.#ofToken(presented, access);
      }
      case 'session': {
        const access = await this.#sessions.find(presented.hash, presented.endsAccess);
        return access === null || this.#hasEnded(access.key) ? null : this.#ofSession(presented, access);
      }
      case 'console':
        return this.#ofConsole(presented);
    }
  }

  /** Ends the subscriptions to changes. When this resolves, the last uses of keys are stored. */
  async close(): Promise<void> {
    this.#clients.close();
    this.#keys.close();
    this.#tokens.close();
    this.#sessions.close();
    this.#consoles.close();
    await this.#uses.close();
  }

  #hasEnded(...credentials: readonly { readonly orgUuid: Ruuid; readonly uuid: Ruuid }[]): boolean {
    return this.#ended.size > 0 && credentials.some((each) => this.#ended.has(endedName(each)));
  }

  async #ofKey({ hash, accepted, namedOrg, endsAccess }: PresentedCredential): Promise<Caller | null> {
    const key = await this.#keys.find(hash, endsAccess);
    if (key === null || key.revokedAtMs !== null || !accepted.includes(key.scheme)) return null;
    if (!timingSafeEqual(Buffer.from(key.keyHash, 'hex'), Buffer.from(hash, 'hex'))) return null;
    const endMs = keyEndMs(key);
    if (this.#clock.epochMs() >= endMs) {
      throw new GatewayError(ACCOUNT_ERRORS.API_TOKEN_EXPIRED, { endedAt: new Date(endMs).toISOString() });
    }
    const orgUuid = await this.#actedOn(namedOrg, key.scheme, key.orgUuid, endsAccess);
    return orgUuid === null ? null : callerOf({ kind: 'key', key }, { orgUuid });
  }

  async #ofToken(
    { accepted, namedOrg, endsAccess }: PresentedCredential,
    { key, grant }: GrantedAccess,
  ): Promise<Caller | null> {
    const isForClient = grant.orgUuid !== key.orgUuid;
    const scheme = isForClient ? 'api' : key.scheme;
    if (!accepted.includes(scheme)) return null;
    // A partner that loses a client also loses the grants that it made there.
    if (isForClient && !(await this.#clients.isClientOf(key.orgUuid, grant.orgUuid, endsAccess))) return null;
    const orgUuid = await this.#actedOn(namedOrg, scheme, grant.orgUuid, endsAccess);
    return orgUuid === null ? null : callerOf({ kind: 'application', key, grant }, { scheme, orgUuid });
  }

  async #ofSession(
    { hash, namedOrg, origin, admitsOneDevice, endsAccess }: PresentedCredential,
    { key, orgUuid, domain, deviceUuid }: SessionAccess,
  ): Promise<Caller | null> {
    if (deviceUuid !== null && !admitsOneDevice) return null;
    if (!isFromDomain(origin ?? undefined, domain)) return null;
    const isOwn = key.orgUuid === orgUuid;
    if (!isOwn && !(await this.#clients.isClientOf(key.orgUuid, orgUuid, endsAccess))) return null;
    const actedOn = await this.#actedOn(namedOrg, 'api', orgUuid, endsAccess);
    if (actedOn === null) return null;
    const sessionUuid = federatedSessionUuid(hash);
    return callerOf({ kind: 'page', key, sessionUuid }, { scheme: 'api', orgUuid, onlyDevice: deviceUuid });
  }

  /** People act for their own organization alone. */
  async #ofConsole({
    hash,
    accepted,
    namedOrg,
    isRecheck,
    endsAccess,
  }: PresentedCredential): Promise<Caller | null> {
    if (!accepted.includes('api')) return null;
    const access = await this.#consoles.find(hash, !isRecheck, endsAccess);
    if (access === null) return null;
    const { person, session } = access;
    if (this.#hasEnded(person, session)) return null;
    if (namedOrg !== null && namedOrg !== person.orgUuid) return null;
    return callerOf({ kind: 'person', person, session });
  }

  async #actedOn(
    namedOrg: string | null,
    scheme: ApiKeyScheme,
    homeOrgUuid: Ruuid,
    endsAccess: boolean,
  ): Promise<Ruuid | null> {
    if (namedOrg === null || namedOrg === homeOrgUuid) return homeOrgUuid;
    if (scheme !== 'partner-api' || !isRuuid(namedOrg)) return null;
    return (await this.#clients.isClientOf(homeOrgUuid, namedOrg, endsAccess)) ? namedOrg : null;
  }
}
