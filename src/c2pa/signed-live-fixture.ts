/** A short signed stream for tests, without a camera. */

import { selfSignedCertificate } from '../evidence/certificate.ts';
import { signingKey } from '../evidence/signing-key.ts';
import { boxOf } from './boxes.ts';
import { joined } from './cbor.ts';
import { LiveSession } from './live-session.ts';

const NOW_MS = Date.UTC(2026, 5, 1, 12);

/** Segments from `firstNumber` on, as they are published. */
export function signedLive(
  firstNumber: number,
  count: number,
): { readonly init: Buffer; readonly segments: readonly Buffer[] } {
  const { key, publicKey } = signingKey(Buffer.alloc(32, 7), 1);
  const certificate = selfSignedCertificate({
    commonName: 'Sluice evidence',
    key,
    publicKey,
    nowEpochMs: NOW_MS,
  });
  const session = new LiveSession({
    identity: { key, certificate, version: '1.2.3' },
    streamId: 'ab12',
    minSequenceNumber: firstNumber,
    nowEpochMs: NOW_MS,
  });
  const init = joined([boxOf('ftyp', Buffer.from('iso6')), boxOf('moov', Buffer.alloc(300, 3))]);
  const segments = Array.from({ length: count }, (_each, at) => {
    const [first, last] = [partOf(at, 'styp'), partOf(at, 'free')];
    const signature = session.segment(firstNumber + at);
    signature.add([first]);
    const facts = { timescaleHz: 90_000, durationTicks: 180_000, nowEpochMs: NOW_MS + 2_000 * (at + 1) };
    return Buffer.concat([first, signature.end([last], facts).bytes, last]);
  });
  return { init: session.introducedIn(init), segments };
}

function partOf(fill: number, firstType: string): Uint8Array {
  return joined([
    boxOf(firstType),
    boxOf('moof', Buffer.alloc(90, fill)),
    boxOf('mdat', Buffer.alloc(500, fill)),
  ]);
}
