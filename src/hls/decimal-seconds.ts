/** The only place where ticks become the decimal seconds of a playlist. RFC 8216bis §4.2. */

const FRACTION_DIGITS = 6;

/** To the microsecond. */
export function ticksToSecondsText(ticks: number, timescaleHz: number): string {
  return (ticks / timescaleHz).toFixed(FRACTION_DIGITS);
}

/** `ms`: whole milliseconds. */
export function msToSecondsText(ms: number): string {
  return (ms / 1_000).toFixed(3);
}
