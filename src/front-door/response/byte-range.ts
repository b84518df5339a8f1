/** The Range header: one range of bytes. RFC 9110 §14.2. */

/** Both inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const UNIT = 'bytes=';
/** Any number with this many digits is a safe integer. */
const MAX_DIGITS = 15;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
/** There are no digits. */
const NONE = -1;
/** There is something other than digits. */
const NOT_A_NUMBER = -2;

/**
 * `whole`: without a range, or with one that a server may ignore (other units, several ranges, nonsense). `unsatisfiable`: beyond the end.
 * Hot: ffmpeg and Safari send the header with every segment.
 */
export function parseByteRange(
  header: string | undefined,
  totalBytes: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  if (header === undefined || header.slice(0, UNIT.length).toLowerCase() !== UNIT) return 'whole';
  const dash = header.indexOf('-', UNIT.length);
  if (dash < 0) return 'whole';
  const first = wholeNumber(header, UNIT.length, dash);
  const last = wholeNumber(header, dash + 1, header.length);
  if (first === NOT_A_NUMBER || last === NOT_A_NUMBER) return 'whole';
  if (first === NONE) return last === NONE ? 'whole' : suffixRange(last, totalBytes);
  if (last !== NONE && last < first) return 'whole';
  if (first >= totalBytes) return 'unsatisfiable';
  return { first, last: last === NONE ? totalBytes - 1 : Math.min(last, totalBytes - 1) };
}

/** The last bytes. */
function suffixRange(suffixBytes: number, totalBytes: number): ByteRange | 'unsatisfiable' {
  const length = Math.min(suffixBytes, totalBytes);
  return length === 0 ? 'unsatisfiable' : { first: totalBytes - length, last: totalBytes - 1 };
}

/** The number from `start` to before `end`, NONE or NOT_A_NUMBER. */
function wholeNumber(text: string, start: number, end: number): number {
  if (start === end) return NONE;
  if (end - start > MAX_DIGITS) return NOT_A_NUMBER;
  let value = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code < DIGIT_0 || code > DIGIT_9) return NOT_A_NUMBER;
    value = value * 10 + (code - DIGIT_0);
  }
  return value;
}
