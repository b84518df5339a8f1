/**
 * Bytes that wait to be written to a socket. Only a few of them are in the socket at a time, because TLS immediately encrypts all
 * of its input into a copy. The other bytes stay where they are until their turn. Pieces that are written together are first
 * copied next to each other: TLS would do the same, but into new memory each time.
 */

import type { Writable } from 'node:stream';
import { copyBytes } from '../../bytes/copy-bytes.ts';

/** A part of a segment is mostly one write. */
const WRITE_BYTES = 256 * 1_024;
/** The next write is given to the socket while this much is not yet with the kernel. */
const IN_SOCKET_BYTES = 512 * 1_024;
/** Writes up to this size get memory of their own size. */
const SMALL_WRITE_BYTES = 16 * 1_024;
/** Memory of `WRITE_BYTES` that is kept for the next larger writes. */
const MAX_SPARES = 1;
/** Pieces in the list that were written: removing each by itself would move all others. */
const FORGOTTEN_AT_ONCE = 1_024;

interface Piece {
  readonly bytes: Uint8Array;
  /** The sender's: called once when the bytes of the frame are no longer read. */
  readonly released: (() => void) | null;
}

export class OutgoingFrames {
  readonly #socket: Writable;
  #pieces: Piece[] = [];
  /** Index of the first piece that is not in the socket. */
  #first = 0;
  #queuedBytes = 0;
  #inSocketBytes = 0;
  readonly #spares: Buffer[] = [];
  #isOver = false;
  #emptied: (() => void) | null = null;

  constructor(socket: Writable) {
    this.#socket = socket;
  }

  /** Not yet with the kernel. */
  get waitingBytes(): number {
    return this.#queuedBytes + this.#inSocketBytes;
  }

  /** `head` and `bytes` are borrowed until `released` is called. */
  push(head: Uint8Array, bytes: readonly Uint8Array[], released: (() => void) | null): void {
    let last = bytes.length - 1;
    while (last >= 0 && bytes[last]!.length === 0) last--;
    this.#queue(head, last < 0 ? released : null);
    for (let i = 0; i <= last; i++) this.#queue(bytes[i]!, i === last ? released : null);
    this.#pump();
  }

  /** Calls `emptied` once everything is in the socket, unless it is dropped before. */
  whenEmpty(emptied: () => void): void {
    this.#emptied = emptied;
    this.#pump();
  }

  /** Gives back what waits. */
  drop(): void {
    this.#isOver = true;
    this.#emptied = null;
    const left = this.#pieces.slice(this.#first);
    this.#pieces = [];
    this.#first = 0;
    this.#queuedBytes = 0;
    this.#spares.length = 0;
    for (const { released } of left) released?.();
  }

  #queue(bytes: Uint8Array, released: (() => void) | null): void {
    for (let offset = 0; offset < bytes.length; offset += WRITE_BYTES) {
      const isLast = offset + WRITE_BYTES >= bytes.length;
      const piece = bytes.length <= WRITE_BYTES ? bytes : bytes.subarray(offset, offset + WRITE_BYTES);
      this.#pieces.push({ bytes: piece, released: isLast ? released : null });
    }
    this.#queuedBytes += bytes.length;
  }

  #pump(): void {
    while (!this.#isOver && this.#pieces.length > 0 && this.#inSocketBytes < IN_SOCKET_BYTES) {
      this.#writeSome();
    }
    if (this.#pieces.length > 0 || this.#emptied === null) return;
    const emptied = this.#emptied;
    this.#emptied = null;
    emptied();
  }

  /** One write of whole pieces. */
  #writeSome(): void {
    let end = this.#first;
    let writeBytes = 0;
    do writeBytes += this.#pieces[end++]!.bytes.length;
    while (end < this.#pieces.length && writeBytes + this.#pieces[end]!.bytes.length <= WRITE_BYTES);
    const pieces = this.#pieces.slice(this.#first, end);
    this.#forget(end);
    this.#queuedBytes -= writeBytes;
    this.#inSocketBytes += writeBytes;
    if (pieces.length === 1) this.#writeInPlace(pieces[0]!);
    else this.#writeGathered(pieces, writeBytes);
  }

  #writeInPlace({ bytes, released }: Piece): void {
    this.#socket.write(bytes, () => {
      this.#inSocketBytes -= bytes.length;
      released?.();
      this.#pump();
    });
  }

  #writeGathered(pieces: readonly Piece[], writeBytes: number): void {
    const isSmall = writeBytes <= SMALL_WRITE_BYTES;
    const memory = isSmall ? Buffer.allocUnsafe(writeBytes) : this.#takeMemory();
    let at = 0;
    for (const { bytes } of pieces) {
      copyBytes(bytes, 0, bytes.length, memory, at);
      at += bytes.length;
    }
    this.#socket.write(memory.subarray(0, writeBytes), () => {
      this.#inSocketBytes -= writeBytes;
      if (!isSmall && !this.#isOver && this.#spares.length < MAX_SPARES) this.#spares.push(memory);
      // Not earlier: a callback that sends more would then do so inside its own call.
      for (const { released } of pieces) released?.();
      this.#pump();
    });
  }

  #takeMemory(): Buffer {
    return this.#spares.pop() ?? Buffer.allocUnsafeSlow(WRITE_BYTES);
  }

  /** Removes the pieces before `first` from the list, only now and then, and all of them in one step. */
  #forget(first: number): void {
    const isWorth = first === this.#pieces.length || first >= FORGOTTEN_AT_ONCE;
    if (isWorth) this.#pieces.splice(0, first);
    this.#first = isWorth ? 0 : first;
  }
}
