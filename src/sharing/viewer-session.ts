/**
 * One viewer of one share, for as long as it keeps sending requests: the current access decision, and the requests that
 * depend on it.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { Share } from '../store/entities.ts';
import type { Audience } from '../stream/live-media.ts';
import type { AccessAllowed, AccessRefused } from './access-decision.ts';
import type { Grant } from './grant.ts';

/** A request that waits for bytes. It is called immediately when its viewer may no longer have them. */
export interface WaitingRequest {
  onCutOff(refusal: AccessRefused): void;
}

/** Bytes of bodies handed to the system for the viewers of one share. */
export interface TrafficCounter {
  bytes: number;
}

/**
 * A connection that carries viewers' media. What it carries for a viewer ends with the access, however far it has got.
 */
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
  /** The address of its first request; '' if unknown. The viewer may have a different one by now. */
  readonly address: string;
  /** This viewer's waiting requests; they add and remove themselves. */
  readonly waiting = new Set<WaitingRequest>();
  /** Its share's counter; null before its first response. Set by the code that responds. */
  traffic: TrafficCounter | null = null;
  /**
   * Connections on which media was last sent to this viewer, or is waiting to be sent; they add and remove themselves.
   */
  readonly connections = new Set<MediaConnection>();
  /** Media responses not yet entirely in the kernel, and the bytes on loan to them. */
  unsentAnswers = 0;
  lentBytes = 0;
  /** The stream that this viewer last got media from; null before any. Set by the front door. */
  profile: 'main' | 'sub' | null = null;
  /** Monotonic time until which a request need not check the viewer: its only comparison. Set by ViewerSessions. */
  checkAtMonoMs = Number.NEGATIVE_INFINITY;
  /** Precise to RECHECK_MS. Set by ViewerSessions. */
  lastSeenMonoMs = 0;
  /** It counts as one of the share's viewers. Set by ShareAudience, like the next two. */
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

  /** It requested a segment or a part. Hot. */
  noteFetch(): void {
    this.#hasFetched = true;
  }

  /** Whether it has requested media since the last call of this method. */
  takeFetched(): boolean {
    const hasFetched = this.#hasFetched;
    this.#hasFetched = false;
    return hasFetched;
  }

  /** First instant at which time alone can end the access; Infinity: never. */
  get validUntilEpochMs(): number {
    return this.#validUntilEpochMs;
  }

  /**
   * Whether the stored decision still holds, as far as time is concerned. A wall clock that went back ends it as well.
   */
  isDecidedFor(nowEpochMs: number): boolean {
    return nowEpochMs >= this.#decidedAtEpochMs && nowEpochMs < this.#validUntilEpochMs;
  }

  keep(decision: AccessAllowed, nowEpochMs: number): void {
    this.#decidedAtEpochMs = nowEpochMs;
    this.#validUntilEpochMs = decision.validUntilEpochMs;
  }

  /** A request is waiting, or media is being sent: the viewer is present without sending requests. */
  get isServed(): boolean {
    return this.waiting.size > 0 || this.unsentAnswers > 0;
  }

  /** Something that the decision was based on has changed. */
  doubt(): void {
    this.#validUntilEpochMs = Number.NEGATIVE_INFINITY;
    this.checkAtMonoMs = Number.NEGATIVE_INFINITY;
  }
}
