/** ASN.1 values in DER (ITU-T X.690). Without Node.js. */

export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  /** With its tag and length. */
  readonly bytes: Uint8Array;
  /** Where the next one begins. */
  readonly end: number;
}

const LONG_LENGTH = 0x80;

/** Throws a RangeError if it is cut off. */
export function derAt(bytes: Uint8Array, at: number): DerElement {
  const tag = bytes[at];
  let length = bytes[at + 1];
  if (tag === undefined || length === undefined) throw new RangeError('cut off');
  let start = at + 2;
  if (length > LONG_LENGTH) {
    const count = length & 0x7f;
    length = bytes.subarray(start, start + count).reduce((sum, byte) => sum * 256 + byte, 0);
    start += count;
  }
  const end = start + length;
  if (end > bytes.length) throw new RangeError('cut off');
  return { tag, content: bytes.subarray(start, end), bytes: bytes.subarray(at, end), end };
}

/** Throws a RangeError if one is cut off. */
export function derChildren({ content }: Pick<DerElement, 'content'>): DerElement[] {
  const found: DerElement[] = [];
  for (let at = 0; at < content.length; at = found.at(-1)!.end) found.push(derAt(content, at));
  return found;
}

export function derOf(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const length = contents.reduce((sum, content) => sum + content.length, 0);
  const head =
    length < LONG_LENGTH
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  const bytes = new Uint8Array(head.length + length);
  bytes.set(head);
  let at = head.length;
  for (const content of contents) {
    bytes.set(content, at);
    at += content.length;
  }
  return bytes;
}

/** The content of an OBJECT IDENTIFIER, hexadecimal: two are equal if these are. */
export function oidHex({ content }: Pick<DerElement, 'content'>): string {
  return Array.from(content, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const UTC_TIME = 0x17;
const CENTURY_YEAR = 50;
const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d(?:\.\d+)?)Z$/;

/** UTCTime and GeneralizedTime, both in UTC, epoch milliseconds; null: it is none. */
export function derTimeMs({ tag, content }: DerElement): number | null {
  const digits = new TextDecoder().decode(content);
  const century = Number(digits.slice(0, 2)) >= CENTURY_YEAR ? '19' : '20';
  const full = tag === UTC_TIME ? century + digits : digits;
  const [, year, month, day, hour, minute, second] = TIME.exec(full) ?? [];
  const epochMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(epochMs) ? null : epochMs;
}
