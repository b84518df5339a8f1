/**
 * Checks a fragmented MP4 of a sealed case: each segment against its link, and the links against each other. The boxes are
 * those of recording files (recording/recording-boxes.ts). Without Node.js.
 */

import { type ByteSource, digestOfRange, NearReads } from './byte-source.ts';
import { DIGEST_BYTES, type LinkedFacts, linkBytes, RUN_BYTES } from './link-bytes.ts';
import type { RunningHash } from './sha256.ts';

/** The public keys of certificates, by the hexadecimal names of the keys. */
export type EvidenceKeys = ReadonlyMap<string, CryptoKey>;

/** What a file is found to be. */
export interface MediaFinding {
  readonly segments: number;
  /** Segments that are not as they were recorded. */
  readonly changed: number;
  /** Segments whose link no known key signed. */
  readonly unsigned: number;
  /** Segments that an older version recorded without links. */
  readonly unlinked: number;
  /** Segments that the gateway could not finish, and that were cut after their last whole part. */
  readonly repaired: number;
  /** Places where segments are missing within a run, and other runs that begin. */
  readonly gaps: number;
  /** What is wrong, in order; at most MAX_PROBLEMS. */
  readonly problems: readonly MediaProblem[];
}

export interface MediaProblem {
  /** The part of a segment that is not as it was recorded, its link that is missing, or what the file cannot be. */
  readonly what:
    | 'media'
    | 'facts'
    | 'signature'
    | 'size'
    | 'place'
    | 'no-link'
    | 'no-segments'
    | 'no-beginning'
    | 'no-end'
    | 'link-alone'
    | 'foreign-bytes'
    | 'cut-off';
  /** When the segment was recorded, epoch milliseconds; null: not known. */
  readonly epochMs: number | null;
}

interface Link {
  readonly run: Uint8Array;
  readonly sequence: number;
  readonly isRepaired: boolean;
  readonly previous: Uint8Array;
  readonly mediaDigest: Uint8Array;
  readonly digest: Uint8Array;
  readonly keyName: string | null;
  readonly signature: Uint8Array;
}

const MAX_PROBLEMS = 20;
/** The last moment that a date can have. */
const MAX_EPOCH_MS = 8.64e15;
const USER_TYPE = [0xe1, 0xd5, 0xc1, 0xa0, 0x8a, 0x4f, 0x4d, 0x0b, 0x9f, 0x3c, 0x5b, 0x7a, 0x62, 0xd4, 0x10];
const KINDS = ['', 'file', 'segment', 'trailer', 'link'] as const;
const FIELDS_AT = 24;
const KEY_NAME_BYTES = 16;
const SIGNATURE_BYTES = 64;
const CHAINED_FLAG = 4;
/** More than any box of recordings has. */
const BOX_BYTES = 512;

interface OpenSegment {
  readonly facts: Omit<LinkedFacts, 'durationTicks' | 'byteLength'>;
  readonly mediaAt: number;
}

/** How bytes are hashed, and with which keys they are checked. */
export interface EvidenceCheck {
  readonly keys: EvidenceKeys;
  readonly newHash: () => RunningHash;
}

/** In little memory, however large the file is. */
export async function verifyMedia(source: ByteSource, check: EvidenceCheck): Promise<MediaFinding> {
  const walk = new MediaWalk(source, check);
  try {
    await walk.run();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    walk.changed('cut-off');
  }
  return walk.finding();
}

class MediaWalk {
  readonly #source: ByteSource;
  readonly #check: EvidenceCheck;
  readonly #counts = { segments: 0, changed: 0, unsigned: 0, unlinked: 0, repaired: 0, gaps: 0 };
  readonly #problems: MediaProblem[] = [];
  #stream: { cameraUuid: string; rendition: string; isChained: boolean } | null = null;
  #initAt = 0;
  #initDigest: Uint8Array | null = null;
  #open: OpenSegment | null = null;
  /** A segment whose link must follow. */
  #ended: { readonly facts: LinkedFacts; readonly mediaAt: number } | null = null;
  #before: Link | null = null;

  constructor(source: ByteSource, check: EvidenceCheck) {
    this.#source = new NearReads(source);
    this.#check = check;
  }

