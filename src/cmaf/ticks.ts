/** Conversions between timescales. Ticks are integers; a safe integer holds 3,000 years of 90 kHz. */

/**
 * `ticks` of `fromHz` in ticks of `toHz`, rounded. Exact in between: whole seconds and the rest are converted
 * separately.
 */
export function convertTicks(ticks: number, fromHz: number, toHz: number): number {
  if (fromHz === toHz) return ticks;
  const seconds = Math.floor(ticks / fromHz);
  return seconds * toHz + Math.round(((ticks - seconds * fromHz) * toHz) / fromHz);
}

/** Milliseconds, fractional. */
export function ticksToMs(ticks: number, timescaleHz: number): number {
  return (ticks / timescaleHz) * 1_000;
}

export function msToTicks(ms: number, timescaleHz: number): number {
  return Math.round((ms / 1_000) * timescaleHz);
}
