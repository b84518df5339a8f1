/**
 * One session of live signatures: a fresh key that signs segments, and the manifest that introduces it. A session has one init
 * segment, and ends with it.
 */

import {
  createHash,
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign,
} from 'node:crypto';
import { SESSION_MS, type SegmentSignature, type SigningSession } from '../stream/packaging/live-signing.ts';
import { toBeSigned } from './cose.ts';
import { type LiveStatement, signedInit } from './live-manifest.ts';
import { SegmentHash } from './segment-hash.ts';
import {
  payloadOf,
  protectedHeaderOf,
  type SegmentStatement,
  segmentInfoBox,
  segmentInfoBytes,
} from './segment-info.ts';

/** Who signs. */
export interface LiveIdentity {
  /** The gateway's key, and its certificate in DER. */
  readonly key: KeyObject;
  readonly certificate: Uint8Array;
  readonly version: string;
}

export interface SessionOptions {
  readonly identity: LiveIdentity;
  readonly streamId: string;
  /** The first segment's number. */
  readonly minSequenceNumber: number;
  readonly nowEpochMs: number;
}

/** What is known of a segment at its end. */
interface SegmentFacts {
  readonly timescaleHz: number;
  readonly durationTicks: number;
  readonly nowEpochMs: number;
}

const KEY_ID_BYTES = 8;
const LARGEST_U32 = 2 ** 32;
/** The last segment of a session may begin right before it ends. */
const VALIDITY_SEC = (SESSION_MS + 3_600_000) / 1_000;
const STREAM_ID_DIGITS = 32;

/** Tells streams apart, and shows nothing of the camera. */
export function streamIdOf(cameraUuid: string, rendition: string): string {
  return hash('sha256', `sluice live stream ${cameraUuid} ${rendition}`).slice(0, STREAM_ID_DIGITS);
}

export class LiveSession implements SigningSession {
  readonly #statement: LiveStatement;
  readonly #identity: LiveIdentity;
  readonly #key: KeyObject;

  constructor({ identity, streamId, minSequenceNumber, nowEpochMs }: SessionOptions) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.#key = privateKey;
    this.#identity = identity;
    this.#statement = {
      manifestId: `urn:c2pa:${randomUUID()}`,
      streamId,
      version: identity.version,
      certificate: identity.certificate,
      session: {
        id: randomBytes(KEY_ID_BYTES),
        x: Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'),
        minSequenceNumber,
        createdAtSec: Math.floor(nowEpochMs / 1_000),
        validitySec: VALIDITY_SEC,
      },
    };
  }

  /** The init segment with the session's manifest. */
  introducedIn(init: Uint8Array): Buffer {
    const { key } = this.#identity;
    const bytes = signedInit(init, this.#statement, {
      sha256: (content) => createHash('sha256').update(content).digest(),
      sign: (content) => sign(null, content, key),
      signAsSession: (content) => sign(null, content, this.#key),
    });
    return Buffer.from(bytes.buffer);
  }

  /** The box goes before the last part, behind its `styp` if it has one. */
  segment(sequenceNumber: number): SegmentSignature {
    const running = new SegmentHash();
    return {
      add: (views) => running.add(views),
      end: (views, facts) => {
        const statement = this.#statementOf(sequenceNumber, facts);
        const { position } = running;
        running.leave(segmentInfoBytes(statement));
        running.add(views);
        const bytes = this.#box({ ...statement, hash: running.digest() });
        return { bytes, position: running.gapPosition - position };
      },
    };
  }

  #box(statement: SegmentStatement): Uint8Array {
    const signed = toBeSigned(protectedHeaderOf(statement), payloadOf(statement));
    return segmentInfoBox(statement, sign(null, signed, this.#key));
  }

  #statementOf(
    sequenceNumber: number,
    { timescaleHz, durationTicks, nowEpochMs }: SegmentFacts,
  ): Omit<SegmentStatement, 'hash'> {
    const { manifestId, session } = this.#statement;
    const { id, minSequenceNumber, createdAtSec } = session;
    return {
      sequenceNumber,
      manifestId,
      timescaleHz,
      // Audio may end after the video.
      durationTicks: durationTicks + timescaleHz,
      id: (sequenceNumber - minSequenceNumber + 1) % LARGEST_U32,
      keyId: id,
      // A clock that is set back does not make segments older than their key.
      signedAtSec: Math.max(createdAtSec, Math.floor(nowEpochMs / 1_000)),
    };
  }
}
