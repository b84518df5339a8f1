/**
 * When console sessions end, and whose they are, by the hash of their token. A session lasts 30 days at most and 12 hours
 * without a request. It is its person's: their role and whether they are disabled are looked up for every request.
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ConsoleSession, Person } from '../store/person.ts';
import type { Store } from '../store/store.ts';
import { AccessCache, type ExpiringAccess } from './access-cache.ts';

export const CONSOLE_SESSION_MAX_MS = 30 * 24 * 3_600_000;
export const CONSOLE_SESSION_IDLE_MS = 12 * 3_600_000;
/** How often a running session's last request is written. */
export const SEEN_INTERVAL_MS = 60_000;
/** Sessions of which it is remembered that they were written; a forgotten one is written once more. */
const MAX_NOTED = 10_000;

/** First millisecond at which it no longer works. */
export function consoleSessionEndMs({ createdAtMs, lastSeenAtMs }: ConsoleSession): number {
  return Math.min(createdAtMs + CONSOLE_SESSION_MAX_MS, lastSeenAtMs + CONSOLE_SESSION_IDLE_MS);
}

/** The access of a session. */
export interface ConsoleAccess extends ExpiringAccess {
  readonly person: Person;
  readonly session: ConsoleSession;
}

export class ConsoleAccesses {
  readonly #store: Pick<Store, 'consoleSessions'>;
  readonly #clock: Clock;
  readonly #cache: AccessCache<ConsoleAccess>;
  /** By session, in the order of their last write. */
  readonly #notedAtMonoMs = new Map<Ruuid, number>();

  constructor(store: Pick<Store, 'consoleSessions' | 'people' | 'onChange'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#cache = new AccessCache<ConsoleAccess>({
      store,
      clock,
      restsOn: ['consoleSession', 'person'],
      async read(tokenHash) {
        const session = await store.consoleSessions.findByTokenHash(tokenHash);
        if (session === null) return null;
        const person = await store.people.find(session.orgUuid, session.personUuid);
        if (person === null || person.disabled) return null;
        const expiresAtMs = consoleSessionEndMs(session);
        return { person, session, expiresAtMs, holderUuid: person.orgUuid };
      },
    });
  }

  /** null: no session has this hash, it has ended, or its person is disabled. `isUse`: the request extends the session. */
  async find(tokenHash: string, isUse: boolean, endsAccess = false): Promise<ConsoleAccess | null> {
    const access = await this.#cache.find(tokenHash, endsAccess);
    if (access !== null && isUse) this.#noteSeen(access.session);
    return access;
  }

  /** True if this hash was valid recently. */
  knows(tokenHash: string): boolean {
    return this.#cache.knows(tokenHash);
  }

  close(): void {
    this.#cache.close();
    this.#notedAtMonoMs.clear();
  }

  #noteSeen({ orgUuid, uuid, lastSeenAtMs }: ConsoleSession): void {
    const nowMs = this.#clock.epochMs();
    const nowMonoMs = this.#clock.monoMs();
    if (nowMs - lastSeenAtMs < SEEN_INTERVAL_MS) return;
    if (nowMonoMs - (this.#notedAtMonoMs.get(uuid) ?? Number.NEGATIVE_INFINITY) < SEEN_INTERVAL_MS) return;
    this.#notedAtMonoMs.delete(uuid);
    this.#notedAtMonoMs.set(uuid, nowMonoMs);
    if (this.#notedAtMonoMs.size > MAX_NOTED) {
      this.#notedAtMonoMs.delete(this.#notedAtMonoMs.keys().next().value!);
    }
    // A request does not fail for it: the session only ends earlier than it could.
    this.#store.consoleSessions.noteSeen(orgUuid, uuid, nowMs).catch(() => undefined);
  }
}
