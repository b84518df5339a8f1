/** Events of an instance of a source (source.ts). */

import type { AccessUnit, Track } from '../codec/track.ts';
import type { GatewayError } from '../core/errors.ts';

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
  /** Before the first access unit, and again before the first one that needs changed parameter sets. At least one video track. */
  onTracks(tracks: readonly Track[]): void;
  /** Borrowed, see AccessUnit. */
  onAccessUnit(unit: AccessUnit): void;
  /**
   * What happens to the camera's audio, if the tracks do not show it. After `onTracks` or before, any number of times.
   */
  onSound?(offer: SoundOffer): void;
  /**
   * Frames that the instance had to drop (loss, damage, limits), for counting; `code` is from the source's error
   * registry, or JOINING_CODE.
   */
  onDropped(frames: number, code: string): void;
  /** The instance failed or the camera ended it. Once, never after `close()`. */
  onEnded(error: GatewayError): void;
}
