/**
 * RTMP as node-media-server speaks it (handshake, chunk stream, AMF commands; Adobe RTMP Specification 1.0), for a
 * publisher that is not trusted. That library's own server trusts its peers: an exception ends its process, a message whose
 * length changes halfway makes its parser read bytes again, messages of 16 MiB can be under way on hundreds of chunk
 * streams, and the server confirms publishing before it checks anything. So only its protocol class is used, with a check
 * in front of each step. The version is pinned, and guarded-rtmp.test.ts holds what this relies on.
 */

import logger from 'node-media-server/src/core/logger.js';
import Rtmp, { type RtmpCommand } from 'node-media-server/src/protocol/rtmp.js';
import { GatewayError } from '../../core/errors.ts';
import { RTMP_ERRORS } from './errors.ts';
import {
  EXTENDED_BYTES,
  ExtendedTimestamps,
  IS_EXTENDED,
  MESSAGE_HEADER_BYTES,
} from './extended-timestamps.ts';

/** The largest audio or video message: a key frame of 8K video takes less than half. */
export const MAX_MEDIA_BYTES = 8 * 1_048_576;
/** The largest message before that, and the largest command: encoders send a few hundred bytes. */
export const MAX_COMMAND_BYTES = 8 * 1_024;
/** The largest metadata message. */
const MAX_DATA_BYTES = 64 * 1_024;
/** Before its key was accepted, a peer has no reason to send more. */
export const MAX_BYTES_BEFORE_PUBLISH = 64 * 1_024;
/** Encoders use three to five chunk streams. */
export const MAX_CHUNK_STREAMS = 16;
/** The memory of all messages under way. */
export const MAX_BUFFERED_BYTES = MAX_MEDIA_BYTES + 1_048_576;
/** Encoders send about seven commands. */
const MAX_COMMANDS = 64;
const MAX_CHUNK_BYTES = 0xffffff;
/** When the peer does not say how often it wants to know how much was received. */
const DEFAULT_ACKNOWLEDGE_BYTES = 1_048_576;
const MIN_ACKNOWLEDGE_BYTES = 65_536;
/** A chunk can have 128 bytes, and then a key frame has thousands. */
const CHUNKS_PER_MESSAGE = 4;
const RTMP_VERSION = 3;
/** The library's names for them are RTMP_PARSE_EXTENDED_TIMESTAMP and RTMP_PARSE_PAYLOAD. */
const PARSER_BEFORE_PAYLOAD = 3;
const PARSER_IN_PAYLOAD = 4;

const TYPE_SET_CHUNK_SIZE = 1;
const TYPE_ABORT = 2;
const TYPE_WINDOW_ACKNOWLEDGEMENT_SIZE = 5;
const TYPE_AUDIO = 8;
const TYPE_VIDEO = 9;
const TYPE_DATA_AMF3 = 15;
const TYPE_DATA = 18;
const TYPE_AGGREGATE = 22;

// It would print whatever peers send, to standard output.
logger.log = () => undefined;

/** Called synchronously from `push` and `accept`. */
export interface GuardedRtmpEvents {
  /** Bytes for the peer. */
  onOutput(bytes: Buffer): void;
  /** `path`: application and stream name, without query. Answer with `accept` or `refuse`, now or later. */
  onPublish(path: string): void;
  /** Borrowed until return. `timestamp`: 32 bits of milliseconds. Only after `accept`. */
  onVideo(timestamp: number, message: Uint8Array): void;
  onAudio(timestamp: number, message: Uint8Array): void;
  /** The peer said that it stops publishing. */
  onUnpublish(): void;
}

/** `asked`: the key is being checked, and later messages wait. */
type PublishState = 'none' | 'asked' | 'accepted';

export class GuardedRtmp extends Rtmp {
  readonly #events: GuardedRtmpEvents;
  #state: PublishState = 'none';
  #application: string | null = null;
  #commands = 0;
  #receivedBytes = 0;
  #acknowledgedBytes = 0;
  #messages = 0;
  #chunks = 0;
  #isVersionKnown = false;
  readonly #extended = new ExtendedTimestamps();
  /** Came after `publish`; at most MAX_BYTES_BEFORE_PUBLISH. */
  readonly #held: Buffer[] = [];

  constructor(events: GuardedRtmpEvents) {
    super();
    this.#events = events;
    this.onOutputCallback = (bytes) => events.onOutput(bytes);
  }

  /** Messages so far, for the flood limit; each chunk of a message counts as a quarter of one. */
  get load(): number {
    return this.#messages + this.#chunks / CHUNKS_PER_MESSAGE;
  }

