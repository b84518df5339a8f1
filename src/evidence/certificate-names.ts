/** What a certificate says of itself (RFC 5280 §4.1), read from DER (ITU-T X.690). Without Node.js. */

export interface CertificateNames {
  /** The common name of its subject; '' if it has none. */
  readonly subject: string;
  /** Start of its validity, epoch milliseconds; null: unreadable. */
  readonly validFromMs: number | null;
}

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Where the next one begins. */
  readonly end: number;
}

const TAG = { sequence: 0x30, version: 0xa0, utcTime: 0x17 };
/** id-at-commonName. */
const COMMON_NAME = [0x55, 0x04, 0x03];
const CENTURY_YEAR = 50;

/** null: not a certificate. */
export function namesOf(certificate: Uint8Array): CertificateNames | null {
  try {
    const [toSign] = childrenOf(elementAt(certificate, 0).content);
    const fields = childrenOf(toSign!.content).filter(({ tag }) => tag !== TAG.version);
    // Serial number, algorithm, issuer, validity, subject.
    const [validity, subject] = [fields[3]!, fields[4]!];
    return { subject: commonNameOf(subject), validFromMs: timeOf(childrenOf(validity.content)[0]!) };
  } catch {
    return null;
  }
}

function commonNameOf(name: Element): string {
  for (const set of childrenOf(name.content)) {
    for (const attribute of childrenOf(set.content)) {
      const [type, value] = childrenOf(attribute.content);
      if (type!.content.join() === COMMON_NAME.join()) return new TextDecoder().decode(value!.content);
    }
  }
  return '';
}

/** UTCTime and GeneralizedTime, both in UTC. */
function timeOf({ tag, content }: Element): number | null {
  const digits = new TextDecoder().decode(content);
  const century = Number(digits.slice(0, 2)) >= CENTURY_YEAR ? '19' : '20';
  const full = tag === TAG.utcTime ? century + digits : digits;
  const iso = full.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const epochMs = Date.parse(iso);
  return Number.isNaN(epochMs) ? null : epochMs;
}

function childrenOf(bytes: Uint8Array): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; at = found.at(-1)!.end) found.push(elementAt(bytes, at));
  return found;
}

/** Throws a RangeError if it is cut off. */
function elementAt(bytes: Uint8Array, at: number): Element {
  const tag = bytes[at]!;
  let length = bytes[at + 1] ?? 0;
  let start = at + 2;
  if (length > 0x80) {
    const count = length & 0x7f;
    length = bytes.subarray(start, start + count).reduce((sum, byte) => sum * 256 + byte, 0);
    start += count;
  }
  if (start + length > bytes.length) throw new RangeError();
  return { tag, content: bytes.subarray(start, start + length), end: start + length };
}
