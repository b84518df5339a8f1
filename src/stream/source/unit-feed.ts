/**
 * The access units of a stream for code that makes something else of them: another source. A reader keeps the camera's
 * connection open without anything being packaged (docs/design/engines.md#h264-for-viewers-without-h265).
 */

import type { AccessUnit, CodedTrack } from '../../codec/track.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { CameraTime } from '../../rtp/camera-clock.ts';

/** Called synchronously and in order. May detach itself at any time. */
export interface UnitReader {
  /** Before the first access unit, and again when the tracks change. */
  onTracks(tracks: readonly CodedTrack[]): void;
  /** Borrowed. Hot: once per frame. */
  onAccessUnit(unit: AccessUnit): void;
  /** The stream is down, closed, or begins a new timeline. The reader is detached. */
  onGone(error: GatewayError): void;
}

export interface UnitFeed {
  /** Opens the stream unless it is open. If its tracks are known, `onTracks` is called before this returns. */
  attach(reader: UnitReader): void;
  /** Idempotent. */
  detach(reader: UnitReader): void;
}

/** The access units of a live stream, for those who send them on. */
export interface LiveUnits extends UnitFeed {
  /** The newest group of pictures so far, without sound; empty if it is not kept. Read it before `attach`. */
  newestUnits(): Iterable<AccessUnit>;
  /** What the camera's clock shows, as its newest report has it, right or wrong; null before the first report. */
  readonly cameraTime: CameraTime | null;
}