  finding(): MediaFinding {
    return { ...this.#counts, problems: this.#problems };
  }

  /** `recordedMs`: of its segment. */
  changed(what: MediaProblem['what'], recordedMs: number | null = null): void {
    this.#counts.changed++;
    const epochMs = recordedMs !== null && recordedMs <= MAX_EPOCH_MS ? recordedMs : null;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ what, epochMs });
  }

  async run(): Promise<void> {
    const size = this.#source.byteLength;
    for (let at = 0; at < size; ) {
      const box = new Box(await this.#source.read(at, BOX_BYTES));
      const byteLength = box.u32(0);
      if (byteLength < 8 || at + byteLength > size) throw new RangeError();
      const kind = box.type === 'uuid' ? box.kind() : null;
      if (this.#ended !== null && kind !== 'link') this.#withoutLink();
      if (kind === 'file') this.#readFile(box);
      else if (kind === 'segment') this.#beginSegment(box, at + byteLength);
      else if (kind === 'trailer') this.#endSegment(box, at);
      else if (kind === 'link') await this.#checkLink(box);
      else if (box.type === 'ftyp') this.#initAt = at;
      else if (box.type === 'moov') this.#initDigest = await this.#digest(this.#initAt, at + byteLength);
      else if (this.#open === null) {
        this.changed('foreign-bytes');
      }
      at += byteLength;
    }
    if (this.#ended !== null) this.#withoutLink();
    if (this.#open !== null) this.changed('no-end');
    if (this.#counts.segments === 0) this.changed('no-segments');
  }

  #digest(offset: number, end: number): Promise<Uint8Array> {
    return digestOfRange(this.#source, { offset, length: end - offset }, this.#check.newHash());
  }

  #readFile(box: Box): void {
    const isChained = (box.u16(FIELDS_AT + 4) & CHAINED_FLAG) !== 0;
    const uuidAt = FIELDS_AT + 6 + 16 + 8 + 16;
    const rendition = box.text(uuidAt + 22, 16).replaceAll('\0', '');
    this.#stream = { cameraUuid: box.text(uuidAt, 22), rendition, isChained };
  }

  #beginSegment(box: Box, mediaAt: number): void {
    if (this.#open !== null) this.changed('no-end');
    this.#open = {
      mediaAt,
      facts: {
        cameraUuid: this.#stream?.cameraUuid ?? '',
        rendition: this.#stream?.rendition ?? '',
        startTicks: box.u64(FIELDS_AT),
        epochMs: box.u64(FIELDS_AT + 8) / 1_000,
        timescaleHz: box.u32(FIELDS_AT + 24),
        isDiscontinuity: (box.u32(FIELDS_AT + 28) & 1) !== 0,
      },
    };
  }

  #endSegment(box: Box, at: number): void {
    const open = this.#open;
    this.#open = null;
    if (open === null) {
      this.changed('no-beginning');
      return;
    }
    this.#counts.segments++;
    const byteLength = at - open.mediaAt;
    if (box.u32(FIELDS_AT) !== byteLength) this.changed('size', open.facts.epochMs);
    const durationTicks = box.u32(FIELDS_AT + 4);
    this.#ended = { facts: { ...open.facts, durationTicks, byteLength }, mediaAt: open.mediaAt };
  }

  #withoutLink(): void {
    const { facts } = this.#ended!;
    this.#ended = null;
    if (this.#stream?.isChained === true) this.changed('no-link', facts.epochMs);
    else this.#counts.unlinked++;
  }

  async #checkLink(box: Box): Promise<void> {
    const ended = this.#ended;
    this.#ended = null;
    const link = box.link();
    if (ended === null || this.#initDigest === null) {
      this.changed('link-alone');
      return;
    }
    const { facts, mediaAt } = ended;
    if (link.isRepaired) this.#counts.repaired++;
    const mediaDigest = await this.#digest(mediaAt, mediaAt + facts.byteLength);
    const expected = await digest(linkBytes(facts, this.#initDigest, link));
    if (!areEqual(mediaDigest, link.mediaDigest)) this.changed('media', facts.epochMs);
    else if (!areEqual(expected, link.digest)) this.changed('facts', facts.epochMs);
    else await this.#checkSignature(link, facts.epochMs);
    this.#checkOrder(link, facts.epochMs);
  }

  async #checkSignature({ digest: signed, keyName, signature }: Link, epochMs: number): Promise<void> {
    const key = keyName === null ? undefined : this.#check.keys.get(keyName);
    if (key === undefined) {
      this.#counts.unsigned++;
      return;
    }
    const isValid = await crypto.subtle.verify('Ed25519', key, owned(signature), owned(signed));
    if (!isValid) this.changed('signature', epochMs);
  }

  #checkOrder(link: Link, epochMs: number): void {
    const before = this.#before;
    this.#before = link;
    if (before === null) return;
    if (!areEqual(before.run, link.run)) this.#counts.gaps++;
    else if (link.sequence > before.sequence + 1) this.#counts.gaps++;
    else if (link.sequence !== before.sequence + 1 || !areEqual(before.digest, link.previous)) {
      this.changed('place', epochMs);
    }
  }
}

/** The first bytes of a box: all of those that recordings have for themselves. Reading beyond them is a RangeError. */
class Box {
  readonly type: string;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    // The next read may use the same memory.
    this.#bytes = new Uint8Array(bytes);
    this.#view = new DataView(this.#bytes.buffer);
    this.type = this.text(4, 4);
  }

  u16(at: number): number {
    return this.#view.getUint16(at);
  }

  u32(at: number): number {
    return this.#view.getUint32(at);
  }

  u64(at: number): number {
    return Number(this.#view.getBigUint64(at));
  }

  text(at: number, length: number): string {
    return String.fromCharCode(...this.#part(at, length));
  }

  kind(): (typeof KINDS)[number] | null {
    for (const [i, byte] of USER_TYPE.entries()) if (this.#bytes[8 + i] !== byte) return null;
    return KINDS[this.#bytes[8 + USER_TYPE.length] ?? 0] ?? null;
  }

  link(): Link {
    const flags = this.u32(FIELDS_AT + RUN_BYTES + 8);
    const digestsAt = FIELDS_AT + RUN_BYTES + 12;
    const keyAt = digestsAt + 3 * DIGEST_BYTES;
    return {
      run: this.#part(FIELDS_AT, RUN_BYTES),
      sequence: this.u64(FIELDS_AT + RUN_BYTES),
      isRepaired: (flags & 1) !== 0,
      previous: this.#part(digestsAt, DIGEST_BYTES),
      mediaDigest: this.#part(digestsAt + DIGEST_BYTES, DIGEST_BYTES),
      digest: this.#part(digestsAt + 2 * DIGEST_BYTES, DIGEST_BYTES),
      keyName: (flags & 2) === 0 ? null : hexOf(this.#part(keyAt, KEY_NAME_BYTES)),
      signature: this.#part(keyAt + KEY_NAME_BYTES, SIGNATURE_BYTES),
    };
  }

  #part(at: number, byteLength: number): Uint8Array {
    if (at + byteLength > this.#bytes.length) throw new RangeError();
    return this.#bytes.subarray(at, at + byteLength);
  }
}

export async function digest(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', owned(bytes)));
}

export function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** WebCrypto takes no views of shared memory; these never are. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}
