/** Codec names of four characters (Enhanced RTMP, FourCC). */

const KNOWN = [
  'avc1',
  'hvc1',
  'av01',
  'vp08',
  'vp09',
  'vvc1',
  'mp4a',
  'Opus',
  'fLaC',
  'ac-3',
  'ec-3',
  '.mp3',
];
const BY_NUMBER = new Map(KNOWN.map((name) => [numberAt(Buffer.from(name, 'latin1'), 0), name]));

/** The name at `at`, with four bytes there; `unknown` for one that no specification lists: it is shown to people. */
export function fourCcAt(bytes: Uint8Array, at: number): string {
  return BY_NUMBER.get(numberAt(bytes, at)) ?? 'unknown';
}

function numberAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
}