  /** Bytes as they came, borrowed. Fails RTMP_BAD_MESSAGE, RTMP_LIMIT, RTMP_PLAY_REFUSED; do not call it again then. */
  push(chunk: Buffer): void {
    this.#receivedBytes += chunk.length;
    if (this.#state !== 'accepted' && this.#receivedBytes > MAX_BYTES_BEFORE_PUBLISH) {
      throw limit('bytes-before-publish', MAX_BYTES_BEFORE_PUBLISH);
    }
    if (!this.#isVersionKnown && chunk.length > 0) {
      if (chunk[0] !== RTMP_VERSION) throw bad('version');
      this.#isVersionKnown = true;
    }
    this.#parse(chunk);
    this.#acknowledge();
  }

  /** The peer's key is accepted: its media are passed on, also those that it sent meanwhile. Fails like `push`. */
  accept(): void {
    this.#state = 'accepted';
    this.#status('status', 'NetStream.Publish.Start', 'Publishing.');
    for (const bytes of this.#held.splice(0)) this.#parse(bytes);
  }

  /** The caller ends the connection. `code`: of NetStream, such as `NetStream.Publish.BadName`. */
  refuse(code: string, description: string): void {
    this.#status('error', code, description);
  }

  #parse(bytes: Buffer): void {
    try {
      this.parserData(bytes);
    } catch (thrown) {
      // The library throws these at unexpected bytes: RangeError from a Buffer, TypeError from a missing field.
      throw thrown instanceof GatewayError ? thrown : bad('parser', thrown);
    }
  }

  /**
   * Stops at `publish`. Peers may send media before they have the answer (§7.3.1); it is parsed after `accept`. Hot: once per
   * read, and some steps per chunk.
   */
  override chunkRead(data: Buffer, start: number, length: number): string | null {
    const end = start + length;
    let at = start;
    while (at < end && this.#state !== 'asked') {
      const size = Math.min(this.#bytesOfOneStep(), end - at);
      const isContinuing = this.#isInExtendedTimestamp() && this.parserPacket.bytes > 0;
      super.chunkRead(data, at, size);
      at += size;
      if (isContinuing && this.parserState === PARSER_IN_PAYLOAD) this.#continued();
    }
    if (at < end) this.#held.push(Buffer.from(data.subarray(at, end)));
    return null;
  }

  /** How many of the next bytes cannot belong to two messages, or to a header and its message. */
  #bytesOfOneStep(): number {
    if (this.#isInExtendedTimestamp()) {
      return this.#extendedAt() + EXTENDED_BYTES - this.parserBytes;
    }
    if (this.parserState < PARSER_BEFORE_PAYLOAD) return 1;
    const { bytes, header } = this.parserPacket;
    return Math.max(1, Math.min(this.inChunkSize - (bytes % this.inChunkSize), header.length - bytes));
  }

