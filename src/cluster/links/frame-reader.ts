/**
 * Reads frames from chunks of any size. Each attachment is copied once, into memory of its own; nothing else of a chunk is
 * kept once `push` has returned.
 */

import {
  checkLimit,
  type Frame,
  type FrameHeader,
  type FrameLimits,
  malformed,
  PREFIX_BYTES,
  parseHeader,
} from './frame-header.ts';

export interface FrameSink {
  onFrame(frame: Frame): void;
  onHeartbeat(): void;
}

type State =
  | { readonly at: 'prefix' }
  | { readonly at: 'header' }
  | { readonly at: 'attachments'; readonly header: FrameHeader; readonly sizes: readonly number[] };

const PREFIX: State = { at: 'prefix' };

export class FrameReader {
  /** Of the frames that begin from now on. */
  limits: FrameLimits;
  readonly #sink: FrameSink;
  #state: State = PREFIX;
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  /** What is being filled. */
  #target = this.#prefix;
  #filled = 0;
  #attachments: Uint8Array[] = [];
  #isStopped = false;

  constructor(sink: FrameSink, limits: FrameLimits) {
    this.#sink = sink;
    this.limits = limits;
  }

  /** `chunk` is borrowed. Fails LINK_FRAME_MALFORMED or LINK_FRAME_LIMIT: then the stream has no frames anymore. */
  push(chunk: Uint8Array): void {
    let offset = 0;
    while (offset < chunk.length && !this.#isStopped) {
      const taken = Math.min(this.#target.length - this.#filled, chunk.length - offset);
      this.#target.set(chunk.subarray(offset, offset + taken), this.#filled);
      this.#filled += taken;
      offset += taken;
      if (this.#filled === this.#target.length) this.#completed();
    }
  }

  /** No further frame is reported, and what was read of the last one is given back. */
  stop(): void {
    this.#isStopped = true;
    this.#attachments = [];
    this.#target = Buffer.alloc(0);
  }

  #completed(): void {
    switch (this.#state.at) {
      case 'prefix':
        this.#prefixRead(this.#target.readUInt32BE(0));
        break;
      case 'header':
        this.#headerRead();
        break;
      case 'attachments':
        this.#attachments.push(this.#target);
        this.#nextAttachment(this.#state.header, this.#state.sizes);
    }
  }

  #prefixRead(headerBytes: number): void {
    if (headerBytes === 0) {
      this.#expect(PREFIX);
      this.#sink.onHeartbeat();
      return;
    }
    checkLimit('header bytes', headerBytes, this.limits.headerBytes);
    this.#expect({ at: 'header' }, headerBytes);
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
      this.#expect({ at: 'attachments', header, sizes }, size);
      return;
    }
    const frame = { header, bytes: this.#attachments };
    this.#attachments = [];
    this.#expect(PREFIX);
    this.#sink.onFrame(frame);
  }

  #expect(state: State, bytes = PREFIX_BYTES): void {
    this.#state = state;
    // Not from the pool: an attachment that is kept would keep its neighbors.
    this.#target = state === PREFIX ? this.#prefix : Buffer.allocUnsafeSlow(bytes);
    this.#filled = 0;
  }
}
