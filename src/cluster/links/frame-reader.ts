/**
 * Reads frames from chunks of any size. Each attachment is copied once, into memory of its own, and the media of a record once,
 * into media blocks; nothing else of a chunk is kept once `push` has returned.
 */

import { copyBytes } from '../../bytes/copy-bytes.ts';
import { ByteQueue } from '../../cmaf/byte-queue.ts';
import { PartBytes } from '../../cmaf/part-bytes.ts';
import {
  checkLimit,
  checkRecord,
  type Frame,
  type FrameHeader,
  type FrameLimits,
  malformed,
  PREFIX_BYTES,
  parseHeader,
  RECORD,
} from './frame-header.ts';

export interface FrameSink {
  onFrame(frame: Frame): void;
  /** `record` is borrowed until it returns; the receiver of `media` releases them. */
  onRecord(record: Buffer, media: PartBytes): void;
  onHeartbeat(): void;
}

type State =
  | { readonly at: 'prefix' }
  | { readonly at: 'header' }
  | { readonly at: 'attachments'; readonly header: FrameHeader; readonly sizes: readonly number[] }
  | { readonly at: 'media length'; readonly recordBytes: number }
  | { readonly at: 'record'; readonly mediaBytes: number }
  | { readonly at: 'media'; readonly record: Buffer; readonly mediaBytes: number };

const PREFIX: State = { at: 'prefix' };
const NOTHING = Buffer.alloc(0);
/** Records of this size are read into the same memory. */
const USUAL_RECORD_BYTES = 1_024;

export class FrameReader {
  /** Limits of the frames that begin after they are set. */
  limits: FrameLimits;
  readonly #sink: FrameSink;
  #state: State = PREFIX;
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  readonly #record = Buffer.allocUnsafeSlow(USUAL_RECORD_BYTES);
  /** The buffer that is being filled, unless it is media. */
  #target = this.#prefix;
  #filled = 0;
  #attachments: Uint8Array[] = [];
  /** Media of the record that is being read; a block begins where the one before ended. */
  readonly #media = new ByteQueue();
  #isStopped = false;

  constructor(sink: FrameSink, limits: FrameLimits) {
    this.#sink = sink;
    this.limits = limits;
  }

  /** `chunk` is borrowed. Fails LINK_FRAME_MALFORMED or LINK_FRAME_LIMIT: then the stream has no frames anymore. */
  push(chunk: Uint8Array): void {
    let offset = 0;
    while (offset < chunk.length && !this.#isStopped) {
      const state = this.#state;
      offset +=
        state.at === 'media'
          ? this.#takeMedia(chunk, offset, state.record, state.mediaBytes)
          : this.#take(chunk, offset);
    }
  }

  /** No further frame is reported, and the bytes of the last one are given back. */
  stop(): void {
    this.#isStopped = true;
    this.#attachments = [];
    this.#target = NOTHING;
    this.#media.clear();
  }

  /** How many bytes it took. */
  #take(chunk: Uint8Array, offset: number): number {
    const taken = Math.min(this.#target.length - this.#filled, chunk.length - offset);
    copyBytes(chunk, offset, offset + taken, this.#target, this.#filled);
    this.#filled += taken;
    if (this.#filled === this.#target.length) this.#completed(this.#state);
    return taken;
  }

  /** As `#take`. */
  #takeMedia(chunk: Uint8Array, offset: number, record: Buffer, mediaBytes: number): number {
    const taken = Math.min(mediaBytes - this.#media.byteLength, chunk.length - offset);
    this.#media.append(taken === chunk.length ? chunk : chunk.subarray(offset, offset + taken));
    if (this.#media.byteLength === mediaBytes) this.#recordRead(record, mediaBytes);
    return taken;
  }

  #completed(state: State): void {
    switch (state.at) {
      case 'prefix':
        this.#prefixRead(this.#target.readUInt32BE(0));
        break;
      case 'header':
        this.#headerRead();
        break;
      case 'attachments':
        this.#attachments.push(this.#target);
        this.#nextAttachment(state.header, state.sizes);
        break;
      case 'media length':
        this.#recordBegins(state.recordBytes, this.#target.readUInt32BE(0));
        break;
      case 'record':
        if (state.mediaBytes === 0) this.#recordRead(this.#target, 0);
        else this.#state = { at: 'media', record: this.#target, mediaBytes: state.mediaBytes };
    }
  }

  #prefixRead(prefix: number): void {
    if (prefix === 0) {
      this.#expect(PREFIX, this.#prefix);
      this.#sink.onHeartbeat();
    } else if (prefix > RECORD) {
      checkRecord(prefix - RECORD, 0, this.limits);
      this.#expect({ at: 'media length', recordBytes: prefix - RECORD }, this.#prefix);
    } else {
      checkLimit('header bytes', prefix, this.limits.headerBytes);
      this.#expect({ at: 'header' }, ownMemory(prefix));
    }
  }

  #headerRead(): void {
    const { header, sizes } = parseHeader(this.#target);
    checkLimit('attachments', sizes.length, this.limits.attachments);
    let frameBytes = PREFIX_BYTES + this.#target.length;
    for (const size of sizes) frameBytes += size;
    checkLimit('frame bytes', frameBytes, this.limits.frameBytes);
    if (sizes.length > 0 && (header.type === 'failure' || header.type === 'end')) {
      throw malformed(`a frame of type ${header.type} has attachments`);
    }
    this.#attachments = [];
    this.#nextAttachment(header, sizes);
  }

  #nextAttachment(header: FrameHeader, sizes: readonly number[]): void {
    while (sizes[this.#attachments.length] === 0) this.#attachments.push(new Uint8Array(0));
    const size = sizes[this.#attachments.length];
    if (size !== undefined) {
      this.#expect({ at: 'attachments', header, sizes }, ownMemory(size));
      return;
    }
    const frame = { header, bytes: this.#attachments };
    this.#attachments = [];
    this.#expect(PREFIX, this.#prefix);
    this.#sink.onFrame(frame);
  }

  #recordBegins(recordBytes: number, mediaBytes: number): void {
    checkRecord(recordBytes, mediaBytes, this.limits);
    const isUsual = recordBytes <= USUAL_RECORD_BYTES;
    const record = isUsual ? this.#record.subarray(0, recordBytes) : ownMemory(recordBytes);
    this.#expect({ at: 'record', mediaBytes }, record);
  }

  #recordRead(record: Buffer, mediaBytes: number): void {
    const media = new PartBytes(mediaBytes === 0 ? [] : [this.#media.share(mediaBytes)]);
    this.#media.drop(mediaBytes);
    this.#expect(PREFIX, this.#prefix);
    this.#sink.onRecord(record, media);
  }

  #expect(state: State, target: Buffer<ArrayBuffer>): void {
    this.#state = state;
    this.#target = target;
    this.#filled = 0;
  }
}

/** Not from the pool: an attachment that is kept would keep its neighbors. */
function ownMemory(bytes: number): Buffer<ArrayBuffer> {
  return Buffer.allocUnsafeSlow(bytes);
}
