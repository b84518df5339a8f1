/**
 * The thread of uploads without the thread: keeps their files, reads them, and cuts them into segments. It works
 * synchronously, in steps: between two steps, others get their turn.
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ClipSegment, clipInit, clipSegments, clipTracks } from '../cmaf/clip-segments.ts';
import { CMAF_ERRORS } from '../cmaf/errors.ts';
import { ticksToMs } from '../cmaf/ticks.ts';
import { CORE_ERRORS, GatewayError, toGatewayError } from '../core/errors.ts';
import { errnoOf } from '../core/system-error.ts';
import { wireErrorOf } from '../core/wire-error.ts';
import { type ByteSource, looksLikeIsoMedia, readClip } from '../isobmff/clip-reader.ts';
import { ISOBMFF_ERRORS } from '../isobmff/errors.ts';
import { indexFirst } from '../isobmff/index-first.ts';
import { findLostIndex, type LostIndex, lengthsToStartCodes } from '../isobmff/lost-index.ts';
import type { Disk } from '../recording/disk.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import type {
  CarriedClip,
  ForeignClip,
  SpoolCall,
  SpoolPiece,
  SpoolRequest,
  SpoolResponse,
  SpoolResults,
} from './spool-protocol.ts';

/** Read at a time. */
const STEP_BYTES = 2 * 1_048_576;
/** Sample entries of protected tracks (ISO/IEC 14496-12 §8.12.1). */
const ENCRYPTED_ENTRIES: ReadonlySet<string> = new Set(['encv', 'enca']);
const FULL_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

interface OpenFile {
  readonly descriptor: number;
  /** null: not inspected. */
  segments: Iterator<ClipSegment> | null;
}

export class SpoolSide {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #open = new Map<string, OpenFile>();

  /** Fails like the disk. */
  constructor(folder: string, disk: Disk) {
    this.#folder = folder;
    this.#disk = disk;
    disk.makeFolder(folder);
  }

  /** Never rejects. */
  async respond({ id, call }: SpoolRequest): Promise<SpoolResponse> {
    try {
      return { id, value: await this.#run(call) };
    } catch (thrown) {
      return { id, failure: wireErrorOf(asGatewayError(thrown)) };
    }
  }

  async #run(call: SpoolCall): Promise<SpoolResults[keyof SpoolResults]> {
    switch (call.name) {
      case 'create':
        return this.#create(call.file);
      case 'append':
        this.#disk.write(this.#opened(call.file).descriptor, call.bytes, call.offset);
        return null;
      case 'sync':
        this.#disk.sync(this.#opened(call.file).descriptor);
        return null;
      case 'cut':
        return this.#cut(call.file, call.byteLength);
      case 'delete':
        this.#close(call.file);
        return this.#disk.remove(this.#pathOf(call.file));
      case 'list':
        return this.#disk.list(this.#folder);
      case 'freeBytes':
        return this.#disk.freeBytes(this.#folder);
      case 'hash':
        return this.#hash(call.file);
      case 'inspect':
        return this.#inspect(call.file);
      case 'pieces':
        return this.#pieces(call.file, call.isIsoMedia);
      case 'read':
        return this.#read(call.file, call.offset, call.length);
      case 'units': {
        const units = this.#read(call.file, call.offset, call.length);
        lengthsToStartCodes(units);
        return units;
      }
      case 'segment': {
        const { segments } = this.#opened(call.file);
        // This thread is another one than the one that inspected it.
        if (segments === null) throw new GatewayError(UPLOAD_ERRORS.UPLOAD_THREAD_FAILED, {});
        const next = segments.next();
        return next.done === true ? null : next.value;
      }
    }
  }

