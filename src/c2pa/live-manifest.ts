/**
 * The manifest of a live stream's init segment (C2PA 2.4 §18.25, §19.4): who signs, for which stream, and the key of the
 * session, which signs the segments. Without Node.js.
 */

import { hashInput, isEqual, topBoxes } from './boxes.ts';
import { type CborMap, CborTag, type CborValue, cborOf, cborValue, joined } from './cbor.ts';
import {
  bytesOf,
  COSE_HEADER,
  coseKeyOf,
  EDDSA,
  ed25519Of,
  mapOf,
  sign1Of,
  sign1Value,
  toBeSigned,
} from './cose.ts';
import {
  type Assertion,
  assertionContent,
  isManifestBox,
  MANIFEST_BOX_UUID,
  type ManifestParts,
  manifestBox,
  manifestParts,
  UUID_OFFSET,
} from './manifest-box.ts';
import { boxHash, numberOf, textOf } from './segment-info.ts';

/** The key that signs the segments of a session. */
export interface SessionKey {
  /** COSE's `kid`. */
  readonly id: Uint8Array;
  /** The public Ed25519 key. */
  readonly x: Uint8Array;
  /** Of the first segment. */
  readonly minSequenceNumber: number;
  /** Epoch seconds. */
  readonly createdAtSec: number;
  readonly validitySec: number;
}

/** What the manifest says. */
export interface LiveStatement {
  /** `urn:c2pa:` and a UUID, another one for each session. */
  readonly manifestId: string;
  /** The same for all sessions of a camera's rendition. */
  readonly streamId: string;
  /** Of the program. */
  readonly version: string;
  /** X.509 in DER, of the key that signs the manifest. */
  readonly certificate: Uint8Array;
  readonly session: SessionKey;
}

/** Signs with Ed25519. */
export type Sign = (bytes: Uint8Array) => Uint8Array;
type Sha256 = (bytes: Uint8Array) => Uint8Array;

export interface ManifestSigning {
  readonly sha256: Sha256;
  /** With the certificate's key. */
  readonly sign: Sign;
  /** With the session's key. */
  readonly signAsSession: Sign;
}

/** A manifest that was read, whose signatures and hashes are not checked yet. */
export interface ReadManifest extends LiveStatement {
  readonly parts: ManifestParts;
  /** Of each assertion, as the claim has them. */
  readonly assertionHashes: readonly Uint8Array[];
  /** SHA-256 over the other boxes of the init segment. */
  readonly initHash: Uint8Array;
  readonly claimSignature: { readonly bytes: Uint8Array<ArrayBuffer>; readonly signature: Uint8Array };
  /** The session's key signs the certificate, so no other signer can pass it off as their own. */
  readonly binding: { readonly bytes: Uint8Array<ArrayBuffer>; readonly signature: Uint8Array };
}

const LABEL = {
  actions: 'c2pa.actions.v2',
  sessionKeys: 'c2pa.session-keys',
  stream: 'sluice.stream',
  hash: 'c2pa.hash.bmff.v3',
} as const;
const CAPTURED = 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture';
const GENERATOR = 'Sluice';
const MANIFEST_SCHEME = 'urn:c2pa:';
const INSTANCE_SCHEME = 'xmp:iid:';
/** A date and time as text (RFC 8949 §3.4.1). */
const DATE_TAG = 0;
const HASH_BYTES = 32;
const SIGNATURE_BYTES = 64;
const ONLY_ALGORITHM = cborOf(new Map([[COSE_HEADER.algorithm, EDDSA]]));
const NO_HEADER: CborMap = new Map();

/** The init segment with its manifest behind the first box. */
export function signedInit(
  init: Uint8Array,
  statement: LiveStatement,
  signing: ManifestSigning,
): Uint8Array<ArrayBuffer> {
  const boxes = topBoxes(init);
  const split = boxes[0]!.bytes.length;
  const draft = boxWith(statement, new Uint8Array(HASH_BYTES), {
    ...signing,
    sign: () => new Uint8Array(SIGNATURE_BYTES),
  });
  const moved = boxes.map((box) => (box.start === 0 ? box : { ...box, start: box.start + draft.length }));
  const box = boxWith(statement, signing.sha256(hashInput(moved)), signing);
  return joined([init.subarray(0, split), box, init.subarray(split)]);
}

/** null: it has none. Throws a RangeError if it has one that is not as `signedInit` writes them. */
export function readManifest(init: Uint8Array): ReadManifest | null {
  const found = topBoxes(init).filter(isManifestBox);
  if (found.length === 0) return null;
  if (found.length > 1) throw new RangeError('more than one manifest');
  const parts = manifestParts(found[0]!.bytes);
  const claim = mapOf(cborValue(parts.claim));
  const sign1 = sign1Of(cborValue(parts.signature));
  const certificate = bytesOf(sign1.protectedHeader.get(COSE_HEADER.x5chain));
  const [entry] = listOf(assertionIn(parts, LABEL.sessionKeys).get('keys'));
  const { session, bindingSignature } = sessionOf(mapOf(entry));
  const statement = {
    manifestId: parts.label,
    streamId: textOf(assertionIn(parts, LABEL.stream).get('id')),
    version: textOf(mapOf(claim.get('claim_generator_info')).get('version')),
    certificate,
    session,
  };
  const initHash = bytesOf(assertionIn(parts, LABEL.hash).get('hash'), HASH_BYTES);
  const assertionHashes = listOf(claim.get('created_assertions')).map((each) =>
    bytesOf(mapOf(each).get('hash')),
  );
  const assertions = assertionsOf(statement, bindingSignature, initHash);
  const isSame =
    isEqual(claimOf(statement, assertions, assertionHashes), parts.claim) &&
    isEqual(claimSignatureOf(certificate, sign1.signature), parts.signature) &&
    assertions.length === parts.assertions.length &&
    assertions.every(({ content }, at) => isEqual(content, parts.assertions[at]!.content));
  if (!isSame) throw new RangeError('another form of a manifest');
  return {
    ...statement,
    parts,
    assertionHashes,
    initHash,
    claimSignature: { bytes: toBeSigned(sign1.protectedBytes, parts.claim), signature: sign1.signature },
    binding: { bytes: boundBytes(certificate), signature: bindingSignature },
  };
}

