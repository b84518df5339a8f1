/**
 * Opening a share: exchanges its link, and its password if it has one, for a grant. The only place that issues grants.
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { Counters } from '../counters/counters.ts';
import {
  type AccessDecision,
  type AccessRefused,
  type Credential,
  decideAccess,
  type RefusalReason,
} from './access-decision.ts';
import type { AttemptLimiter } from './attempt-limiter.ts';
import type { Grants } from './grant.ts';
import type { OpenLimiter } from './open-limiter.ts';
import type { Passwords } from './password.ts';
import { ProvenPasswords } from './proven-passwords.ts';
import type { ShareDirectory, ShareView } from './share-directory.ts';
import type { ShareTokens } from './share-token.ts';
import type { ViewerSessions } from './viewer-sessions.ts';

/** Reasons of the access decision, and those of the limits and the password check before it. */
export type OpeningRefusalReason = RefusalReason | 'password-wrong' | 'too-many-attempts' | 'too-many-opens';

export interface OpeningRequest {
  readonly shareToken: string;
  /** null: none was given. */
  readonly password: string | null;
  /** Of the caller, for the limits on openings and guesses. */
  readonly address: string;
  /**
   * Called as soon as at most the password is missing, so that the camera wakes while the password is typed or checked.
   */
  readonly onNear: (view: ShareView) => void;
}

export interface OpenedShare {
  readonly allowed: true;
  readonly view: ShareView;
  readonly grantText: string;
}

export interface OpeningRefused {
  readonly allowed: false;
  readonly reason: OpeningRefusalReason;
  readonly untilEpochMs: number | null;
  /** `too-many-attempts`, `too-many-opens`: when the next one is considered. */
  readonly retryAfterMs: number | null;
  /** null: the link names no share. For the log. */
  readonly shareUuid: Ruuid | null;
}

export interface ShareGateOptions {
  readonly directory: ShareDirectory;
  readonly tokens: ShareTokens;
  readonly grants: Grants;
  readonly passwords: Passwords;
  readonly limiter: AttemptLimiter;
  readonly openLimiter: OpenLimiter;
  readonly counters: Pick<Counters, 'viewerCounts'>;
  readonly sessions: Pick<ViewerSessions, 'hasPlaceFor'>;
  readonly clock: Clock;
  readonly grantLifetimeMs: number;
  /** Maximum number of concurrent viewers per share; null: no limit. */
  readonly maxViewersPerShare: number | null;
}

const MS_PER_SEC = 1_000;

/** For an address with too many passwords waiting: some of them will have been checked by then. */
const OWN_QUEUE_WAIT_MS = 2_000;

export class ShareGate {
  readonly #options: ShareGateOptions;
  readonly #proven: ProvenPasswords;

  constructor(options: ShareGateOptions) {
    this.#options = options;
    this.#proven = new ProvenPasswords(options.clock);
  }

  /** Whether this gateway made the link. Says nothing about its share, which may no longer exist. */
  isLink(shareToken: string): boolean {
    return this.#options.tokens.verify(shareToken) !== null;
  }

  /** Fails with PASSWORD_QUEUE_FULL. */
  async open(request: OpeningRequest): Promise<OpenedShare | OpeningRefused> {
    const shareUuid = this.#options.tokens.verify(request.shareToken);
    const withoutPassword = this.#decide(shareUuid, false, 0);
    const view = shareUuid === null ? undefined : this.#options.directory.find(shareUuid);
    if (view === undefined || shareUuid === null) return refuse(shareUuid, withoutPassword as AccessRefused);
    if (!withoutPassword.allowed && withoutPassword.reason !== 'password-needed') {
      return refuse(shareUuid, withoutPassword);
    }
    const waitMs = this.#options.openLimiter.take(shareUuid, request.address);
    if (waitMs > 0) return refuseFor('too-many-opens', shareUuid, waitMs);
    request.onNear(view);
    if (!withoutPassword.allowed) {
      const refusal = await this.#provePassword(view, request);
      if (refusal !== null) return refusal;
    }
    return this.#letIn(shareUuid, view, request.address);
  }

