/** One viewer of one share, for as long as they keep asking: the access decision as it stands, and who waits on it. */

import type { Ruuid } from '../core/ruuid.ts';
import type { Share } from '../store/entities.ts';
import type { Audience } from '../stream/live-media.ts';
import type { AccessAllowed, AccessRefused } from './access-decision.ts';
import type { Grant } from './grant.ts';

/** A request that waits for bytes. It is told at once when its viewer may no longer have them. */
export interface WaitingRequest {
  onCutOff(refusal: AccessRefused): void;
}

export class ViewerSession {
  readonly allowed = true;
  readonly grantText: string;
  readonly grant: Grant;
  /** The share's. */
  readonly orgUuid: Ruuid;
  readonly cameraUuid: Ruuid;
  readonly audience: Audience;
  /** Requests of this viewer that wait; whoever waits adds and removes itself. */
  readonly waiting = new Set<WaitingRequest>();
  /** The stream whose media this viewer was given last; null before any. Set by the front door. */
  profile: 'main' | 'sub' | null = null;
  /** Monotonic time up to which a request needs no look at the viewer: its one comparison. Set by ViewerSessions. */
  checkAtMonoMs = Number.NEGATIVE_INFINITY;
  /** Precise to RECHECK_MS. Set by ViewerSessions. */
  lastSeenMonoMs = 0;
  #decidedAtEpochMs = Number.POSITIVE_INFINITY;
  #validUntilEpochMs = Number.NEGATIVE_INFINITY;

  constructor(
    grantText: string,
    grant: Grant,
    share: Pick<Share, 'orgUuid' | 'cameraUuid' | 'includeAudio'>,
  ) {
    this.grantText = grantText;
    this.grant = grant;
    this.orgUuid = share.orgUuid;
    this.cameraUuid = share.cameraUuid;
    this.audience = share.includeAudio ? 'sound' : 'silent';
  }

  get shareUuid(): Ruuid {
    return this.grant.shareUuid;
  }

  get includeAudio(): boolean {
    return this.audience === 'sound';
  }

  /** First instant at which time alone may end the access; Infinity: never. */
  get validUntilEpochMs(): number {
    return this.#validUntilEpochMs;
  }

  /** Whether the decision kept last still stands, as far as time goes. A wall clock that went back ends it as well. */
  isDecidedFor(nowEpochMs: number): boolean {
    return nowEpochMs >= this.#decidedAtEpochMs && nowEpochMs < this.#validUntilEpochMs;
  }

  keep(decision: AccessAllowed, nowEpochMs: number): void {
    this.#decidedAtEpochMs = nowEpochMs;
    this.#validUntilEpochMs = decision.validUntilEpochMs;
  }

  /** What the decision was made from has changed. */
  doubt(): void {
    this.#validUntilEpochMs = Number.NEGATIVE_INFINITY;
    this.checkAtMonoMs = Number.NEGATIVE_INFINITY;
  }
}
