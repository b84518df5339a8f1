/** Console sessions: begun by a sign-in, listed, ended. Their token is shown once, in a cookie. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Secret } from '../core/secret.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import type { ConsoleSession, Person, SessionAtProvider, SignInMethod } from '../store/person.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './caller.ts';
import { CONSOLE_SESSION_IDLE_MS, CONSOLE_SESSION_MAX_MS, consoleSessionEndMs } from './console-session.ts';
import { newConsoleToken } from './console-token.ts';
import type { CredentialRules } from './credential-rules.ts';
import { storedOrInForce } from './end-without-store.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import { PushSubscriptions } from './push-subscriptions.ts';

/** Per person; a further sign-in ends the session that was unused for the longest time. */
export const MAX_SESSIONS_PER_PERSON = 20;
const MAX_SESSIONS_PER_ORG = LIMITS.consoleSessions.perOrganization;
const MAX_USER_AGENT_CHARS = 200;

/** Where a request comes from. */
export interface ConsoleClient {
  readonly address: string;
  readonly userAgent: string | null;
  /** The token that the browser already has; null: none. */
  readonly sessionToken: string | null;
  /** The token that ties it to the challenges that it requested; null: none. */
  readonly browserToken: string | null;
  /** Proof of an earlier sign-in in this browser (known-browsers.ts); null: none. */
  readonly browserProof: string | null;
}

/** A session that has just begun. `token` is not stored. */
export interface BegunSession {
  readonly person: Person;
  readonly session: ConsoleSession;
  readonly token: Secret;
}

