/**
 * Writes one stream into recording files, part by part. Runs in the recorder's thread. An error of the disk never leaves
 * it: the file ends at its last whole segment, and writing begins again with a segment after a pause.
 */

import type { Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Backoff } from '../core/backoff.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { type WireError, wireErrorOf } from '../core/wire-error.ts';
import type { RecordingPurpose } from '../store/recording.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { FileNumbers } from './file-numbers.ts';
import type { MediaAppender, MediaStorage } from './media-storage.ts';
import {
  writeFileHeader,
  writeSegmentHeader,
  writeSegmentLink,
  writeSegmentTrailer,
} from './recording-boxes.ts';
import type { RecordingCipher, RecordingKeys } from './recording-cipher.ts';
import { mediaHash, type SegmentChain } from './segment-chain.ts';
import {
  type ByteSpan,
  type RecordedFile,
  type RecordedSegment,
  type RecordedStream,
  recordingName,
} from './segment-index.ts';

/** Facts about a part; its bytes come separately. */
export interface RecordedPart {
  /** Timescale of the video track. */
  readonly timescaleHz: number;
  readonly startTicks: number;
  readonly durationTicks: number;
  readonly pictures: number;
  /** Wall time of the first frame. */
  readonly epochMs: number;
  readonly isSegmentStart: boolean;
  readonly isSegmentEnd: boolean;
  /** Only true together with `isSegmentStart`: it does not continue what came before. */
  readonly isDiscontinuity: boolean;
  /** The Media Initialization Section, if it is another one than that of the part before. */
  readonly init: Uint8Array | null;
}

export interface WriterLimits {
  /** A file is reserved with this size; the next one begins when another segment might not fit. */
  readonly fileBytes: number;
  readonly syncIntervalMs: number;
  /** Room that no new file may take. */
  readonly minFreeBytes: number;
}

export type WriterState =
  | { readonly state: 'recording' }
  /** Nothing is recorded until the pause is over. */
  | { readonly state: 'failed'; readonly error: WireError };

export interface WriterEvents {
  /** A segment of the file that is being written is complete. */
  onSegment(number: number, segment: RecordedSegment): void;
  /** The file is finished. */
  onFile(file: RecordedFile): void;
  /** The file could not be finished: repair it before listing it. */
  onUnfinished(number: number): void;
  onState(state: WriterState): void;
  /** A segment, or the rest of one, was not written. */
  onDropped(): void;
}

export interface RecordingWriterOptions {
  readonly stream: RecordedStream;
  readonly storage: MediaStorage;
  readonly limits: WriterLimits;
  readonly events: WriterEvents;
  /** Boot ID of the running system, BOOT_ID_BYTES. */
  readonly bootId: Buffer;
  readonly numbers: FileNumbers;
  /** The Media Initialization Section of parts that say none; absent: the first part has one. */
  readonly init?: Uint8Array | null;
  /** All of it goes into one file, however much it is; the caller bounds it. Default false. */
  readonly isOneFile?: boolean;
  /** To encrypt with; null: not at all. Default null. */
  readonly keys?: RecordingKeys | null;
  /** Links the segments; null: files have no links. Default null. */
  readonly chain?: SegmentChain | null;
  readonly clock?: Clock;
}

/** Wall time between the first and the last start of a segment in a file. Lists of a time range rely on it. */
export const MAX_FILE_MS = 3_600_000;
/** Keeps the index of a file small. */
export const MAX_FILE_SEGMENTS = 4_096;
const RETRY_MIN_MS = 2_000;
const RETRY_MAX_MS = 60_000;

interface OpenFile {
  readonly number: number;
  purpose: RecordingPurpose;
  /** null: not encrypted. */
  readonly cipher: RecordingCipher | null;
  readonly appender: MediaAppender;
  readonly segments: RecordedSegment[];
  /** That of the segments to come; null: not written yet. */
  init: ByteSpan | null;
  largestSegmentBytes: number;
  /** Digest of its newest link; null: it has none. */
  head: Buffer | null;
}

interface OpenSegment {
  readonly offset: number;
  readonly init: ByteSpan;
  readonly initBytes: Uint8Array;
  readonly first: RecordedPart;
  /** Of its parts in the clear; null: not linked. */
  readonly hash: Hash | null;
  /** Continuing right after the last one. */
  byteLength: number;
  durationTicks: number;
  pictures: number;
  mediaCrc: number;
}

export class RecordingWriter {
  readonly #options: RecordingWriterOptions;
  readonly #clock: Clock;
  /** That of the newest part. */
  #init: Uint8Array | null = null;
  #file: OpenFile | null = null;
  #segment: OpenSegment | null = null;
  /** Something was left out: the next segment does not continue the one before. */
  #hasGap = true;
  #syncedMonoMs = 0;
  #state: WriterState['state'] = 'recording';
  #retryAtMonoMs = Number.NEGATIVE_INFINITY;
  /** Back at the minimum when something has reached the disk: a broken one may take what it never stores. */
  readonly #backoff = new Backoff({ firstMs: RETRY_MIN_MS, lastMs: RETRY_MAX_MS });
  /** The purpose of the next segments. A file has one purpose. */
  purpose: RecordingPurpose = 'camera';

