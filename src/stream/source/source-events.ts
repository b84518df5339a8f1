/** Events of an instance of a source (source.ts). */

import type { SigningNews } from '../../codec/media-signing/signing-watch.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import type { Urgency, WorkerWait } from '../media/urgency.ts';
import type { PackagingHost, SourcePulse } from '../packaging/packaging-host.ts';

/** What an instance knows about the camera's audio before any arrives. */
export type SoundOffer =
  /** The camera has none. */
  | { readonly kind: 'none' }
  /** The camera has audio that cannot be played to viewers. */
  | { readonly kind: 'unsupported'; readonly encoding: string }
  /** Its track is announced; the access units show whether anything arrives. */
  | { readonly kind: 'announced' }
  /** Like `announced`: the camera sends it, and it waits for a worker. */
  | { readonly kind: 'waiting' };

/** A picture that is a complete still image: a JPEG whose header the gateway wrote. Belongs to the receiver. */
export interface StillPicture {
  readonly bytes: Buffer;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Monotonic time at which its last byte arrived. */
  readonly arrivalMonoMs: number;
}

/**
 * The code for frames that arrived before an instance's first key frame. They are not a loss, and are counted
 * separately.
 */
export const JOINING_CODE = 'RTP_JOINING';

/**
 * Events of an instance: called synchronously and in order. Nothing is called after `onEnded` or `close()`; the
 * instance's `SourceSink` ensures that.
 */
export interface SourceEvents {
  /**
   * Before the first access unit, and again before the first one that needs changed parameter sets. With a
   * video track, unless the camera describes only sound.
   */
  onTracks(tracks: readonly Track[], host?: PackagingHost | null): void;
  /** Borrowed, see AccessUnit. */
  onAccessUnit(unit: AccessUnit): void;
  /**
   * The instance can package. Called before its first tracks. Tracks that come with it are of the same instance; tracks
   * without it come from a replacement instance that cannot package. Between two access units, packaging can move to the
   * host, or, with null, away from it.
   */
  onHost?(host: PackagingHost | null): void;
  /** In place of access units, while they do not cross. */
  onPulse?(pulse: SourcePulse): void;
  /** Called for each JPEG of a camera that sends JPEGs, whether or not it becomes video too. Before `onTracks` or after. */
  onStill?(still: StillPicture): void;
  /** Nothing wants video: until the next `onTracks`, which begins a new timeline, there are only stills. */
  onStillsOnly?(): void;
  /**
   * Reports how the camera's audio is handled, if the tracks do not show it. After `onTracks` or before, any number of
   * times.
   */
  onSound?(offer: SoundOffer): void;
  /** How the camera's clocks run against ours: every few seconds, if the engine sees them. */
  onClock?(reading: ClockReading): void;
  /** What the camera's signatures say about its video, now and then, if the engine looks for them. */
  onSigning?(news: SigningNews): void;
  /** It waits for a worker, or moved up in the line. null: it waits no longer. */
  onWaiting?(wait: WorkerWait | null): void;
  /** Asked by the instance: for whom it is, now. */
  urgency?(): Urgency;
  /**
   * Frames that the instance had to drop (loss, damage, limits), for counting; `code` is from the source's error
   * registry, or JOINING_CODE.
   */
  onDropped(frames: number, code: string): void;
  /** The instance failed or the camera ended it. Once, never after `close()`. */
  onEnded(error: GatewayError): void;
}
