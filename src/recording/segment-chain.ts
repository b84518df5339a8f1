/**
 * The hash chain of recorded segments (docs/design/evidence.md#the-chain): each segment's link is a SHA-256 digest
 * (FIPS 180-4) over its facts, its media, its init segment, and the link before it, signed with Ed25519 (RFC 8032). Digests
 * cover media in the clear, so that an exported segment is still what was recorded.
 */

import { createHash, type Hash, hash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type LinkedFacts, linkBytes } from '../evidence/link-bytes.ts';
import { DIGEST_BYTES, RUN_BYTES, type SegmentLink } from './recording-boxes.ts';
import type { RecordedStream } from './segment-index.ts';

/** Signs links. */
export interface LinkSigner {
  /** Names the key: the first bytes of the SHA-256 digest of its public half (KEY_NAME_BYTES). */
  readonly keyName: Buffer;
  readonly key: KeyObject;
}

type Position = Pick<SegmentLink, 'run' | 'sequence' | 'isRepaired' | 'previous' | 'mediaDigest'>;

const NOTHING_BEFORE = Buffer.alloc(DIGEST_BYTES);

/** Digests a segment while its parts pass. */
export function mediaHash(): Hash {
  return createHash('sha256');
}

export function digestOf(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/** The link of a segment at this place of its run. `initDigest`: of its Media Initialization Section. */
export function linkDigest(facts: LinkedFacts, initDigest: Uint8Array, position: Position): Buffer {
  return digestOf(linkBytes(facts, initDigest, position));
}

/** Signs a link, or leaves it unsigned without a key. */
export function signedLink(position: Position, digest: Buffer, signer: LinkSigner | null): SegmentLink {
  if (signer === null) return { ...position, digest, keyName: null, signature: null };
  return { ...position, digest, keyName: signer.keyName, signature: sign(null, digest, signer.key) };
}

/** The chain of one writer: a run of links without a hole, over all of its files. */
export class SegmentChain {
  readonly #stream: RecordedStream;
  readonly #signer: () => LinkSigner | null;
  #run = randomBytes(RUN_BYTES);
  #sequence = 0;
  #previous: Buffer = NOTHING_BEFORE;
  #init: Uint8Array | null = null;
  #initDigest: Buffer = NOTHING_BEFORE;

  /** `signer`: the key to sign with now. */
  constructor(stream: RecordedStream, signer: () => LinkSigner | null) {
    this.#stream = stream;
    this.#signer = signer;
  }

  /** The link of the next segment. Nothing has changed before `add`. */
  next(facts: Omit<LinkedFacts, keyof RecordedStream>, init: Uint8Array, mediaDigest: Buffer): SegmentLink {
    if (init !== this.#init) {
      this.#init = init;
      this.#initDigest = digestOf(init);
    }
    const position = {
      run: this.#run,
      sequence: this.#sequence,
      isRepaired: false,
      previous: this.#previous,
      mediaDigest,
    };
    const digest = linkDigest({ ...this.#stream, ...facts }, this.#initDigest, position);
    return signedLink(position, digest, this.#signer());
  }

  /** The link is written. */
  add({ digest }: SegmentLink): void {
    this.#sequence++;
    this.#previous = digest;
  }

  /** Another run: a repair may continue this one. */
  restart(): void {
    this.#run = randomBytes(RUN_BYTES);
    this.#sequence = 0;
    this.#previous = NOTHING_BEFORE;
  }
}

/**
 * Where the link of a repaired segment belongs: after `last` in its file, or alone in a run of its own, which is the same
 * for everyone who repairs the file.
 */
export function repairedPosition(name: string, last: SegmentLink | null, mediaDigest: Buffer): Position {
  const own = digestOf(Buffer.from(`repaired ${name}`, 'latin1')).subarray(0, RUN_BYTES);
  return {
    run: last?.run ?? own,
    sequence: last === null ? 0 : last.sequence + 1,
    isRepaired: true,
    previous: last?.digest ?? NOTHING_BEFORE,
    mediaDigest,
  };
}
