/**
 * The lines of one Media Segment, built part by part and kept: a playlist is assembled from such texts. RFC 8216bis
 * §4.4.4.
 */

import { ticksToSecondsText } from './decimal-seconds.ts';
import { partName, segmentName } from './media-names.ts';

export interface SegmentHead {
  readonly msn: number;
  /** URI of its Media Initialization Section. */
  readonly initUri: string;
  readonly hasDiscontinuity: boolean;
  /** Wall time of its first frame. */
  readonly epochMs: number;
}

/** A SegmentText as plain values. */
export interface SegmentTextState {
  readonly head: SegmentHead;
  readonly parts: string;
  readonly partCount: number;
  readonly end: string;
}

export class SegmentText {
  readonly head: SegmentHead;
  readonly #dateTime: string;
  #parts = '';
  #partCount = 0;
  #end = '';

  constructor(head: SegmentHead) {
    this.head = head;
    this.#dateTime = `#EXT-X-PROGRAM-DATE-TIME:${new Date(head.epochMs).toISOString()}\n`;
  }

  static of({ head, parts, partCount, end }: SegmentTextState): SegmentText {
    const text = new SegmentText(head);
    text.#parts = parts;
    text.#partCount = partCount;
    text.#end = end;
    return text;
  }

  state(): SegmentTextState {
    return { head: this.head, parts: this.#parts, partCount: this.#partCount, end: this.#end };
  }

  get partCount(): number {
    return this.#partCount;
  }

  get isComplete(): boolean {
    return this.#end !== '';
  }

  /** EXT-X-PART §4.4.4.9 */
  addPart(durationTicks: number, timescaleHz: number, isIndependent: boolean): void {
    const uri = partName(this.head.msn, this.#partCount);
    const duration = ticksToSecondsText(durationTicks, timescaleHz);
    this.#parts += `#EXT-X-PART:DURATION=${duration},URI="${uri}"${isIndependent ? ',INDEPENDENT=YES' : ''}\n`;
    this.#partCount++;
  }

  /** EXTINF §4.4.4.1: the segment is complete. */
  end(durationTicks: number, timescaleHz: number): void {
    this.#end = `#EXTINF:${ticksToSecondsText(durationTicks, timescaleHz)},\n${segmentName(this.head.msn)}\n`;
  }

  /**
   * `previousInitUri`: the one of the previous segment, null when none is listed. EXT-X-DISCONTINUITY §4.4.4.3,
   * EXT-X-MAP §4.4.4.5, EXT-X-PROGRAM-DATE-TIME §4.4.4.6.
   */
  render(previousInitUri: string | null, withParts: boolean): string {
    const { hasDiscontinuity, initUri } = this.head;
    const discontinuity = hasDiscontinuity ? '#EXT-X-DISCONTINUITY\n' : '';
    const map = initUri === previousInitUri ? '' : `#EXT-X-MAP:URI="${initUri}"\n`;
    return discontinuity + map + this.#dateTime + (withParts ? this.#parts : '') + this.#end;
  }
}
