/** A Media Playlist of the past, line by line: a range that is over, or one that still grows. RFC 8216bis §4.4.3. */

import { msToSecondsText, ticksToSecondsText } from './decimal-seconds.ts';

/** EXT-X-MAP without EXT-X-I-FRAMES-ONLY needs version 6, EXT-X-GAP version 8 (§8). */
const VERSION = 7;
/** A date that follows from the one before and the durations is left out. */
const DATE_TOLERANCE_MS = 1;

export interface RecordedPlaylistHead {
  /** `event`: segments are still added at its end (§4.4.3.5). */
  readonly type: 'vod' | 'event';
  /** No segment is longer by more than half a second (§4.4.3.1). */
  readonly targetDurationSec: number;
  /** Where players begin, behind the start of the first segment; null: where they like (§4.4.2.2). */
  readonly startOffsetMs: number | null;
  /** The Discontinuity Sequence Number of the first segment. */
  readonly firstDiscontinuity: number;
  /** Each segment is one frame (§4.4.3.6). Default false. */
  readonly isIFramesOnly?: boolean;
}

export interface RecordedPlaylistSegment {
  readonly uri: string;
  readonly initUri: string;
  /** Its Discontinuity Sequence Number (§4.4.3.3): more than that of the one before if it does not continue that one. */
  readonly discontinuity: number;
  /** Wall time of its first frame. */
  readonly epochMs: number;
  readonly durationTicks: number;
  readonly timescaleHz: number;
}

export class RecordedPlaylist {
  #text: string;
  readonly #type: RecordedPlaylistHead['type'];
  #initUri: string | null = null;
  #nextEpochMs = Number.NaN;
  #discontinuity = 0;

  constructor(head: RecordedPlaylistHead) {
    const { type, targetDurationSec, startOffsetMs, firstDiscontinuity, isIFramesOnly = false } = head;
    this.#type = type;
    this.#text =
      `#EXTM3U\n#EXT-X-VERSION:${VERSION}\n#EXT-X-TARGETDURATION:${targetDurationSec}\n` +
      `#EXT-X-PLAYLIST-TYPE:${type.toUpperCase()}\n#EXT-X-MEDIA-SEQUENCE:1\n#EXT-X-INDEPENDENT-SEGMENTS\n`;
    if (isIFramesOnly) this.#text += '#EXT-X-I-FRAMES-ONLY\n';
    this.#discontinuity = firstDiscontinuity;
    if (firstDiscontinuity > 0) this.#text += `#EXT-X-DISCONTINUITY-SEQUENCE:${firstDiscontinuity}\n`;
    if (startOffsetMs !== null) {
      this.#text += `#EXT-X-START:TIME-OFFSET=${msToSecondsText(startOffsetMs)},PRECISE=YES\n`;
    }
  }

  /** EXT-X-DISCONTINUITY §4.4.4.3, EXT-X-MAP §4.4.4.5, EXT-X-PROGRAM-DATE-TIME §4.4.4.6, EXTINF §4.4.4.1. */
  add(segment: RecordedPlaylistSegment): void {
    const { uri, initUri, discontinuity, epochMs, durationTicks, timescaleHz } = segment;
    const isDiscontinuity = discontinuity > this.#discontinuity;
    this.#text += '#EXT-X-DISCONTINUITY\n'.repeat(Math.max(0, discontinuity - this.#discontinuity));
    this.#discontinuity = discontinuity;
    if (initUri !== this.#initUri) this.#text += `#EXT-X-MAP:URI="${initUri}"\n`;
    const follows = Math.abs(epochMs - this.#nextEpochMs) < DATE_TOLERANCE_MS;
    if (isDiscontinuity || !follows) {
      this.#text += `#EXT-X-PROGRAM-DATE-TIME:${new Date(epochMs).toISOString()}\n`;
      this.#nextEpochMs = epochMs;
    }
    this.#text += `#EXTINF:${ticksToSecondsText(durationTicks, timescaleHz)},\n${uri}\n`;
    this.#initUri = initUri;
    this.#nextEpochMs += (durationTicks * 1_000) / timescaleHz;
  }

  end(): string {
    return this.#type === 'vod' ? `${this.#text}#EXT-X-ENDLIST\n` : this.#text;
  }
}