  /** Checks again, because time has passed: for the number of viewers, and above all during the password check. */
  async #letIn(shareUuid: Ruuid, proven: ShareView, address: string): Promise<OpenedShare | OpeningRefused> {
    const { directory, grants, counters, sessions, clock, grantLifetimeMs, maxViewersPerShare } =
      this.#options;
    const [viewers = 0] = maxViewersPerShare === null ? [] : await counters.viewerCounts([shareUuid]);
    const isFull = !sessions.hasPlaceFor(shareUuid, address, viewers);
    const view = directory.find(shareUuid);
    const isStillProven = view?.share.passwordHash === proven.share.passwordHash;
    const decision = this.#decide(shareUuid, isStillProven, isFull ? (maxViewersPerShare ?? 0) : 0);
    if (!decision.allowed || view === undefined) return refuse(shareUuid, decision as AccessRefused);
    const expiresAtSec = Math.ceil((clock.epochMs() + grantLifetimeMs) / MS_PER_SEC);
    return { allowed: true, view, grantText: grants.issue(shareUuid, view.share.accessEpoch, expiresAtSec) };
  }

  /** For a share that was opened a moment ago, before the response is sent; null: it may still be opened. */
  reconsider({ view, grantText }: OpenedShare): OpeningRefused | null {
    const { uuid } = view.share;
    const grant = this.#options.grants.verify(grantText);
    const decision = this.#decideFor(uuid, grant === null ? null : { kind: 'grant', ...grant }, 0);
    return decision.allowed ? null : refuse(uuid, decision);
  }

  /** null: it is correct. */
  async #provePassword(view: ShareView, request: OpeningRequest): Promise<OpeningRefused | null> {
    const { passwordHash, uuid } = view.share;
    const { password } = request;
    if (password === null || passwordHash === null) return refuseFor('password-needed', uuid);
    const attempt = this.#options.limiter.take(uuid, request.address);
    if ('retryAfterMs' in attempt) return refuseFor('too-many-attempts', uuid, attempt.retryAfterMs);
    if (!this.#proven.has(view.share, password)) {
      const turn = { group: uuid, member: subscriberOf(request.address) };
      if (this.#options.passwords.isFullFor(turn)) {
        attempt.forgive();
        return refuseFor('too-many-attempts', uuid, OWN_QUEUE_WAIT_MS);
      }
      const checked = this.#options.passwords.verify(passwordHash, password, turn);
      const isRight = await checked.catch((thrown: unknown) => {
        // The guess was not checked, so it does not count.
        attempt.forgive();
        throw thrown;
      });
      if (!isRight) return refuseFor('password-wrong', uuid);
      this.#proven.add(view.share, password);
    }
    attempt.forgive();
    return null;
  }

  #decide(shareUuid: Ruuid | null, isPasswordProven: boolean, otherViewers: number): AccessDecision {
    return this.#decideFor(
      shareUuid,
      shareUuid === null ? null : { kind: 'link', isPasswordProven },
      otherViewers,
    );
  }

  #decideFor(shareUuid: Ruuid | null, credential: Credential | null, otherViewers: number): AccessDecision {
    const nowEpochMs = this.#options.clock.epochMs();
    const view = shareUuid === null ? undefined : this.#options.directory.find(shareUuid);
    return decideAccess({
      credential,
      share: view?.share ?? null,
      schedule: view?.scheduleStateAt(nowEpochMs) ?? null,
      admittedTo: null,
      nowEpochMs,
      otherViewers,
      maxViewers: this.#options.maxViewersPerShare,
    });
  }
}

function refuse(shareUuid: Ruuid | null, { reason, untilEpochMs }: AccessRefused): OpeningRefused {
  return { allowed: false, reason, untilEpochMs, retryAfterMs: null, shareUuid };
}

function refuseFor(
  reason: OpeningRefusalReason,
  shareUuid: Ruuid,
  retryAfterMs: number | null = null,
): OpeningRefused {
  return { allowed: false, reason, untilEpochMs: null, retryAfterMs, shareUuid };
}
