/**
 * The box of an init segment with its manifest (C2PA 2.4 §11.1, §A.5): JUMBF (ISO/IEC 19566-5) with a claim, its assertions, and
 * its signature. Without Node.js.
 */

import { BOX_HEADER_BYTES, boxOf, isEqual, type TopBox, topBoxes } from './boxes.ts';
import { joined } from './cbor.ts';

/** What differs between manifests: all other bytes of the box follow from it. */
export interface ManifestParts {
  /** The manifest's URN, which segments name. */
  readonly label: string;
  /** In order. */
  readonly assertions: readonly Assertion[];
  /** CBOR. */
  readonly claim: Uint8Array;
  /** A COSE_Sign1 over the claim. */
  readonly signature: Uint8Array;
}

export interface Assertion {
  readonly label: string;
  /** CBOR. */
  readonly content: Uint8Array;
}

export const MANIFEST_BOX_UUID = Uint8Array.from(
  'd8 fe c3 d6 1b 0e 48 3c 92 97 58 28 87 7e c4 81'.split(' '),
  (hex) => Number.parseInt(hex, 16),
);
/** Where a `uuid` box has its UUID. */
export const UUID_OFFSET = BOX_HEADER_BYTES;
export const CLAIM_LABEL = 'c2pa.claim.v2';
const LABELS = { store: 'c2pa', assertions: 'c2pa.assertions', signature: 'c2pa.signature' } as const;
/** Content types, whose first four bytes are these letters. */
const CONTENT = {
  store: 'c2pa',
  manifest: 'c2ma',
  assertions: 'c2as',
  claim: 'c2cl',
  signature: 'c2cs',
  cbor: 'cbor',
};
const CONTENT_END = [0x00, 0x11, 0x00, 0x10, 0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71];
/** The description has a label, and others can request it. */
const HAS_LABEL = 0x03;
const UUID_BYTES = 16;
/** Version, flags, purpose, and the offset of a second box, which there is not. */
const PURPOSE = joined([new Uint8Array(4), textZ('manifest'), new Uint8Array(8)]);

export function manifestBox({ label, assertions, claim, signature }: ManifestParts): Uint8Array<ArrayBuffer> {
  const manifest = superbox(
    CONTENT.manifest,
    label,
    superbox(CONTENT.assertions, LABELS.assertions, ...assertions.map(assertionBox)),
    superbox(CONTENT.claim, CLAIM_LABEL, boxOf('cbor', claim)),
    superbox(CONTENT.signature, LABELS.signature, boxOf('cbor', signature)),
  );
  return boxOf('uuid', MANIFEST_BOX_UUID, PURPOSE, superbox(CONTENT.store, LABELS.store, manifest));
}

/** What a claim hashes of an assertion (C2PA 2.4 §8.4.2.3): its box without the header. */
export function assertionContent(assertion: Assertion): Uint8Array {
  return assertionBox(assertion).subarray(BOX_HEADER_BYTES);
}

export function isManifestBox({ type, bytes }: TopBox): boolean {
  return type === 'uuid' && isEqual(bytes.subarray(UUID_OFFSET, UUID_OFFSET + UUID_BYTES), MANIFEST_BOX_UUID);
}

/** Throws a RangeError unless `box` is exactly what `manifestBox` makes of these parts. */
export function manifestParts(box: Uint8Array): ManifestParts {
  const [store] = superboxesIn(box.subarray(UUID_OFFSET + UUID_BYTES + PURPOSE.length));
  const [manifest] = superboxesIn(store!.content);
  const [assertions, claim, signature] = superboxesIn(manifest!.content);
  const parts = {
    label: manifest!.label,
    assertions: superboxesIn(assertions!.content).map(({ label, content }) => ({
      label,
      content: cborIn(content),
    })),
    claim: cborIn(claim!.content),
    signature: cborIn(signature!.content),
  };
  if (!isEqual(manifestBox(parts), box)) throw new RangeError('another form of a manifest');
  return parts;
}

function assertionBox({ label, content }: Assertion): Uint8Array {
  return superbox(CONTENT.cbor, label, boxOf('cbor', content));
}

function superbox(contentType: string, label: string, ...contents: readonly Uint8Array[]): Uint8Array {
  const type = joined([new TextEncoder().encode(contentType), Uint8Array.from(CONTENT_END)]);
  return boxOf('jumb', boxOf('jumd', type, Uint8Array.of(HAS_LABEL), textZ(label)), ...contents);
}

function superboxesIn(bytes: Uint8Array): { readonly label: string; readonly content: Uint8Array }[] {
  return topBoxes(bytes).map(({ bytes: superboxBytes }) => {
    const content = superboxBytes.subarray(BOX_HEADER_BYTES);
    const description = topBoxes(content)[0]!.bytes;
    const label = description.subarray(BOX_HEADER_BYTES + UUID_BYTES + 1, description.length - 1);
    return { label: new TextDecoder().decode(label), content: content.subarray(description.length) };
  });
}

function cborIn(content: Uint8Array): Uint8Array {
  return topBoxes(content)[0]!.bytes.subarray(BOX_HEADER_BYTES);
}

/** Text that ends with a zero. */
export function textZ(text: string): Uint8Array {
  return joined([new TextEncoder().encode(text), new Uint8Array(1)]);
}
