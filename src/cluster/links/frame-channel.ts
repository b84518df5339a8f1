/**
 * Frames over one socket, in both directions, until it ends. What ends it is one error, for everyone: the reader, the writer,
 * requests in flight.
 */

import type { Duplex } from 'node:stream';
import type { PackedBytes, PartBytes } from '../../cmaf/part-bytes.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import { errorOfWire, wireErrorOf } from '../../core/wire-error.ts';
import { LINK_ERRORS } from './errors.ts';
import {
  encodeHead,
  encodeRecord,
  FRAME_LIMITS,
  type Frame,
  type FrameHeader,
  type FrameLimits,
} from './frame-header.ts';
import { FrameReader } from './frame-reader.ts';
import { OutgoingFrames } from './outgoing-frames.ts';

/** Bytes that may wait to be written: one frame of the largest size, and small ones before it. */
export const MAX_WAITING_BYTES = FRAME_LIMITS.frameBytes + 64 * 1_024;
/** Time for the last frame to leave before the socket is destroyed. */
const FAREWELL_MS = 1_000;

const HEARTBEAT = new Uint8Array(4);
const NO_BYTES: readonly Uint8Array[] = [];

export interface ChannelSink {
  onFrame(frame: Frame): void;
  /** `record` is borrowed until it returns; the receiver of `media` releases them. */
  onRecord(record: Buffer, media: PartBytes): void;
  /** Once, and nothing is reported after it. */
  onEnd(error: GatewayError): void;
}

/** Until someone greets: that happens before anything can arrive. */
const UNTOLD: ChannelSink = {
  onFrame: () => undefined,
  onRecord: (_, media) => media.release(),
  onEnd: () => undefined,
};

export class FrameChannel {
  /** Receives the frames and the end. */
  sink: ChannelSink = UNTOLD;
  readonly #socket: Duplex;
  readonly #clock: Clock;
  readonly #reader: FrameReader;
  readonly #outgoing: OutgoingFrames;
  #ended: GatewayError | null = null;
  #wasHeard = false;
  #socketError: Error | null = null;
  #farewell: TimerHandle | null = null;

  /** `socket` is connected and authenticated. What it receives has to be given to `read`. */
  constructor(socket: Duplex, clock: Clock, limits: FrameLimits) {
    this.#socket = socket;
    this.#clock = clock;
    this.#outgoing = new OutgoingFrames(socket);
    this.#reader = new FrameReader(
      {
        onFrame: (frame) => this.#frameRead(frame),
        onRecord: (record, media) => this.sink.onRecord(record, media),
        onHeartbeat: () => undefined,
      },
      limits,
    );
    socket.on('error', (error) => {
      this.#socketError = error;
    });
    socket.on('end', () => this.end(this.#broken()));
    socket.on('close', () => {
      this.end(this.#broken());
      this.#destroy();
    });
  }

  /** Why it is over, null while it is not. */
  get ended(): GatewayError | null {
    return this.#ended;
  }

  get waitingBytes(): number {
    return this.#outgoing.waitingBytes;
  }

  /** Limits of the frames that begin after this call. */
  set limits(limits: FrameLimits) {
    this.#reader.limits = limits;
  }

  /** Whether anything arrived since it was last asked. */
  takeHeard(): boolean {
    const wasHeard = this.#wasHeard;
    this.#wasHeard = false;
    return wasHeard;
  }

  /**
   * False: the channel is over, perhaps because of this frame. `bytes` are borrowed until `released` is called, which happens
   * in any case. Fails LINK_FRAME_LIMIT, without calling it.
   */
  write(header: FrameHeader, bytes = NO_BYTES, released: (() => void) | null = null): boolean {
    const head = encodeHead(header, bytes);
    return this.#push(head, bytes, released);
  }

  /** As `write`, of a record. `record` is copied; takes over `media`. */
  writeRecord(record: Uint8Array, media: PackedBytes): boolean {
    let head: Buffer;
    try {
      head = encodeRecord(record, media.byteLength);
    } catch (error) {
      media.release();
      throw error;
    }
    return this.#push(head, media.views(), () => media.release());
  }

  heartbeat(): void {
    this.#push(HEARTBEAT, NO_BYTES, null);
  }

  /** Ends immediately; bytes that were not written are dropped. */
  end(error: GatewayError): void {
    this.#over(error, () => this.#destroy());
  }

  /** Ends once everything, including the reason, was written to the peer, unless that takes too long. */
  endTelling(error: GatewayError): void {
    if (this.#ended !== null) return;
    // The stack of a cause stays on this node.
    this.write({ type: 'end', error: { ...wireErrorOf(error), cause: null } });
    this.#over(error, () => {
      this.#farewell = this.#clock.after(FAREWELL_MS, () => this.#destroy());
      // The peer closes: to do it here could reset the connection before the peer has read why.
      this.#outgoing.whenEmpty(() => this.#socket.end());
    });
  }

  /** `chunk` is borrowed. */
  read(chunk: Uint8Array): void {
    this.#wasHeard = true;
    try {
      this.#reader.push(chunk);
    } catch (thrown) {
      this.endTelling(toGatewayError(thrown));
    }
  }

  #over(error: GatewayError, finish: () => void): void {
    if (this.#ended !== null) return;
    this.#ended = error;
    this.#reader.stop();
    finish();
    this.sink.onEnd(error);
  }

  #destroy(): void {
    this.#farewell?.cancel();
    this.#socket.destroy();
    this.#outgoing.drop();
  }

  #push(head: Uint8Array, bytes: readonly Uint8Array[], released: (() => void) | null): boolean {
    if (this.#ended === null) {
      let frameBytes = head.length;
      for (const attachment of bytes) frameBytes += attachment.byteLength;
      const waitingBytes = this.#outgoing.waitingBytes + frameBytes;
      if (waitingBytes <= MAX_WAITING_BYTES) {
        this.#outgoing.push(head, bytes, released);
        return true;
      }
      this.end(new GatewayError(LINK_ERRORS.LINK_BACKLOG, { waitingBytes, limit: MAX_WAITING_BYTES }));
    }
    released?.();
    return false;
  }

  #frameRead(frame: Frame): void {
    const { header } = frame;
    if (header.type !== 'end') {
      this.sink.onFrame(frame);
      return;
    }
    const { code, kind, message, context } = errorOfWire(header.error);
    this.end(new GatewayError({ code, kind, message }, { ...context, endedBy: 'peer' }));
  }

  #broken(): GatewayError {
    const error = this.#socketError ?? undefined;
    return error instanceof GatewayError ? error : new GatewayError(LINK_ERRORS.LINK_BROKEN, {}, error);
  }
}