/** What the hash of the init segment is over. */
export function initHashInput(init: Uint8Array): Uint8Array<ArrayBuffer> {
  return hashInput(topBoxes(init).filter((box) => !isManifestBox(box)));
}

function boxWith(statement: LiveStatement, initHash: Uint8Array, signing: ManifestSigning): Uint8Array {
  const { certificate, manifestId } = statement;
  const binding = signing.signAsSession(boundBytes(certificate));
  const assertions = assertionsOf(statement, binding, initHash);
  const hashes = assertions.map((assertion) => signing.sha256(assertionContent(assertion)));
  const claim = claimOf(statement, assertions, hashes);
  const claimed = toBeSigned(claimHeader(certificate), claim);
  const signature = claimSignatureOf(certificate, signing.sign(claimed));
  return manifestBox({ label: manifestId, assertions, claim, signature });
}

function assertionsOf(
  { streamId, session }: LiveStatement,
  binding: Uint8Array,
  initHash: Uint8Array,
): readonly Assertion[] {
  const created = new Map<string, CborValue>([
    ['action', 'c2pa.created'],
    ['digitalSourceType', CAPTURED],
  ]);
  const { id, x, minSequenceNumber, createdAtSec, validitySec } = session;
  const key = new Map<string, CborValue>([
    ['key', coseKeyOf(id, x)],
    ['minSequenceNumber', minSequenceNumber],
    ['createdAt', new CborTag(DATE_TAG, dateText(createdAtSec))],
    ['validityPeriod', validitySec],
    [
      'signerBinding',
      sign1Value({
        protectedBytes: ONLY_ALGORITHM,
        unprotectedHeader: NO_HEADER,
        payload: null,
        signature: binding,
      }),
    ],
  ]);
  const contents: readonly [string, CborMap][] = [
    [LABEL.actions, new Map([['actions', [created]]])],
    [LABEL.sessionKeys, new Map([['keys', [key]]])],
    [LABEL.stream, new Map([['id', streamId]])],
    [LABEL.hash, boxHash(initHash, '/uuid', UUID_OFFSET, MANIFEST_BOX_UUID)],
  ];
  return contents.map(([label, content]) => ({ label, content: cborOf(content) }));
}

function claimOf(
  { manifestId, version }: LiveStatement,
  assertions: readonly Assertion[],
  hashes: readonly Uint8Array[],
): Uint8Array {
  const reference = ({ label }: Assertion, at: number) =>
    new Map<string, CborValue>([
      ['url', `self#jumbf=c2pa.assertions/${label}`],
      ['hash', hashes[at] ?? null],
    ]);
  return cborOf(
    new Map<string, CborValue>([
      ['instanceID', INSTANCE_SCHEME + manifestId.slice(MANIFEST_SCHEME.length)],
      [
        'claim_generator_info',
        new Map([
          ['name', GENERATOR],
          ['version', version],
        ]),
      ],
      ['signature', `self#jumbf=/c2pa/${manifestId}/c2pa.signature`],
      ['created_assertions', assertions.map(reference)],
      ['alg', 'sha256'],
    ]),
  );
}

function claimHeader(certificate: Uint8Array): Uint8Array {
  return cborOf(
    new Map<number, CborValue>([
      [COSE_HEADER.algorithm, EDDSA],
      [COSE_HEADER.x5chain, certificate],
    ]),
  );
}

function claimSignatureOf(certificate: Uint8Array, signature: Uint8Array): Uint8Array {
  const protectedBytes = claimHeader(certificate);
  return cborOf(sign1Value({ protectedBytes, unprotectedHeader: NO_HEADER, payload: null, signature }));
}

function boundBytes(certificate: Uint8Array): Uint8Array<ArrayBuffer> {
  return toBeSigned(ONLY_ALGORITHM, cborOf(certificate));
}

function sessionOf(entry: CborMap): { readonly session: SessionKey; readonly bindingSignature: Uint8Array } {
  const createdAt = entry.get('createdAt');
  const session = {
    ...ed25519Of(mapOf(entry.get('key'))),
    minSequenceNumber: numberOf(entry.get('minSequenceNumber')),
    createdAtSec: Date.parse(textOf(createdAt instanceof CborTag ? createdAt.value : undefined)) / 1_000,
    validitySec: numberOf(entry.get('validityPeriod')),
  };
  return { session, bindingSignature: sign1Of(entry.get('signerBinding')!).signature };
}

function assertionIn({ assertions }: ManifestParts, wanted: string): CborMap {
  const found = assertions.find(({ label }) => label === wanted);
  if (found === undefined) throw new RangeError('an assertion is missing');
  return mapOf(cborValue(found.content));
}

function listOf(value: CborValue | undefined): readonly CborValue[] {
  if (!Array.isArray(value)) throw new RangeError('not a list');
  return value as readonly CborValue[];
}

/** RFC 3339, in whole seconds. */
function dateText(epochSec: number): string {
  return new Date(epochSec * 1_000).toISOString().replace('.000Z', 'Z');
}
