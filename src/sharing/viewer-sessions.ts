/**
 * Who watches at the moment. A media request costs one Map look-up (grant text → session) and one comparison; the
 * access decision is asked again when time may have changed it, when the share changed, and otherwise every second,
 * which also notices a wall clock that was set.
 *
 * A viewer is cut off at once: a change of the share, or the timer of its next expiry or schedule flip, ends the
 * waiting requests of all its viewers, and the media on its way to them. The published bound is one second (docs/design/access.md).
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Counters } from '../counters/counters.ts';
import {
  type AccessDecision,
  type AccessRefused,
  decideAccess,
  type SharedMedia,
} from './access-decision.ts';
import { SHARING_ERRORS } from './errors.ts';
import type { Grant, Grants } from './grant.ts';
import type { ShareDirectory } from './share-directory.ts';
import { ViewerSession } from './viewer-session.ts';

/** Longest time for which a decision is taken as it stands. */
export const RECHECK_MS = 1_000;
/** A viewer who asks for nothing this long has left; like the counters' time-out. */
export const VIEWER_IDLE_MS = 15_000;
export const MAX_VIEWER_SESSIONS = 100_000;

/** Of the longest unseen sessions, how many are looked at for one that can make room. */
const EVICTION_CANDIDATES = 64;

/** Told of viewers who come and go, with how many of the share's are on this node then. Must not throw. */
export interface ViewerObserver {
  viewerJoined(session: ViewerSession, viewers: number): void;
  viewerLeft(session: ViewerSession, viewers: number): void;
}

export interface ViewerSessionsOptions {
  readonly directory: ShareDirectory;
  readonly grants: Grants;
  readonly counters: Pick<Counters, 'viewerSeen' | 'viewerLeft' | 'localViewerCount'>;
  readonly clock: Clock;
  /** Viewers of one share at once; null: any number. */
  readonly maxViewersPerShare: number | null;
  readonly maxSessions?: number;
  readonly observer?: ViewerObserver;
}

/** The viewers of one share, and the timer that looks after them. */
interface ShareAudience {
  readonly sessions: Set<ViewerSession>;
  timer: TimerHandle | null;
  dueMonoMs: number;
}

export class ViewerSessions {
  readonly #options: ViewerSessionsOptions;
  readonly #clock: Clock;
  readonly #maxSessions: number;
  /** In the order of their last check: those that nobody asks for gather at the front. */
  readonly #sessions = new Map<string, ViewerSession>();
  readonly #audiences = new Map<Ruuid, ShareAudience>();
  readonly #unsubscribe: () => void;

  constructor(options: ViewerSessionsOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#maxSessions = options.maxSessions ?? MAX_VIEWER_SESSIONS;
    this.#unsubscribe = options.directory.onChange((shareUuid) => this.#onShareChanged(shareUuid));
  }

  get size(): number {
    return this.#sessions.size;
  }

  /**
   * The session behind a grant, or why not. Hot: called for every media request. Fails VIEWER_SESSIONS_FULL for a new
   * viewer who finds no room.
   */
  access(grantText: string): ViewerSession | AccessRefused {
    const session = this.#sessions.get(grantText);
    if (session === undefined) return this.#admit(grantText);
    return this.#clock.monoMs() < session.checkAtMonoMs ? session : this.#check(session);
  }

  /** Forgets everyone; waiting requests are left to their owners. */
  close(): void {
    this.#unsubscribe();
    for (const { timer } of this.#audiences.values()) timer?.cancel();
    this.#audiences.clear();
    this.#sessions.clear();
  }

  #admit(grantText: string): ViewerSession | AccessRefused {
    const { grants, directory, counters, maxViewersPerShare } = this.#options;
    const grant = grants.verify(grantText);
    const nowEpochMs = this.#clock.epochMs();
    const otherViewers =
      grant === null || maxViewersPerShare === null ? 0 : counters.localViewerCount(grant.shareUuid);
    const decision = this.#decide(grant, null, otherViewers, nowEpochMs);
    if (!decision.allowed) return decision;
    this.#makeRoom();
    const session = new ViewerSession(grantText, grant!, directory.find(grant!.shareUuid)!.share);
    session.keep(decision, nowEpochMs);
    this.#touch(session, nowEpochMs);
    const audience = this.#join(session);
    this.#arm(audience, session.checkAtMonoMs);
    this.#options.observer?.viewerJoined(session, audience.sessions.size);
    return session;
  }

