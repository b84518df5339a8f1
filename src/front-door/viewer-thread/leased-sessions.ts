/**
 * The viewers of one viewer thread, by leases of their sessions (src/sharing/session-leases.ts). The gateway's thread decides: it ends a
 * lease when the access ends, and a lease that has expired opens nothing here. A lease stays until one of the two threads ends it, also if
 * another took its place: its requests may still wait.
 */

import type { Clock } from '../../core/clock.ts';
import type { AccessRefused } from '../../sharing/access-decision.ts';
import { type LeaseNote, type SessionLease, UNKNOWN_LEASE } from '../../sharing/session-leases.ts';
import { ViewerSession } from '../../sharing/viewer-session.ts';
import { RECHECK_MS, VIEWER_IDLE_MS } from '../../sharing/viewer-sessions.ts';

interface Leased {
  readonly id: number;
  readonly session: ViewerSession;
  wasSeen: boolean;
  notedBytes: number;
}

/** The report to the gateway's thread. */
export interface LeaseReport {
  readonly notes: readonly LeaseNote[];
  /** Leases of viewers that left. */
  readonly dropped: readonly number[];
}

export class LeasedSessions {
  readonly #clock: Clock;
  /** The newest of each grant. */
  readonly #byGrant = new Map<string, Leased>();
  /** All that the gateway's thread knows of. */
  readonly #byId = new Map<number, Leased>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#byGrant.size;
  }

  /** null: it is not here, or no longer valid. Hot: called for every request. */
  known(grantText: string): ViewerSession | null {
    const leased = this.#byGrant.get(grantText);
    if (leased === undefined) return null;
    leased.wasSeen = true;
    const { session } = leased;
    const nowMonoMs = this.#clock.monoMs();
    if (nowMonoMs < session.checkAtMonoMs) return session;
    const nowEpochMs = this.#clock.epochMs();
    if (!session.isDecidedFor(nowEpochMs)) return null;
    session.lastSeenMonoMs = nowMonoMs;
    session.checkAtMonoMs = nowMonoMs + Math.min(RECHECK_MS, session.validUntilEpochMs - nowEpochMs);
    return session;
  }

  /** As ViewerSessions.access, for a grant that is here. */
  access(grantText: string): ViewerSession | AccessRefused {
    return this.#byGrant.get(grantText)?.session ?? UNKNOWN_LEASE;
  }

  /** Traffic is counted for each viewer. */
  isWatched(): boolean {
    return true;
  }

  add({ id, grantText, grant, watched, start, validUntilEpochMs }: SessionLease): void {
    const session = new ViewerSession(grantText, grant, watched, start);
    session.keep({ allowed: true, validUntilEpochMs }, this.#clock.epochMs());
    const leased = { id, session, wasSeen: true, notedBytes: 0 };
    this.#byGrant.set(grantText, leased);
    this.#byId.set(id, leased);
  }

  /** The viewer may no longer watch: its waiting requests and the media in transit to it end. */
  end(id: number, refusal: AccessRefused): void {
    const leased = this.#byId.get(id);
    if (leased === undefined) return;
    this.#forget(leased);
    const { session } = leased;
    for (const request of session.waiting) request.onCutOff(refusal);
    session.waiting.clear();
    for (const connection of session.connections) connection.cutFor(session, refusal);
  }

  /** The share has another setting now. */
  change(id: number, sharesPaths: boolean): void {
    const leased = this.#byId.get(id);
    if (leased !== undefined) leased.session.sharesPaths = sharesPaths;
  }

  /** Call every second. */
  report(): LeaseReport {
    const notes: LeaseNote[] = [];
    const dropped: number[] = [];
    const nowMonoMs = this.#clock.monoMs();
    for (const leased of this.#byId.values()) {
      const { id, session } = leased;
      if (leased.wasSeen || session.isServed) {
        session.lastSeenMonoMs = nowMonoMs;
        notes.push(noteOf(leased));
      } else if (nowMonoMs - session.lastSeenMonoMs >= VIEWER_IDLE_MS) {
        this.#forget(leased);
        dropped.push(id);
      }
    }
    return { notes, dropped };
  }

  #forget({ id, session }: Leased): void {
    this.#byId.delete(id);
    if (this.#byGrant.get(session.grantText)?.id === id) this.#byGrant.delete(session.grantText);
  }
}

function noteOf(leased: Leased): LeaseNote {
  const { id, session } = leased;
  const sentBytes = session.sentBytes - leased.notedBytes;
  leased.notedBytes = session.sentBytes;
  leased.wasSeen = false;
  return { id, hasFetched: session.takeFetched(), profile: session.profile, sentBytes };
}