  #create(file: string): null {
    this.#close(file);
    this.#disk.remove(this.#pathOf(file));
    this.#disk.close(this.#disk.open(this.#pathOf(file), 'new'));
    this.#disk.syncFolder(this.#folder);
    return null;
  }

  #cut(file: string, byteLength: number): number {
    const { descriptor } = this.#opened(file);
    const present = this.#disk.byteLength(descriptor);
    if (present <= byteLength) return present;
    this.#disk.truncate(descriptor, byteLength);
    this.#disk.sync(descriptor);
    return byteLength;
  }

  #read(file: string, offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(length);
    return bytes.subarray(0, this.#disk.read(this.#opened(file).descriptor, bytes, offset));
  }

  async #pieces(file: string, isIsoMedia: boolean): Promise<SpoolPiece[]> {
    const source = new FileSource(this.#disk, this.#opened(file).descriptor);
    const lost = isIsoMedia ? await lostIndexOf(source) : null;
    if (lost !== null) return lost.units.map((range) => ({ kind: 'units', ...range }));
    return isIsoMedia ? indexFirst(source) : [{ kind: 'range', offset: 0, byteLength: source.byteLength }];
  }

  async #hash(file: string): Promise<string> {
    const { descriptor } = this.#opened(file);
    const digest = createHash('sha256');
    const buffer = Buffer.allocUnsafeSlow(STEP_BYTES);
    for (let offset = 0; ; ) {
      const count = this.#disk.read(descriptor, buffer, offset);
      digest.update(buffer.subarray(0, count));
      offset += count;
      if (count < buffer.length) return digest.digest('hex');
      await nextTurn();
    }
  }

  async #inspect(file: string): Promise<CarriedClip | ForeignClip> {
    const open = this.#opened(file);
    open.segments = null;
    const source = new FileSource(this.#disk, open.descriptor);
    if (!looksLikeIsoMedia(source)) return foreignClip('container', { isIsoMedia: false });
    const lost = await lostIndexOf(source);
    if (lost !== null) {
      if (lost.units.length === 0) throw new GatewayError(UPLOAD_ERRORS.UPLOAD_WITHOUT_INDEX, {});
      return foreignClip('a file without its index', { isCut: true });
    }
    const clip = readOrForeign(source);
    if (typeof clip === 'string') return foreignClip(clip);
    const [foreign] = clip.foreign;
    if (clip.foreign.some(({ codec }) => ENCRYPTED_ENTRIES.has(codec))) {
      throw new GatewayError(UPLOAD_ERRORS.UPLOAD_ENCRYPTED, {});
    }
    if (foreign !== undefined) {
      const frames = clip.foreign.find(({ kind }) => kind === 'video')?.samples ?? 0;
      return foreignClip(foreign.codec, { frames: frames === 0 ? null : frames });
    }
    const tracks = clipTracks(clip);
    const { video, audio } = tracks;
    // Half of all players cannot play H.265, and a clip has no other stream.
    if (video.track.codec === 'h265') {
      const framePx = video.track.widthPx * video.track.heightPx;
      return foreignClip('hvc1', { framePx, frames: video.samples.count });
    }
    open.segments = clipSegments(tracks, source);
    return {
      kind: 'carried',
      byteLength: source.byteLength,
      isCut: clip.isCut,
      durationMs: ticksToMs(tracks.durationTicks, video.track.timescaleHz),
      skippedMs: ticksToMs(tracks.skippedTicks, video.track.timescaleHz),
      timescaleHz: video.track.timescaleHz,
      widthPx: video.track.widthPx,
      heightPx: video.track.heightPx,
      codecs: [video.track.codecString, ...(audio === null ? [] : [audio.track.codecString])],
      init: new Uint8Array(clipInit(tracks)),
    };
  }

  #opened(file: string): OpenFile {
    let open = this.#open.get(file);
    if (open === undefined) {
      open = { descriptor: this.#disk.open(this.#pathOf(file), 'change'), segments: null };
      this.#open.set(file, open);
    }
    return open;
  }

  #close(file: string): void {
    const open = this.#open.get(file);
    this.#open.delete(file);
    if (open !== undefined) this.#disk.close(open.descriptor);
  }

  #pathOf(file: string): string {
    return join(this.#folder, file);
  }
}

/** Whole files are read through a window: samples that lie next to each other are read together. */
class FileSource implements ByteSource {
  readonly byteLength: number;
  readonly #disk: Disk;
  readonly #descriptor: number;
  /** Used again and again. */
  #buffer = Buffer.alloc(0);
  #window = this.#buffer;
  #windowOffset = 0;

  constructor(disk: Disk, descriptor: number) {
    this.#disk = disk;
    this.#descriptor = descriptor;
    this.byteLength = disk.byteLength(descriptor);
  }

  read(offset: number, length: number): Uint8Array {
    const start = offset - this.#windowOffset;
    if (start >= 0 && start + length <= this.#window.length)
      return this.#window.subarray(start, start + length);
    const wanted = Math.min(Math.max(length, STEP_BYTES), this.byteLength - offset);
    if (this.#buffer.length < wanted) this.#buffer = Buffer.allocUnsafeSlow(wanted);
    const count = this.#disk.read(this.#descriptor, this.#buffer.subarray(0, wanted), offset);
    this.#window = this.#buffer.subarray(0, count);
    if (count < length) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_TRUNCATED, { offset });
    this.#windowOffset = offset;
    return this.#window.subarray(0, length);
  }
}

function foreignClip(
  what: string,
  known: Partial<Pick<ForeignClip, 'isIsoMedia' | 'framePx' | 'frames' | 'isCut'>> = {},
): ForeignClip {
  return { kind: 'foreign', what, isIsoMedia: true, framePx: null, frames: null, ...known };
}

async function lostIndexOf(source: ByteSource): Promise<LostIndex | null> {
  const finding = findLostIndex(source);
  for (;;) {
    const step = finding.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

/** A decoder may still understand a file that this reader calls invalid: returns the reason as text. */
function readOrForeign(source: ByteSource): ReturnType<typeof readClip> | string {
  try {
    return readClip(source);
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID.code) {
      return String(thrown.context.box ?? 'box');
    }
    throw thrown;
  }
}

/** Errors of the disk and of the file become ours. A defect stays one. */
function asGatewayError(thrown: unknown): GatewayError {
  if (!(thrown instanceof GatewayError)) {
    const errno = errnoOf(thrown);
    if (errno === null) return toGatewayError(thrown);
    const definition = FULL_CODES.has(errno) ? UPLOAD_ERRORS.UPLOAD_NO_ROOM : UPLOAD_ERRORS.UPLOAD_IO;
    return new GatewayError(definition, { errno }, thrown);
  }
  if (thrown.code === CORE_ERRORS.INTERNAL.code) return thrown;
  if (Object.hasOwn(UPLOAD_ERRORS, thrown.code)) return thrown;
  if (thrown.code === CMAF_ERRORS.CMAF_CLIP_WITHOUT_VIDEO.code) {
    return new GatewayError(UPLOAD_ERRORS.UPLOAD_WITHOUT_VIDEO, thrown.context, thrown);
  }
  return new GatewayError(UPLOAD_ERRORS.UPLOAD_DAMAGED, { ...thrown.context, cause: thrown.code }, thrown);
}
