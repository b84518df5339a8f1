/** One Media Segment of the live window: the buffers of its parts and the text of its playlist lines. */

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
  /** In order; their concatenation is the segment. Shared with everyone, nothing is copied. */
  readonly parts: Buffer[] = [];
  isComplete = false;
  byteLength = 0;
  pictures = 0;
  durationTicks = 0;
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
