/**
 * Audio other than AAC: timed payloads go in, timed access units come out. The direct source, which sets up the camera's
 * track, declares the interface that it needs; the code that packs or transcodes the audio implements it.
 */

import type { AudioTrack } from '../../codec/track.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import type { Urgency } from '../../stream/media/urgency.ts';

/** Called synchronously or later; never after `close`. */
export interface SoundPathEvents {
  /**
   * One frame, borrowed; `dtsTicks` in the track's timescale on the timeline of the payloads, strictly increasing.
   */
  onUnit(dtsTicks: number, data: Uint8Array): void;
  /** Payloads arrive but no worker is there to transcode them, or a worker is there again. */
  onWaiting(isWaiting: boolean): void;
  /** Whom the camera is open for. Default: `viewer`. */
  urgency?(): Urgency;
}

/** The audio of one connection. */
export interface SoundPath {
  /** Announced before anything comes out. */
  readonly track: AudioTrack;
  /**
   * The payload `chunk[start, end)` of a packet, borrowed; its first sample is at `clockTicks` of the RTP clock. `stretch`: its
   * samples last longer than their number says, by this share of it, because the clock is corrected. Default: 0.
   */
  push(chunk: Uint8Array, start: number, end: number, clockTicks: number, stretch?: number): void;
  /** Packets are missing before the next one. */
  gap(): void;
  /** Idempotent; resolves when everything is released. */
  close(): Promise<void>;
}

export interface SoundPaths {
  /** Whether viewers can be given audio in this format. */
  carries(format: MediaFormat): boolean;
  /** Call only for a format that `carries` accepted. */
  open(format: MediaFormat, events: SoundPathEvents): SoundPath;
}
