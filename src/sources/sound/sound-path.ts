/**
 * Transcodes audio that viewers cannot play: timed payloads go in, timed AAC access units come out. The direct source,
 * which sets up the camera's track, declares the interface that it needs; the code that transcodes implements it.
 */

import type { AacTrack } from '../../codec/track.ts';
import type { MediaFormat } from '../../sdp/session-description.ts';

/** Called synchronously or later; never after `close`. */
export interface SoundPathEvents {
  /**
   * One AAC frame, borrowed; `dtsTicks` in the track's timescale on the timeline of the payloads, strictly increasing.
   */
  onUnit(dtsTicks: number, data: Uint8Array): void;
  /** Payloads arrive but no worker is there to transcode them, or a worker is there again. */
  onWaiting(isWaiting: boolean): void;
}

/** The audio of one connection. */
export interface SoundPath {
  /** Announced before anything comes out. */
  readonly track: AacTrack;
  /** The payload `chunk[start, end)` of a packet, borrowed; its first sample is at `clockTicks` of the RTP clock. */
  push(chunk: Uint8Array, start: number, end: number, clockTicks: number): void;
  /** Idempotent; resolves when everything is released. */
  close(): Promise<void>;
}

export interface SoundPaths {
  /** Whether audio in this format can be transcoded to AAC. */
  transcodes(format: MediaFormat): boolean;
  /** Call only for a format that `transcodes` accepted. */
  open(format: MediaFormat, events: SoundPathEvents): SoundPath;
}