  #isInExtendedTimestamp(): boolean {
    return this.parserState === PARSER_BEFORE_PAYLOAD && this.parserPacket.header.timestamp === IS_EXTENDED;
  }

  /** Where the extended timestamp is in `parserBuffer`. */
  #extendedAt(): number {
    return this.parserBasicBytes + (MESSAGE_HEADER_BYTES[this.parserPacket.header.fmt] ?? 0);
  }

  /** Four bytes were read as the extended timestamp of a chunk that continues a message. */
  #continued(): void {
    const at = this.#extendedAt();
    const bytes = this.parserBuffer.readUInt32BE(at);
    if (this.#extended.isRepeated(this.parserPacket, bytes)) return;
    // The parser reads on in this buffer while it gets them again.
    this.chunkRead(Buffer.from(this.parserBuffer.subarray(at, at + EXTENDED_BYTES)), 0, EXTENDED_BYTES);
  }

  override packetParse(): void {
    const known = this.inPackets.size;
    super.packetParse();
    this.#chunks += 1;
    const { header, bytes } = this.parserPacket;
    if (this.inPackets.size > MAX_CHUNK_STREAMS) throw limit('chunk-streams', MAX_CHUNK_STREAMS);
    // A length that shrinks below what has arrived would send the parser back to bytes that it has already read.
    if (bytes > 0 && header.fmt !== 3) throw bad('message interrupted');
    if (this.inPackets.size > known && header.fmt > 1) throw bad('chunk stream without a beginning');
    const maxBytes = this.#state === 'accepted' ? maxBytesOf(header.type) : MAX_COMMAND_BYTES;
    if (header.length > maxBytes) throw limit('message-bytes', maxBytes);
  }

  override packetAlloc(): void {
    // The library drops every message whose time does not fit into 32 bits: deltas get there after 49.7 days.
    this.parserPacket.clock %= 2 ** 32;
    if (this.parserPacket.header.timestamp === IS_EXTENDED) {
      this.#extended.begins(this.parserPacket, this.parserBuffer.readUInt32BE(this.#extendedAt()));
    }
    let heldBytes = this.parserPacket.header.length;
    for (const { capacity } of this.inPackets.values()) heldBytes += capacity;
    if (heldBytes > MAX_BUFFERED_BYTES) throw limit('buffered-bytes', MAX_BUFFERED_BYTES);
    super.packetAlloc();
  }

  override packetHandler(): void {
    this.#messages += 1;
    if (this.parserPacket.header.type === TYPE_AGGREGATE) throw bad('aggregate message');
    super.packetHandler();
  }

  override controlHandler(): void {
    const { header, payload } = this.parserPacket;
    const hasNumber = header.length >= 4 && payload.length >= 4;
    if (header.type === TYPE_SET_CHUNK_SIZE) {
      const size = hasNumber ? payload.readUInt32BE() : 0;
      if (size === 0 || size > 0x7fffffff) throw bad('chunk size');
      // The library counts chunks by the size that applies at their end.
      for (const message of this.inPackets.values()) {
        if (message.bytes > 0) throw bad('chunk size changed within a message');
      }
      this.inChunkSize = Math.min(size, MAX_CHUNK_BYTES);
    } else if (header.type === TYPE_ABORT && hasNumber) {
      const message = this.inPackets.get(payload.readUInt32BE());
      if (message !== undefined) message.bytes = 0;
    } else if (header.type === TYPE_WINDOW_ACKNOWLEDGEMENT_SIZE && hasNumber) {
      super.controlHandler();
    }
  }

  override invokeHandler(): void {
    this.#commands += 1;
    if (this.#commands > MAX_COMMANDS) throw limit('commands', MAX_COMMANDS);
    super.invokeHandler();
  }

  /** Audio, video and metadata. Nothing here needs metadata: sequence headers say the same, and are what decoders get. */
  override dataHandler(): void {
    if (this.#state !== 'accepted') return;
    const { header, payload, clock } = this.parserPacket;
    const message = payload.subarray(0, header.length);
    if (header.type === TYPE_VIDEO) this.#events.onVideo(clock, message);
    else if (header.type === TYPE_AUDIO) this.#events.onAudio(clock, message);
  }

  override onConnect(command: RtmpCommand): void {
    const { app } = objectOf(command.cmdObj);
    if (typeof app !== 'string') throw bad('connect without an application');
    this.#application = app;
    // Nothing of the URL, which can hold the key, stays in the library, and it has nothing to fail at.
    super.onConnect({
      cmd: 'connect',
      transId: numberOf(command.transId),
      cmdObj: { app: '', tcUrl: 'rtmp://gateway/', objectEncoding: 0 },
    });
  }

  override onCreateStream(command: RtmpCommand): void {
    super.onCreateStream({ cmd: 'createStream', transId: numberOf(command.transId) });
  }

  override onPublish(command: RtmpCommand): void {
    const name = command.streamName;
    if (this.#application === null) throw bad('publish before connect');
    if (this.#state !== 'none') throw bad('publish twice');
    if (name !== undefined && name !== null && typeof name !== 'string') throw bad('stream name');
    this.streamId = this.parserPacket.header.stream_id;
    this.#state = 'asked';
    this.#events.onPublish(`${withoutQuery(this.#application)}/${withoutQuery(name ?? '')}`);
  }

  override onPlay(): void {
    this.streamId = this.parserPacket.header.stream_id;
    this.#status('error', 'NetStream.Play.Failed', 'Nothing can be played here.');
    throw new GatewayError(RTMP_ERRORS.RTMP_PLAY_REFUSED);
  }

  override onDeleteStream(): void {
    if (this.#state === 'accepted') this.#events.onUnpublish();
  }

  #status(level: string, code: string, description: string): void {
    this.sendStatusMessage(this.streamId ?? 0, level, code, description);
  }

  /** §5.4.3: some encoders stop when nothing is acknowledged, and the library never does it by itself. */
  #acknowledge(): void {
    const everyBytes = Math.max(MIN_ACKNOWLEDGE_BYTES, this.ackSize ?? DEFAULT_ACKNOWLEDGE_BYTES);
    if (this.#application === null || this.#receivedBytes - this.#acknowledgedBytes < everyBytes) return;
    this.#acknowledgedBytes = this.#receivedBytes;
    this.sendACK(this.#receivedBytes % 2 ** 32);
  }
}

function maxBytesOf(type: number): number {
  if (type === TYPE_AUDIO || type === TYPE_VIDEO) return MAX_MEDIA_BYTES;
  return type === TYPE_DATA || type === TYPE_DATA_AMF3 ? MAX_DATA_BYTES : MAX_COMMAND_BYTES;
}

function bad(reason: string, cause?: unknown): GatewayError {
  return new GatewayError(RTMP_ERRORS.RTMP_BAD_MESSAGE, { reason }, cause);
}

function limit(what: string, maximum: number): GatewayError {
  return new GatewayError(RTMP_ERRORS.RTMP_LIMIT, { limit: what, maximum });
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function withoutQuery(text: string): string {
  const at = text.indexOf('?');
  return at < 0 ? text : text.slice(0, at);
}
