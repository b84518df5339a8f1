/**
 * Signs the parts of one rendition before they are published (docs/design/live-signatures.md). A segment's signature is a box in
 * its last part, because only then the segment is known; before it, parts are hashed as they come.
 */

import { createHash } from 'node:crypto';
import { ByteQueue } from '../../cmaf/byte-queue.ts';
import { JoinedBytes } from '../../cmaf/joined-bytes.ts';
import type { PackagedTracks } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import { type PackedBytes, PartBytes } from '../../cmaf/part-bytes.ts';
import type { Clock } from '../../core/clock.ts';
import { type BeginSession, SESSION_MS, type SegmentSignature, type SigningSession } from './live-signing.ts';

interface Session {
  readonly signing: SigningSession;
  readonly beganEpochMs: number;
  /** The tracks that it was begun for, and the same with its init segment. */
  readonly plain: PackagedTracks;
  readonly tracks: PackagedTracks;
}

interface OpenSegment {
  readonly signature: SegmentSignature;
  durationTicks: number;
}

export class SegmentSigner {
  readonly #clock: Pick<Clock, 'epochMs'>;
  readonly #begin: BeginSession;
  /** Boxes until their parts are released. */
  readonly #boxes = new ByteQueue();
  #session: Session | null = null;
  #open: OpenSegment | null = null;

  constructor(clock: Pick<Clock, 'epochMs'>, begin: BeginSession) {
    this.#clock = clock;
    this.#begin = begin;
  }

  /** `sequenceNumber`: the part's segment's. Takes over the bytes. Hot: once per part. */
  signed(part: CmafPart, sequenceNumber: number): CmafPart {
    if (part.isSegmentStart) return this.#first(part, sequenceNumber);
    // The rest of a segment whose beginning was published elsewhere.
    if (this.#open === null) return part;
    return this.#next(part, this.#session!.tracks);
  }

  /** The next segment begins a session. */
  reset(): void {
    this.#session = null;
    this.#open = null;
  }

  close(): void {
    this.reset();
    this.#boxes.clear();
  }

  #first(part: CmafPart, sequenceNumber: number): CmafPart {
    const session = this.#sessionOf(part.tracks, sequenceNumber);
    this.#open = { signature: session.signing.segment(sequenceNumber), durationTicks: 0 };
    return this.#next(part, session.tracks);
  }

  #next(part: CmafPart, tracks: PackagedTracks): CmafPart {
    const { bytes, durationTicks, timescaleHz, isSegmentEnd, keySample } = part;
    const open = this.#open!;
    open.durationTicks += durationTicks;
    const views = bytes.views();
    if (!isSegmentEnd) {
      open.signature.add(views);
      return { ...part, tracks };
    }
    this.#open = null;
    const facts = { timescaleHz, durationTicks: open.durationTicks, nowEpochMs: this.#clock.epochMs() };
    const box = open.signature.end(views, facts);
    return {
      ...part,
      tracks,
      bytes: this.#with(box.bytes, box.position, bytes),
      keySample:
        keySample === null ? null : { ...keySample, offsetBytes: keySample.offsetBytes + box.bytes.length },
    };
  }

  #sessionOf(plain: PackagedTracks, sequenceNumber: number): Session {
    const nowEpochMs = this.#clock.epochMs();
    const current = this.#session;
    const ageMs = current === null ? 0 : nowEpochMs - current.beganEpochMs;
    const isUsable = current?.plain.continuity === plain.continuity && ageMs >= 0 && ageMs < SESSION_MS;
    if (current !== null && isUsable) return current;
    const signing = this.#begin({ minSequenceNumber: sequenceNumber, nowEpochMs });
    const init = signing.introducedIn(plain.init);
    const signed = { init, fingerprint: createHash('sha256').update(init).digest('hex') };
    const session = { signing, beganEpochMs: nowEpochMs, plain, tracks: { ...plain, signed } };
    this.#session = session;
    return session;
  }

  /** The box is almost always first. Otherwise, the part is a whole segment, and is copied. */
  #with(box: Uint8Array, position: number, bytes: PackedBytes): PackedBytes {
    if (position === 0) return new JoinedBytes(this.#kept([box]), bytes);
    const all = bytes.join();
    bytes.release();
    return this.#kept([all.subarray(0, position), box, all.subarray(position)]);
  }

  #kept(pieces: readonly Uint8Array[]): PartBytes {
    for (const piece of pieces) this.#boxes.append(piece);
    const { byteLength } = this.#boxes;
    const run = this.#boxes.share(byteLength);
    this.#boxes.drop(byteLength);
    return new PartBytes([run]);
  }
}
