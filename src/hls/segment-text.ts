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
  /** Piecewise playlists (piecewise-playlist.ts) list its parts as segments. */
  readonly isPiecewise?: boolean;
  /** How many more segments than there are those playlists have listed before it, since the stream was opened. */
  readonly piecesBefore?: number;
}

/** A SegmentText as plain values. */
export interface SegmentTextState {
  readonly head: SegmentHead;
  readonly parts: string;
  readonly partCount: number;
  readonly end: string;
}

/** Numbers that are kept of a part before its line is needed: duration in ticks, timescale, and whether it is independent. */
const PART_NUMBERS = 3;
const INDEPENDENT = 1;
const PART_LINE = /^#EXT-X-PART:DURATION=([\d.]+),URI="([^"]+)".*\n/gm;

export class SegmentText {
  readonly head: SegmentHead;
  /** '' until it is needed. */
  #dateTime = '';
  /** Lines of the first parts. */
  #parts = '';
  #partCount = 0;
  /** Parts without a line yet. Parts of a camera without viewers never get one. */
  #unwritten: number[] = [];
  #end = '';
  #endTicks = -1;
  #endHz = 1;

  constructor(head: SegmentHead) {
    this.head = head;
  }

  static of({ head, parts, partCount, end }: SegmentTextState): SegmentText {
    const text = new SegmentText(head);
    text.#parts = parts;
    text.#partCount = partCount;
    text.#end = end;
    return text;
  }

  state(): SegmentTextState {
    return { head: this.head, parts: this.#partLines(), partCount: this.#partCount, end: this.#endLines() };
  }

  get partCount(): number {
    return this.#partCount;
  }

  get isComplete(): boolean {
    return this.#endTicks >= 0 || this.#end !== '';
  }

  /** Hot: once per part. */
  addPart(durationTicks: number, timescaleHz: number, isIndependent: boolean): void {
    this.#unwritten.push(durationTicks, timescaleHz, isIndependent ? INDEPENDENT : 0);
    this.#partCount++;
  }

  /** The segment is complete. */
  end(durationTicks: number, timescaleHz: number): void {
    this.#endTicks = durationTicks;
    this.#endHz = timescaleHz;
  }

  /**
   * `previousInitUri`: the one of the previous segment, null when none is listed. EXT-X-DISCONTINUITY §4.4.4.3,
   * EXT-X-MAP §4.4.4.5, EXT-X-PROGRAM-DATE-TIME §4.4.4.6.
   */
  render(previousInitUri: string | null, withParts: boolean): string {
    return this.#headLines(previousInitUri) + (withParts ? this.#partLines() : '') + this.#endLines();
  }

  /** The same, with each part as a segment. `atMost`: how many of them. */
  renderPieces(
    previousInitUri: string | null,
    withParts: boolean,
    atMost = Number.POSITIVE_INFINITY,
  ): string {
    const pieces = [...this.#partLines().matchAll(PART_LINE)].slice(0, atMost);
    const lines = pieces.map(([line, sec, uri]) => `${withParts ? line : ''}#EXTINF:${sec},\n${uri}\n`);
    return this.#headLines(previousInitUri) + lines.join('');
  }

  #headLines(previousInitUri: string | null): string {
    const { hasDiscontinuity, initUri } = this.head;
    const discontinuity = hasDiscontinuity ? '#EXT-X-DISCONTINUITY\n' : '';
    const map = initUri === previousInitUri ? '' : `#EXT-X-MAP:URI="${initUri}"\n`;
    return discontinuity + map + this.#dateTimeLine();
  }

  #dateTimeLine(): string {
    if (this.#dateTime === '') {
      this.#dateTime = `#EXT-X-PROGRAM-DATE-TIME:${new Date(this.head.epochMs).toISOString()}\n`;
    }
    return this.#dateTime;
  }

  /** EXT-X-PART §4.4.4.9 */
  #partLines(): string {
    const unwritten = this.#unwritten;
    let part = this.#partCount - unwritten.length / PART_NUMBERS;
    for (let i = 0; i < unwritten.length; i += PART_NUMBERS) {
      const uri = partName(this.head.msn, part);
      const duration = ticksToSecondsText(unwritten[i]!, unwritten[i + 1]!);
      const independent = unwritten[i + 2] === INDEPENDENT ? ',INDEPENDENT=YES' : '';
      this.#parts += `#EXT-X-PART:DURATION=${duration},URI="${uri}"${independent}\n`;
      part++;
    }
    if (unwritten.length > 0) this.#unwritten = [];
    return this.#parts;
  }

  /** EXTINF §4.4.4.1 */
  #endLines(): string {
    if (this.#end === '' && this.#endTicks >= 0) {
      const duration = ticksToSecondsText(this.#endTicks, this.#endHz);
      this.#end = `#EXTINF:${duration},\n${segmentName(this.head.msn)}\n`;
    }
    return this.#end;
  }
}
