/** What comes of an instance of a source (source.ts). */

import type { AccessUnit, Track } from '../codec/track.ts';
import type { GatewayError } from '../core/errors.ts';

/** What an instance knows of the camera's sound before any comes. */
export type SoundOffer =
  /** The camera has none. */
  | { readonly kind: 'none' }
  /** The camera has sound that nothing here brings to viewers. */
  | { readonly kind: 'unsupported'; readonly encoding: string }
  /** Its track is announced; whether anything comes shows in the access units. */
  | { readonly kind: 'announced' }
  /** As `announced`: it comes from the camera, and waits for a worker. */
  | { readonly kind: 'waiting' };

/** The code of frames that came before an instance's first key picture. They are no loss, and counted by themselves. */
export const JOINING_CODE = 'RTP_JOINING';

/**
 * What comes of an instance: called synchronously and in order. Nothing comes after `onEnded` or `close()`; the
 * instance's `SourceSink` sees to that.
 */
export interface SourceEvents {
  /** Before the first access unit, and again before the first one that needs changed parameter sets. At least one video track. */
  onTracks(tracks: readonly Track[]): void;
  /** Borrowed, see AccessUnit. */
  onAccessUnit(unit: AccessUnit): void;
  /** What becomes of the camera's sound, when the tracks do not say it all. After `onTracks` or before, any number of times. */
  onSound?(offer: SoundOffer): void;
  /** Frames the instance had to give up (loss, damage, limits), for counting; `code` is from the source's error registry, or JOINING_CODE. */
  onDropped(frames: number, code: string): void;
  /** The instance failed or the camera ended it. Once, never after `close()`. */
  onEnded(error: GatewayError): void;
}