  /** The viewer asks again after a while. */
  #check(session: ViewerSession): ViewerSession | AccessRefused {
    const nowEpochMs = this.#clock.epochMs();
    const refusal = this.#review(session, nowEpochMs);
    if (refusal !== null) return refusal;
    this.#touch(session, nowEpochMs);
    return session;
  }

  /** The viewer is there: seen now, last in order, and good for the next while. */
  #touch(session: ViewerSession, nowEpochMs: number): void {
    this.#sessions.delete(session.grantText);
    this.#sessions.set(session.grantText, session);
    this.#noteSeen(session);
    session.checkAtMonoMs = session.lastSeenMonoMs + untilLook(session, nowEpochMs);
  }

  /** Decides anew if need be; a viewer who is refused is cut off. */
  #review(session: ViewerSession, nowEpochMs: number): AccessRefused | null {
    if (session.isDecidedFor(nowEpochMs)) return null;
    const decision = this.#decideFor(session, nowEpochMs);
    if (decision.allowed) {
      session.keep(decision, nowEpochMs);
      return null;
    }
    this.#cutOff(session, decision);
    return decision;
  }

  /** Who is in counts towards the limit already, and is not asked about it again. */
  #decideFor(session: ViewerSession, nowEpochMs: number): AccessDecision {
    return this.#decide(session.grant, session, Number.NEGATIVE_INFINITY, nowEpochMs);
  }

  #decide(
    grant: Grant | null,
    admittedTo: SharedMedia | null,
    otherViewers: number,
    nowEpochMs: number,
  ): AccessDecision {
    const view = grant === null ? undefined : this.#options.directory.find(grant.shareUuid);
    return decideAccess({
      credential: grant === null ? null : { kind: 'grant', ...grant },
      share: view?.share ?? null,
      schedule: view?.scheduleStateAt(nowEpochMs) ?? null,
      admittedTo,
      nowEpochMs,
      otherViewers,
      maxViewers: this.#options.maxViewersPerShare,
    });
  }

  #noteSeen(session: ViewerSession): void {
    session.lastSeenMonoMs = this.#clock.monoMs();
    this.#options.counters.viewerSeen(session.shareUuid, session.grant.viewerId);
  }

  #onShareChanged(shareUuid: Ruuid): void {
    const audience = this.#audiences.get(shareUuid);
    if (audience === undefined) return;
    for (const session of audience.sessions) session.doubt();
    this.#look(shareUuid, audience);
  }

  /** Cuts off whoever may no longer watch, forgets who left, and sets the timer for the next look. */
  #look(shareUuid: Ruuid, audience: ShareAudience): void {
    audience.timer?.cancel();
    audience.timer = null;
    const nowEpochMs = this.#clock.epochMs();
    const nowMonoMs = this.#clock.monoMs();
    let nextLookMs = RECHECK_MS;
    for (const session of audience.sessions) {
      if (this.#review(session, nowEpochMs) !== null) continue;
      if (session.isServed) this.#noteSeen(session);
      if (nowMonoMs - session.lastSeenMonoMs >= VIEWER_IDLE_MS) this.#forget(session);
      else nextLookMs = Math.min(nextLookMs, untilLook(session, nowEpochMs));
    }
    if (this.#audiences.get(shareUuid) === audience) this.#arm(audience, nowMonoMs + nextLookMs);
  }

  #arm(audience: ShareAudience, dueMonoMs: number): void {
    if (audience.timer !== null && audience.dueMonoMs <= dueMonoMs) return;
    audience.timer?.cancel();
    audience.dueMonoMs = dueMonoMs;
    const shareUuid = audience.sessions.values().next().value!.shareUuid;
    const delayMs = Math.max(1, dueMonoMs - this.#clock.monoMs());
    audience.timer = this.#clock.after(delayMs, () => this.#look(shareUuid, audience));
  }

  #join(session: ViewerSession): ShareAudience {
    let audience = this.#audiences.get(session.shareUuid);
    if (audience === undefined) {
      audience = { sessions: new Set(), timer: null, dueMonoMs: 0 };
      this.#audiences.set(session.shareUuid, audience);
    }
    audience.sessions.add(session);
    return audience;
  }

  #cutOff(session: ViewerSession, refusal: AccessRefused): void {
    this.#forget(session);
    for (const request of session.waiting) request.onCutOff(refusal);
    session.waiting.clear();
    for (const answer of session.answers) answer.cut();
  }

  #forget(session: ViewerSession): void {
    const audience = this.#audiences.get(session.shareUuid);
    this.#sessions.delete(session.grantText);
    audience?.sessions.delete(session);
    if (audience?.sessions.size === 0) {
      audience.timer?.cancel();
      this.#audiences.delete(session.shareUuid);
    }
    this.#options.counters.viewerLeft(session.shareUuid, session.grant.viewerId);
    this.#options.observer?.viewerLeft(session, audience?.sessions.size ?? 0);
  }

  #makeRoom(): void {
    if (this.#sessions.size < this.#maxSessions) return;
    let candidates = EVICTION_CANDIDATES;
    for (const session of this.#sessions.values()) {
      if (!session.isServed) {
        this.#forget(session);
        return;
      }
      if (--candidates === 0) break;
    }
    throw new GatewayError(SHARING_ERRORS.VIEWER_SESSIONS_FULL, { maxSessions: this.#maxSessions });
  }
}

/** Milliseconds until the session has to be looked at again. */
function untilLook(session: ViewerSession, nowEpochMs: number): number {
  return Math.min(RECHECK_MS, session.validUntilEpochMs - nowEpochMs);
}
