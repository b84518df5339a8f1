/** `Range: clock=`: a time of the past. RFC 2326 §3.7, §12.29; ONVIF Streaming §6.5. */

/** Half-open, epoch milliseconds. */
export interface ClockRange {
  readonly fromMs: number;
  /** null: to the end. */
  readonly toMs: number | null;
}

const RANGE = /^\s*clock\s*=\s*([\dTZ.]{16,27})\s*-\s*([\dTZ.]{16,27})?\s*(?:;|$)/i;
const TIME = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\.\d{1,9})?Z$/i;

/** null: not a range of wall clock times, or one that ends before it begins. */
export function parseClockRange(header: string): ClockRange | null {
  const match = RANGE.exec(header);
  if (match === null) return null;
  const fromMs = clockMs(match[1]!);
  const toMs = match[2] === undefined ? null : clockMs(match[2]);
  const isRange = fromMs !== null && (match[2] === undefined || (toMs !== null && toMs > fromMs));
  return isRange ? { fromMs, toMs } : null;
}

/** The header's value for a range. */
export function writeClockRange({ fromMs, toMs }: ClockRange): string {
  return `clock=${clockText(fromMs)}-${toMs === null ? '' : clockText(toMs)}`;
}

function clockMs(text: string): number | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as number[];
  const fractionMs = Math.round(Number(`0${match[7] ?? ''}`) * 1_000);
  const epochMs = Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) + fractionMs;
  // A month 13 is another year, which no one meant.
  const isReal = new Date(epochMs - fractionMs).getUTCMonth() === month! - 1 && hour! < 24 && minute! < 60;
  return isReal ? epochMs : null;
}

function clockText(epochMs: number): string {
  return new Date(epochMs).toISOString().replaceAll(/[-:]/g, '');
}
