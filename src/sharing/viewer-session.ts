/**
 * One viewer of one share, or of one device, for as long as it keeps sending requests: the current access decision, and
 * the requests that depend on it.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { Audience } from '../stream/media/live-media.ts';
import type { Urgency } from '../stream/media/urgency.ts';
import type { AccessAllowed, AccessRefused, SharedMedia } from './access-decision.ts';
import type { DeviceGrant } from './device-grant.ts';
import type { Grant } from './grant.ts';

/** The media that a grant lets its viewer watch. */
export interface Watched extends SharedMedia {
  /** The organization that owns it. */
  readonly orgUuid: Ruuid;
  /** The organization's camera: `cameraUuid`, unless that is the masked one (docs/design/privacy.md). */
  readonly deviceUuid: Ruuid;
  /** Under which its viewers are counted: the share's UUID, or one for the device (device-grant.ts). */
  readonly audienceUuid: Ruuid;
  /** The shared wall whose link was opened; null: none. */
  readonly wallShareUuid: Ruuid | null;
  /** How urgent its viewers' interest is. */
  readonly urgency: Urgency;
  /** Its viewers get live HLS media under paths that they share, which a CDN can cache. */
  readonly sharesPaths: boolean;
  /** The synthetic viewer is watching. It is served, but does not count as a viewer. */
  readonly isProbe?: boolean;
}

/** How media reached a viewer: `file` is a movie, clip or image that is read as a whole. */
export type MediaProtocol = 'hls' | 'dash' | 'websocket' | 'rtsp' | 'file';

/** Where a viewer's first request came from. */
export interface ViewerStart {
  /** '' if unknown. */
  readonly address: string;
  /** '' if it named none. */
  readonly userAgent: string;
  readonly atEpochMs: number;
}

/** A request that waits for bytes. It is called immediately when its viewer may no longer have them. */
export interface WaitingRequest {
  onCutOff(refusal: AccessRefused): void;
}

/** Bytes of bodies handed to the system for one audience: the viewers of one share, or of one device. */
export interface TrafficCounter {
  bytes: number;
}

/** A connection that carries viewers' media. The media of a viewer are cut when the access ends, however far they have got. */
export interface MediaConnection {
  cutFor(session: MediaReader, refusal: AccessRefused): void;
}

/** The reader of media responses: a viewer, or a connection that requests paths that viewers share. */
export interface MediaReader {
  readonly cameraUuid: Ruuid;
  readonly connections: Set<MediaConnection>;
  unsentResponses: number;
  lentBytes: number;
}

export class ViewerSession implements MediaReader {
  readonly allowed = true;
  readonly grantText: string;
  readonly grant: Grant | DeviceGrant;
  /** The organization that owns the watched device. */
  readonly orgUuid: Ruuid;
  /** Under which this viewer is counted: the share's UUID, or one for the device. */
  readonly audienceUuid: Ruuid;
  /** The camera that it sees: all media of this session are of this one. */
  readonly cameraUuid: Ruuid;
  /** The organization's camera, for counts and notices. */
  readonly deviceUuid: Ruuid;
  /** It watches a camera of this shared wall; null: of none. */
  readonly wallShareUuid: Ruuid | null;
  readonly audience: Audience;
  readonly urgency: Urgency;
  /** It gets live HLS media under paths that viewers share. Set by ViewerSessions. */
  sharesPaths: boolean;
  /** The synthetic viewer (docs/design/service-levels.md). */
  readonly isProbe: boolean;
  /** The address of its first request; '' if unknown. The viewer may have a different one by now. */
  readonly address: string;
  readonly start: ViewerStart;
  /** Gives its place under the limit of viewers back. Set by ViewerSessions. */
  giveBackPlace: () => void = () => undefined;
  /** This viewer's waiting requests; they add and remove themselves. */
  readonly waiting = new Set<WaitingRequest>();
  /** Its audience's counter; null before its first response. Set by the code that responds. */
  traffic: TrafficCounter | null = null;
  /**
   * Connections on which media was last sent to this viewer, or is waiting to be sent; they add and remove themselves.
   */
  readonly connections = new Set<MediaConnection>();
  /** Media responses not yet entirely in the kernel, and the bytes on loan to them. */
  unsentResponses = 0;
  lentBytes = 0;
  /** The stream that this viewer last got media from; null before any. Set by the front door. */
  profile: 'main' | 'sub' | 'h264' | null = null;
  /** How it last got media, and whether they were recorded. Set by the front door, like the bytes sent to it. */
  protocol: MediaProtocol | null = null;
  isInPast = false;
  sentBytes = 0;
  /** It requested recorded video. Set by the front door. */
  hasWatchedPast = false;
  /** Monotonic time until which a request need not check the viewer: its only comparison. Set by ViewerSessions. */
  checkAtMonoMs = Number.NEGATIVE_INFINITY;
  /** Precise to RECHECK_MS. Set by ViewerSessions. */
  lastSeenMonoMs = 0;
  /** It counts as one of its audience's viewers. Set by ShareAudience, like the next two. */
  isCounted = false;
  /** It has fetched media for a while. */
  isProven = false;
  looksWithMedia = 0;
  /** Set by the reports of the viewer's page (service-levels/viewer-report.ts). */
  reportsUntilMonoMs = 0;
  lastReportEpochMs: number | null = null;
  #hasFetched = false;
  #decidedAtEpochMs = Number.POSITIVE_INFINITY;
  #validUntilEpochMs = Number.NEGATIVE_INFINITY;

  constructor(grantText: string, grant: Grant | DeviceGrant, watched: Watched, start: ViewerStart) {
    this.grantText = grantText;
    this.grant = grant;
    this.orgUuid = watched.orgUuid;
    this.audienceUuid = watched.audienceUuid;
    this.cameraUuid = watched.cameraUuid;
    this.deviceUuid = watched.deviceUuid;
    this.wallShareUuid = watched.wallShareUuid;
    this.urgency = watched.urgency;
    this.sharesPaths = watched.sharesPaths;
    this.isProbe = watched.isProbe === true;
    this.address = start.address;
    this.start = start;
    this.audience = watched.includeAudio ? 'sound' : 'silent';
  }

  /** null: it watches a device, not a share. */
  get shareUuid(): Ruuid | null {
    return this.grant.of === 'share' ? this.grant.shareUuid : null;
  }

  get includeAudio(): boolean {
    return this.audience === 'sound';
  }

  /** It requested a segment or a part. Hot. */
  noteFetch(): void {
    this.#hasFetched = true;
  }

  /** It gets live media. Hot. */
  noteLive(protocol: MediaProtocol, profile: 'main' | 'sub' | 'h264'): void {
    this.protocol = protocol;
    this.profile = profile;
    this.isInPast = false;
  }

  /** It gets recorded video. */
  notePast(protocol: MediaProtocol): void {
    this.protocol = protocol;
    this.isInPast = true;
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
    return this.waiting.size > 0 || this.unsentResponses > 0;
  }

  /** Something that the decision was based on has changed. */
  doubt(): void {
    this.#validUntilEpochMs = Number.NEGATIVE_INFINITY;
    this.checkAtMonoMs = Number.NEGATIVE_INFINITY;
  }
}