export interface ConsoleSessionsOptions {
  readonly store: Pick<Store, 'consoleSessions' | 'resources'>;
  readonly rules: CredentialRules;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class ConsoleSessions {
  readonly #sessions: Store['consoleSessions'];
  readonly #rules: CredentialRules;
  readonly #clock: Pick<Clock, 'epochMs'>;
  readonly #pushes: PushSubscriptions;

  constructor({ store, rules, clock }: ConsoleSessionsOptions) {
    this.#pushes = new PushSubscriptions({ store, clock });
    this.#sessions = store.consoleSessions;
    this.#rules = rules;
    this.#clock = clock;
  }

  /**
   * Begins a session with a new token, so that an attacker cannot make a person use a session that the attacker knows. The browser's
   * earlier session ends. `provider`: null unless it begins there. Fails TOO_MANY_CONSOLE_SESSIONS.
   */
  async begin(
    person: Person,
    method: SignInMethod,
    client: ConsoleClient,
    provider: SessionAtProvider | null = null,
  ): Promise<BegunSession> {
    const nowMs = this.#clock.epochMs();
    const [createdMs, seenMs] = [nowMs - CONSOLE_SESSION_MAX_MS, nowMs - CONSOLE_SESSION_IDLE_MS];
    for (const uuid of await this.#sessions.removeExpired(createdMs, seenMs)) {
      await this.#rules.applied({ kind: 'consoleSession', uuid, record: null });
    }
    if (client.sessionToken !== null) await this.endByToken(client.sessionToken);
    await this.#makeRoom(person);
    const { token, hash } = newConsoleToken('sls_');
    const session: ConsoleSession = {
      uuid: newRuuid(),
      orgUuid: person.orgUuid,
      personUuid: person.uuid,
      tokenHash: hash,
      method,
      address: client.address,
      userAgent: client.userAgent?.slice(0, MAX_USER_AGENT_CHARS) ?? null,
      createdAtMs: nowMs,
      confirmedAtMs: nowMs,
      lastSeenAtMs: nowMs,
      provider,
    };
    await this.#sessions.add(session, {
      atMost: MAX_SESSIONS_PER_ORG,
      full: () => new GatewayError(ACCOUNT_ERRORS.TOO_MANY_CONSOLE_SESSIONS),
    });
    return { person, session, token };
  }

  /** Those that still work, in the order in which they began. `personUuid`: null for everyone's. */
  async list(orgUuid: Ruuid, personUuid: Ruuid | null): Promise<ConsoleSession[]> {
    const nowMs = this.#clock.epochMs();
    const all =
      personUuid === null
        ? await this.#sessions.list(orgUuid)
        : await this.#sessions.listByPerson(orgUuid, personUuid);
    return all.filter((session) => nowMs < consoleSessionEndMs(session));
  }

  /**
   * While the store is unavailable, too. `personUuid`: only if it is this person's; null: anyone's. Fails CONSOLE_SESSION_NOT_FOUND, and
   * like `storedOrInForce`.
   */
  async end(orgUuid: Ruuid, sessionUuid: Ruuid, personUuid: Ruuid | null): Promise<void> {
    const end = { kind: 'console', uuid: sessionUuid, ofPerson: personUuid } as const;
    const ended = await storedOrInForce(this.#rules, orgUuid, end, async () => {
      const session = await this.#sessions.find(orgUuid, sessionUuid);
      const isTheirs = session !== null && (personUuid === null || session.personUuid === personUuid);
      return isTheirs && (await this.#remove(session));
    });
    if (ended.isStored && !ended.result) throw new GatewayError(ACCOUNT_ERRORS.CONSOLE_SESSION_NOT_FOUND);
  }

  /** A person's own session, by its token. While the store is unavailable, too. Null: there is none. Fails like `storedOrInForce`. */
  async signOut(token: string, caller: Caller | null): Promise<ConsoleSession | null> {
    if (caller?.principal.kind !== 'person') return this.endByToken(token);
    const { session } = caller.principal;
    const end = { kind: 'console', uuid: session.uuid, ofPerson: session.personUuid } as const;
    const ended = await storedOrInForce(this.#rules, session.orgUuid, end, () => this.endByToken(token));
    return ended.isStored ? ended.result : session;
  }

  /** All that began as one of these subjects, or in one of these sessions, of the OIDC provider by that time. */
  async endByProvider(orgUuid: Ruuid, uuids: readonly Ruuid[], issuedAtSec: number): Promise<number> {
    let endedCount = 0;
    for (const session of await this.#sessions.listByProvider(orgUuid, uuids)) {
      // One that began later is another sign-in.
      if (session.provider === null || session.provider.issuedAtSec > issuedAtSec) continue;
      if (await this.#remove(session)) endedCount++;
    }
    return endedCount;
  }

  /** All sessions of a person except `kept`. */
  async endOthers({ orgUuid, uuid }: Pick<Person, 'orgUuid' | 'uuid'>, kept: Ruuid | null): Promise<void> {
    for (const session of await this.#sessions.listByPerson(orgUuid, uuid)) {
      if (session.uuid !== kept) await this.#remove(session);
    }
  }

  /** The session that works with this token; null: there is none. */
  async findByToken(token: string): Promise<ConsoleSession | null> {
    const session = await this.#sessions.findByTokenHash(hashApiKey(token));
    return session !== null && this.#clock.epochMs() < consoleSessionEndMs(session) ? session : null;
  }

  /** All sessions of the organization that began in this way. */
  async endByMethod(
    orgUuid: Ruuid,
    method: SignInMethod,
    isOver: (session: ConsoleSession) => Promise<boolean>,
  ): Promise<void> {
    for (const session of await this.#sessions.list(orgUuid)) {
      if (session.method === method && (await isOver(session))) await this.#remove(session);
    }
  }

  /** The session that has this token, which has ended now; null: there is none. */
  async endByToken(token: string): Promise<ConsoleSession | null> {
    const session = await this.#sessions.findByTokenHash(hashApiKey(token));
    if (session !== null) await this.#remove(session);
    return session;
  }

  async #makeRoom({ orgUuid, uuid }: Person): Promise<void> {
    const sessions = await this.#sessions.listByPerson(orgUuid, uuid);
    const leastUsed = sessions.toSorted((a, b) => a.lastSeenAtMs - b.lastSeenAtMs);
    for (const session of leastUsed.slice(0, Math.max(0, sessions.length - MAX_SESSIONS_PER_PERSON + 1))) {
      await this.#remove(session);
    }
  }

  async #remove(session: ConsoleSession): Promise<boolean> {
    const { orgUuid, uuid } = session;
    const isRemoved = await this.#sessions.remove(orgUuid, uuid);
    await this.#rules.applied({ kind: 'consoleSession', uuid, record: null });
    await this.#pushes.endOfSession(session);
    return isRemoved;
  }
}
