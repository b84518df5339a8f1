/** One Media Segment of the live window: its bytes and the text of its playlist lines. */

import type { PackagedTracks } from '../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../cmaf/part.ts';
import { ticksToMs } from '../cmaf/ticks.ts';
import { type SegmentHead, SegmentText } from '../hls/segment-text.ts';

export class LiveSegment {
  readonly msn: number;
  readonly discontinuitySequence: number;
  readonly initName: string;
  readonly tracks: PackagedTracks;
  readonly text: SegmentText;
  /** In order; their concatenation is the segment. Shared with everyone. */
  readonly parts: Buffer[] = [];
  isComplete = false;
  byteLength = 0;
  pictures = 0;
  durationTicks = 0;
  #whole: Buffer | null = null;
  /** Window time at which it may be forgotten, once it has left the playlist. */
  forgetAtMs = Number.POSITIVE_INFINITY;

  constructor(head: SegmentHead, discontinuitySequence: number, tracks: PackagedTracks) {
    this.msn = head.msn;
    this.discontinuitySequence = discontinuitySequence;
    this.initName = head.initUri;
    this.tracks = tracks;
    this.text = new SegmentText(head);
  }

  get durationMs(): number {
    return ticksToMs(this.durationTicks, this.tracks.video.timescaleHz);
  }

  /** Highest number that EXT-X-TARGETDURATION is compared with (RFC 8216bis §4.4.3.1). */
  get roundedDurationSec(): number {
    return Math.round(this.durationTicks / this.tracks.video.timescaleHz);
  }

  /**
   * The complete segment in one piece, which costs less to send than its parts one after the other. Made when it is
   * first asked for, since low-latency players never do; the parts are views of it from then on.
   */
  whole(): Buffer {
    this.#whole ??= this.#join();
    return this.#whole;
  }

  #join(): Buffer {
    const whole = Buffer.allocUnsafeSlow(this.byteLength);
    let at = 0;
    for (const [index, part] of this.parts.entries()) {
      whole.set(part, at);
      this.parts[index] = whole.subarray(at, at + part.length);
      at += part.length;
    }
    return whole;
  }

  add(part: CmafPart): void {
    this.parts.push(part.bytes);
    this.byteLength += part.bytes.length;
    this.pictures += part.pictures;
    this.durationTicks += part.durationTicks;
    this.text.addPart(part.durationTicks, this.tracks.video.timescaleHz, part.isIndependent);
  }

  complete(): void {
    this.isComplete = true;
    this.text.end(this.durationTicks, this.tracks.video.timescaleHz);
  }
}
