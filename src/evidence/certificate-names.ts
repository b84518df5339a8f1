/** What a certificate says of itself (RFC 5280 §4.1), read from DER (ITU-T X.690). Without Node.js. */

import { type DerElement, derAt, derChildren, derTimeMs } from './der.ts';

export interface CertificateNames {
  /** The common name of its subject; '' if it has none. */
  readonly subject: string;
  /** Start of its validity, epoch milliseconds; null: unreadable. */
  readonly validFromMs: number | null;
}

const VERSION_TAG = 0xa0;
/** id-at-commonName. */
const COMMON_NAME = [0x55, 0x04, 0x03];

/** null: not a certificate. */
export function namesOf(certificate: Uint8Array): CertificateNames | null {
  try {
    const [toSign] = derChildren(derAt(certificate, 0));
    const fields = derChildren(toSign!).filter(({ tag }) => tag !== VERSION_TAG);
    // Serial number, algorithm, issuer, validity, subject.
    const [validity, subject] = [fields[3]!, fields[4]!];
    return { subject: commonNameOf(subject), validFromMs: derTimeMs(derChildren(validity)[0]!) };
  } catch {
    return null;
  }
}

function commonNameOf(name: DerElement): string {
  for (const set of derChildren(name)) {
    for (const attribute of derChildren(set)) {
      const [type, value] = derChildren(attribute);
      if (type!.content.join() === COMMON_NAME.join()) return new TextDecoder().decode(value!.content);
    }
  }
  return '';
}