  constructor(options: RecordingWriterOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#init = options.init ?? null;
  }

  /** Number of the file that is being written; null: none. */
  get openNumber(): number | null {
    return this.#file?.number ?? null;
  }

  /** `bytes` are borrowed until it resolves. Parts come in order; one call at a time. */
  async write(part: RecordedPart, bytes: Uint8Array): Promise<void> {
    if (part.init !== null) {
      this.#init = part.init;
      if (this.#file !== null) this.#file.init = null;
    }
    const isTaken = await this.#write(part, bytes);
    // The segment begins the next file, once: a disk that takes every file is broken.
    if (isTaken && part.isSegmentStart) await this.#write(part, bytes);
  }

  /** True: another node has finished the file. */
  async #write(part: RecordedPart, bytes: Uint8Array): Promise<boolean> {
    if (!part.isSegmentStart && this.#segment === null) return false;
    try {
      if (part.isSegmentStart) await this.#beginSegment(part, bytes);
      else await this.#continueSegment(this.#segment!, part, bytes);
      await this.#syncIfDue();
      return false;
    } catch (thrown) {
      await this.#fail(thrown);
      return isTaken(thrown);
    }
  }

  /** An event needs the media before this time: the open file that has it is the camera's own. */
  claim(toEpochMs: number): void {
    const file = this.#file;
    if (file === null || (file.segments[0]?.epochMs ?? Number.NEGATIVE_INFINITY) >= toEpochMs) return;
    file.purpose = 'camera';
    this.purpose = 'camera';
  }

  /** The next part does not continue the one that was written last. */
  skip(): void {
    this.#hasGap = true;
  }

  /** Ends the file. The next part begins another one, with a gap before it. */
  async close(): Promise<void> {
    await this.endFile();
    this.#hasGap = true;
  }

  /** Ends the file between two segments. */
  async endFile(): Promise<void> {
    try {
      await this.#finishSegment([]);
      await this.#finishFile();
    } catch (thrown) {
      await this.#fail(thrown);
    }
  }

  async #beginSegment(part: RecordedPart, bytes: Uint8Array): Promise<void> {
    // The rest of it was left out.
    if (this.#segment !== null) {
      await this.#finishSegment([]);
      this.#hasGap = true;
    }
    if (this.#init === null || this.#clock.monoMs() < this.#retryAtMonoMs) {
      this.#drop();
      return;
    }
    if (this.#file !== null && this.#isFull(this.#file, part)) await this.#finishFile();
    this.#file ??= await this.#beginFile();
    const { appender, cipher } = this.#file;
    const pieces: Uint8Array[] = [];
    if (appender.byteLength === 0) pieces.push(this.#fileHeader());
    const initOffset = appender.byteLength + bytesOf(pieces);
    if (this.#file.init === null) pieces.push(cipher?.apply(initOffset, this.#init) ?? this.#init);
    const init = this.#file.init ?? { offset: initOffset, byteLength: this.#init.length };
    const isDiscontinuity = part.isDiscontinuity || this.#hasGap;
    const first = { ...part, isDiscontinuity };
    pieces.push(writeSegmentHeader({ ...first, syncedBytes: appender.syncedBytes }));
    const offset = appender.byteLength + bytesOf(pieces);
    const { durationTicks, pictures } = part;
    const byteLength = bytes.length;
    const stored = cipher?.apply(offset, bytes) ?? bytes;
    // A link has a digest of the same bytes: both would cost more than either shows.
    const hash = this.#options.chain == null ? null : mediaHash().update(bytes);
    const mediaCrc = hash === null ? crc32(stored) : 0;
    const sizes = { byteLength, durationTicks, pictures, mediaCrc };
    this.#segment = { offset, init, initBytes: this.#init, first, hash, ...sizes };
    pieces.push(stored);
    if (part.isSegmentEnd) await this.#finishSegment(pieces);
    else await appender.append(pieces);
    this.#file.init = init;
    this.#hasGap = false;
    this.#recovered();
  }

  async #continueSegment(segment: OpenSegment, part: RecordedPart, bytes: Uint8Array): Promise<void> {
    const { appender, cipher } = this.#file!;
    const stored = cipher?.apply(appender.byteLength, bytes) ?? bytes;
    segment.byteLength += bytes.length;
    segment.durationTicks += part.durationTicks;
    segment.pictures += part.pictures;
    if (segment.hash === null) segment.mediaCrc = crc32(stored, segment.mediaCrc);
    else segment.hash.update(bytes);
    if (part.isSegmentEnd) await this.#finishSegment([stored]);
    else await appender.append([stored]);
  }

  /** `rest`: pieces of it that are not written yet, already counted. */
  async #finishSegment(rest: readonly Uint8Array[]): Promise<void> {
    const open = this.#segment;
    const file = this.#file;
    if (open === null || file === null) return;
    const { chain = null } = this.#options;
    const { offset, byteLength, durationTicks, pictures, mediaCrc, first, init, initBytes, hash } = open;
    const { startTicks, timescaleHz, epochMs, isDiscontinuity } = first;
    const times = { startTicks, durationTicks, timescaleHz, epochMs };
    const pieces = [...rest, writeSegmentTrailer({ byteLength, durationTicks, pictures, mediaCrc })];
    if (chain === null || hash === null) await file.appender.append(pieces);
    else {
      const link = chain.next({ ...times, isDiscontinuity, byteLength }, initBytes, hash.digest());
      await file.appender.append([...pieces, writeSegmentLink(link)]);
      chain.add(link);
      file.head = link.digest;
    }
    const segment = { offset, byteLength, ...times, isDiscontinuity, init };
    this.#segment = null;
    file.segments.push(segment);
    file.largestSegmentBytes = Math.max(file.largestSegmentBytes, byteLength);
    this.#options.events.onSegment(file.number, segment);
  }

  #isFull(file: OpenFile, next: RecordedPart): boolean {
    if (this.#options.isOneFile === true) return false;
    const first = file.segments[0];
    const last = file.segments.at(-1);
    if (first === undefined || last === undefined) return false;
    if (file.segments.length >= MAX_FILE_SEGMENTS || file.purpose !== this.purpose) return true;
    if (file.appender.byteLength + file.largestSegmentBytes > this.#options.limits.fileBytes) return true;
    // After a new opening of the camera, the clock may say something else.
    return next.epochMs - first.epochMs >= MAX_FILE_MS || next.epochMs < last.epochMs;
  }

  async #beginFile(): Promise<OpenFile> {
    const { stream, storage, limits, numbers } = this.#options;
    if ((await storage.freeBytes()) < limits.fileBytes + limits.minFreeBytes) {
      throw new GatewayError(RECORDING_ERRORS.RECORDING_DISK_FULL, {});
    }
    const number = numbers.take();
    const appender = await storage.create(recordingName(stream, number), limits.fileBytes);
    this.#syncedMonoMs = this.#clock.monoMs();
    const { purpose } = this;
    const cipher = this.#options.keys?.newCipher(stream.cameraUuid) ?? null;
    return {
      number,
      purpose,
      cipher,
      appender,
      segments: [],
      init: null,
      largestSegmentBytes: 0,
      head: null,
    };
  }

  #fileHeader(): Uint8Array {
    const { stream, bootId } = this.#options;
    const { number, purpose, cipher } = this.#file!;
    const key = cipher === null ? null : { id: cipher.keyId, check: cipher.keyCheck };
    const isChained = this.#options.chain != null;
    return writeFileHeader({ ...stream, number, purpose, key, bootId, isChained });
  }

