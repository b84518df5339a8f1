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

/** Bytes of bodies that were handed to the system for the viewers of one share. */
export interface TrafficCounter {
  bytes: number;
}

/** A connection that carries viewers' media. What it carries for a viewer ends with the access, wherever it is by then. */
export interface MediaConnection {
  cutFor(session: ViewerSession): void;
}

export class ViewerSession {
  readonly allowed = true;
  readonly grantText: string;
  readonly grant: Grant;
  /** The share's. */
  readonly orgUuid: Ruuid;
  readonly cameraUuid: Ruuid;
  readonly audience: Audience;
  /** From which its first request came; '' when that is not known. The viewer may have another by now. */
  readonly address: string;
  /** Requests of this viewer that wait; whoever waits adds and removes itself. */
  readonly waiting = new Set<WaitingRequest>();
  /** Of its share; null before its first answer. Set by whoever answers. */
  traffic: TrafficCounter | null = null;
  /** Those on which media was sent to this viewer last, or waits to be sent; they add and remove themselves. */
  readonly connections = new Set<MediaConnection>();
  /** Media answers that the kernel does not have all of, and the bytes on loan to them. */
  unsentAnswers = 0;
  lentBytes = 0;
  /** The stream whose media this viewer was given last; null before any. Set by the front door. */
  profile: 'main' | 'sub' | null = null;
  /** Monotonic time up to which a request needs no look at the viewer: its one comparison. Set by ViewerSessions. */
  checkAtMonoMs = Number.NEGATIVE_INFINITY;
  /** Precise to RECHECK_MS. Set by ViewerSessions. */
  lastSeenMonoMs = 0;
  /** It is one of the share's viewers. Set by ShareAudience, like the next two. */
  isCounted = false;
  /** It has fetched media for a while. */
  isProven = false;
  looksWithMedia = 0;
  #hasFetched = false;
  #decidedAtEpochMs = Number.POSITIVE_INFINITY;
  #validUntilEpochMs = Number.NEGATIVE_INFINITY;

  constructor(
    grantText: string,
    grant: Grant,
    share: Pick<Share, 'orgUuid' | 'cameraUuid' | 'includeAudio'>,
    address: string,
  ) {
    this.grantText = grantText;
    this.grant = grant;
    this.orgUuid = share.orgUuid;
    this.cameraUuid = share.cameraUuid;
    this.address = address;
    this.audience = share.includeAudio ? 'sound' : 'silent';
  }

  get shareUuid(): Ruuid {
    return this.grant.shareUuid;
  }

  get includeAudio(): boolean {
    return this.audience === 'sound';
  }

  /** It asked for a segment or a part. Hot. */
  noteFetch(): void {
    this.#hasFetched = true;
  }

  /** Whether it asked for media since this was asked last. */
  takeFetched(): boolean {
    const hasFetched = this.#hasFetched;
    this.#hasFetched = false;
    return hasFetched;
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

  /** A request waits, or media is being sent: the viewer is there without asking. */
  get isServed(): boolean {
    return this.waiting.size > 0 || this.unsentAnswers > 0;
  }

  /** What the decision was made from has changed. */
  doubt(): void {
    this.#validUntilEpochMs = Number.NEGATIVE_INFINITY;
    this.checkAtMonoMs = Number.NEGATIVE_INFINITY;
  }
}
