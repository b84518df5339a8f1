/** SegmentTimeline: start and duration of each segment, in runs of equal ones. ISO/IEC 23009-1 §5.3.9.6. */

export interface TimelineSegment {
  /** The value of `$Number$`; one more than that of the segment before. */
  readonly number: number;
  /** Decoding time of the first frame, in ticks of the representation. */
  readonly startTicks: number;
  readonly durationTicks: number;
}

/** A SegmentTimeline that is made segment by segment: for long lists. */
export class SegmentTimelineText {
  #text = '<SegmentTimeline>';
  #expectedTicks = -1;
  /** The run that may continue. */
  #startTicks = 0;
  #durationTicks = 0;
  #count = 0;

  /**
   * In order. A segment that does not begin where the one before ended has its own `@t`; a duration of zero, which the
   * schema does not allow, becomes one tick.
   */
  add(startTicks: number, durationTicks: number): void {
    const endTicks = this.#startTicks + this.#count * this.#durationTicks;
    const isRepeat = this.#count > 0 && this.#durationTicks > 0 && durationTicks === this.#durationTicks;
    if (isRepeat && startTicks === endTicks) {
      this.#count++;
      return;
    }
    this.#flush();
    this.#startTicks = startTicks;
    this.#durationTicks = durationTicks;
    this.#count = 1;
  }

  end(): string {
    this.#flush();
    return `${this.#text}</SegmentTimeline>`;
  }

  #flush(): void {
    if (this.#count === 0) return;
    const durationTicks = Math.max(1, this.#durationTicks);
    const t = this.#startTicks === this.#expectedTicks ? '' : ` t="${this.#startTicks}"`;
    const r = this.#count === 1 ? '' : ` r="${this.#count - 1}"`;
    this.#text += `<S${t} d="${durationTicks}"${r}/>`;
    this.#expectedTicks = this.#startTicks + this.#count * durationTicks;
  }
}

/** `segments`: at least one, in order. As SegmentTimelineText. */
export function renderSegmentTimeline(segments: readonly TimelineSegment[]): string {
  const timeline = new SegmentTimelineText();
  for (const { startTicks, durationTicks } of segments) timeline.add(startTicks, durationTicks);
  return timeline.end();
}