  async #finishFile(): Promise<void> {
    const file = this.#file;
    if (file === null) return;
    await file.appender.seal();
    this.#backoff.reset();
    this.#file = null;
    if (file.segments.length === 0) this.#options.events.onUnfinished(file.number);
    else this.#options.events.onFile(this.#recorded(file));
  }

  #recorded({ number, purpose, appender, segments, head }: OpenFile): RecordedFile {
    const file = { ...this.#options.stream, number, purpose, byteLength: appender.byteLength, segments };
    return head === null ? file : { ...file, head: head.toString('base64url') };
  }

  async #syncIfDue(): Promise<void> {
    const file = this.#file;
    const nowMonoMs = this.#clock.monoMs();
    if (file === null || nowMonoMs - this.#syncedMonoMs < this.#options.limits.syncIntervalMs) return;
    await file.appender.sync();
    this.#syncedMonoMs = nowMonoMs;
    this.#backoff.reset();
  }

  /** Gives up the file. A repair finds its usable part, and gives back the room that the file had reserved. */
  async #fail(thrown: unknown): Promise<void> {
    const { events } = this.#options;
    const file = this.#file;
    this.#file = null;
    this.#segment = null;
    // The repair of the file may add a link.
    this.#options.chain?.restart();
    this.#drop();
    // Nothing is wrong with the disk if another node has finished the file: the next segment begins another one.
    if (!isTaken(thrown)) {
      this.#retryAtMonoMs = this.#clock.monoMs() + this.#backoff.failed();
      this.#state = 'failed';
      events.onState({ state: 'failed', error: wireErrorOf(thrown) });
    }
    if (file === null) return;
    // An error of closing adds nothing.
    await file.appender.abandon().catch(() => undefined);
    events.onUnfinished(file.number);
  }

  #drop(): void {
    this.#hasGap = true;
    this.#options.events.onDropped();
  }

  #recovered(): void {
    if (this.#state === 'recording') return;
    this.#state = 'recording';
    this.#options.events.onState({ state: 'recording' });
  }
}

function isTaken(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.code === RECORDING_ERRORS.RECORDING_TAKEN.code;
}

function bytesOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
