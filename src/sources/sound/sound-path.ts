/**
 * Sound that viewers cannot play, on its way to sound that they can: payloads with their time go in, AAC access units
 * with theirs come out. Declared by the direct source, which sets the camera's track up; what codes lies behind it.
 */

import type { AacTrack } from '../../codec/track.ts';
import type { MediaFormat } from '../../sdp/session-description.ts';

/** Called synchronously or later; never after `close`. */
export interface SoundPathEvents {
  /** One AAC frame, borrowed; `dtsTicks` of the track's timescale on the timeline of the payloads, strictly increasing. */
  onUnit(dtsTicks: number, data: Uint8Array): void;
  /** Payloads come and nobody is there who codes them, or somebody is again. */
  onWaiting(isWaiting: boolean): void;
}

/** The sound of one connection. */
export interface SoundPath {
  /** Announced before anything comes out. */
  readonly track: AacTrack;
  /** The payload `chunk[start, end)` of a packet, borrowed; its first sample is at `clockTicks` of the RTP clock. */
  push(chunk: Uint8Array, start: number, end: number, clockTicks: number): void;
  /** Idempotent; resolves when nothing is left behind. */
  close(): Promise<void>;
}

export interface SoundPaths {
  /** Whether sound of this format can be brought to AAC. */
  transcodes(format: MediaFormat): boolean;
  /** Only for a format that `transcodes` accepted. */
  open(format: MediaFormat, events: SoundPathEvents): SoundPath;
}
