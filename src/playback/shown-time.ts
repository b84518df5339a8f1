/** A part of the past that may be shown. Half-open, epoch milliseconds. */
export interface ShownTime {
  readonly fromMs: number;
  readonly toMs: number;
}
