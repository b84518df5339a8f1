/**
 * Converts RTP payloads of JPEG to whole JPEG files. RFC 2435: only fields of a header and the coded blocks are sent, and
 * the receiver writes the file's header. So only the blocks come from the camera, and they are checked to contain no marker
 * that does not belong there.
 *
 * A picture with a missing fragment is dropped: blocks after it would be drawn in the wrong place.
 */

import {
  EOI,
  type JpegPicture,
  jpegHead,
  MARKER,
  SAMPLING_420,
  SAMPLING_422,
} from '../../codec/jpeg/baseline-jpeg.ts';
import type { RtpErrorCode } from '../errors.ts';
import { FrameScratch } from '../frame-scratch.ts';
import type { PayloadReceiver } from '../stream-receiver.ts';
import { FIRST_IN_BAND_Q, QuantizerTables } from './quantizers.ts';

export interface JpegSink {
  /** `picture` belongs to the sink. */
  onJpeg(picture: JpegPicture, rtpTimestamp: number, arrivalMonoMs: number): void;
  onDropped(frames: number, code: RtpErrorCode): void;
}

/** RFC 2435 §3.1. */
const MAIN_HEADER_BYTES = 8;
const RESTART_HEADER_BYTES = 4;
const FIRST_RESTART_TYPE = 64;
/** §4.1: 4:2:2 and 4:2:0; with restart markers, 64 more. */
const SAMPLINGS = [SAMPLING_422, SAMPLING_420];
/** §4.1: the second field of an interlaced picture. The first one is shown. */
const SECOND_FIELD = 2;
const BLOCK_PX = 8;

/** The fields in the headers of a picture's first fragment. */
interface Opening {
  readonly sampling: number;
  readonly restartInterval: number;
  readonly q: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

interface Size {
  readonly widthPx: number;
  readonly heightPx: number;
}

export class JpegDepacketizer implements PayloadReceiver {
  readonly #sink: JpegSink;
  /** Size of pictures that are too large for their header: more than 2,040 pixels. */
  readonly #describedSize: Size | null;
  /** Size of the picture that the next packet begins. */
  #extensionSize: Size | null = null;
  readonly #quantizers = new QuantizerTables();
  readonly #scan = new FrameScratch();
  /** The picture that is being put together; null between pictures, and after damage. */
  #opening: Opening | null = null;
  #rtpTimestamp = 0;
  #arrivalMonoMs = 0;
  /** Timestamp of the last dropped picture: its other fragments are not reported again. -1: none. */
  #droppedTimestamp = -1;

  /** `describedSize`: from the session description. */
  constructor(sink: JpegSink, describedSize: Size | null = null) {
    this.#sink = sink;
    this.#describedSize = describedSize;
  }

  push(
    chunk: Uint8Array,
    start: number,
    end: number,
    rtpTimestamp: number,
    isMarked: boolean,
    arrivalMonoMs: number,
  ): void {
    // Empty payloads are keep-alives (RFC 6263 §4.1).
    if (start >= end) return;
    // Some cameras never set the marker: the next picture ends this one.
    if (this.#opening !== null && rtpTimestamp !== this.#rtpTimestamp) this.#finish();
    this.#rtpTimestamp = rtpTimestamp;
    this.#arrivalMonoMs = arrivalMonoMs;
    this.#fragment(chunk, start, end);
    if (isMarked && this.#opening !== null) this.#finish();
    this.#extensionSize = null;
  }

  extension(chunk: Uint8Array, start: number, end: number): void {
    this.#extensionSize = readExtensionSize(chunk, start, end);
  }

  gap(): void {
    if (this.#opening !== null) this.#drop('RTP_PACKET_LOSS');
  }

  #fragment(chunk: Uint8Array, start: number, end: number): void {
    const hasRestarts = start + MAIN_HEADER_BYTES <= end && chunk[start + 4]! >= FIRST_RESTART_TYPE;
    let at = start + MAIN_HEADER_BYTES + (hasRestarts ? RESTART_HEADER_BYTES : 0);
    if (at > end) {
      this.#drop('RTP_BAD_PAYLOAD');
      return;
    }
    const offset = (chunk[start + 1]! << 16) | (chunk[start + 2]! << 8) | chunk[start + 3]!;
    if (offset === 0) {
      // A camera that sends several pictures with one timestamp.
      if (this.#opening !== null) this.#finish();
      at = this.#begin(chunk, start, at, end);
      if (at < 0) return;
    }
    if (this.#opening === null || offset !== this.#scan.length) this.#drop('RTP_PACKET_LOSS');
    else if (!this.#scan.append(chunk, at, end)) this.#drop('RTP_FRAME_TOO_LARGE');
  }

  /** Returns where the blocks begin; -1 if the picture is left out. */
  #begin(chunk: Uint8Array, start: number, tablesAt: number, end: number): number {
    const q = chunk[start + 5]!;
    const blocksAt = q < FIRST_IN_BAND_Q ? tablesAt : this.#quantizers.read(q, chunk, tablesAt, end);
    if (blocksAt < 0) this.#drop('RTP_BAD_PAYLOAD');
    else if (chunk[start] === SECOND_FIELD) this.#droppedTimestamp = this.#rtpTimestamp;
    else {
      this.#opening = this.#read(chunk, start);
      if (this.#opening === null) this.#drop('RTP_UNSUPPORTED_PAYLOAD');
      else {
        this.#scan.truncate(0);
        this.#droppedTimestamp = -1;
        return blocksAt;
      }
    }
    return -1;
  }

  /** null: a type that RFC 2435 leaves to others, or a picture without a size. */
  #read(chunk: Uint8Array, start: number): Opening | null {
    const type = chunk[start + 4]!;
    const hasRestarts = type >= FIRST_RESTART_TYPE;
    const sampling = SAMPLINGS[hasRestarts ? type - FIRST_RESTART_TYPE : type];
    const size = {
      widthPx: chunk[start + 6]! * BLOCK_PX || (this.#describedSize?.widthPx ?? 0),
      heightPx: chunk[start + 7]! * BLOCK_PX || (this.#describedSize?.heightPx ?? 0),
      ...this.#extensionSize,
    };
    if (sampling === undefined || size.widthPx === 0 || size.heightPx === 0) return null;
    const restartAt = start + MAIN_HEADER_BYTES;
    const restartInterval = hasRestarts ? (chunk[restartAt]! << 8) | chunk[restartAt + 1]! : 0;
    return { ...size, sampling, restartInterval, q: chunk[start + 5]! };
  }

  #finish(): void {
    const opening = this.#opening!;
    const quantizers = this.#quantizers.find(opening.q);
    const scan = this.#scan.view();
    const end = scanEnd(scan, opening.restartInterval > 0);
    if (quantizers === null || end <= 0) {
      this.#drop('RTP_BAD_PAYLOAD');
      return;
    }
    this.#opening = null;
    this.#droppedTimestamp = -1;
    const bytes = Buffer.concat([jpegHead({ ...opening, ...quantizers }), scan.subarray(0, end), EOI]);
    const { widthPx, heightPx } = opening;
    this.#sink.onJpeg({ bytes, widthPx, heightPx }, this.#rtpTimestamp, this.#arrivalMonoMs);
  }

  /** Once for each picture. */
  #drop(code: RtpErrorCode): void {
    this.#opening = null;
    if (this.#droppedTimestamp === this.#rtpTimestamp) return;
    this.#droppedTimestamp = this.#rtpTimestamp;
    this.#sink.onDropped(1, code);
  }
}

/** In place of a profile's number: SOI. */
const JPEG_EXTENSION = 0xffd8;
const EXTENSION_HEADER_BYTES = 4;
const SOF0 = 0xc0;
/** Marker, length, precision, height and width. */
const SIZE_BYTES = 9;

/**
 * The size of a JPEG that RFC 2435 cannot say: ONVIF cameras put segments of the file's header into the RTP header extension of a
 * picture's first packet. ONVIF Streaming Specification, JPEG over RTP. `chunk[start, end)`: the extension with its header,
 * borrowed. null if it is another one, or has no frame header.
 */
function readExtensionSize(
  chunk: Uint8Array,
  start: number,
  end: number,
): { readonly widthPx: number; readonly heightPx: number } | null {
  const u16 = (at: number): number => (chunk[at]! << 8) | chunk[at + 1]!;
  if (end - start < EXTENSION_HEADER_BYTES || u16(start) !== JPEG_EXTENSION) return null;
  for (let at = start + EXTENSION_HEADER_BYTES; at + SIZE_BYTES <= end && chunk[at] === MARKER; ) {
    const marker = chunk[at + 1]!;
    if (marker === SOF0) {
      const [heightPx, widthPx] = [u16(at + 5), u16(at + 7)];
      return widthPx === 0 || heightPx === 0 ? null : { widthPx, heightPx };
    }
    // Fill bytes come before a marker and end the extension.
    at += marker === MARKER ? 1 : 2 + Math.max(2, u16(at + 2));
  }
  return null;
}

const STUFFED = 0x00;
const RST0 = 0xd0;
const RST7 = 0xd7;
const END_OF_IMAGE = 0xd9;

/**
 * Where the coded blocks end, which contain no marker but those that divide them (ITU-T T.81 B.1.1): at EOI, which some cameras send, or
 * at the end of `scan`. -1 if something is among them that begins another part of a JPEG. `hasRestarts`: they are divided by restart
 * markers.
 */
function scanEnd(scan: Buffer, hasRestarts: boolean): number {
  for (let at = scan.indexOf(MARKER); at >= 0; at = scan.indexOf(MARKER, at + 2)) {
    const next = scan[at + 1];
    if (next === END_OF_IMAGE) return at;
    const isRestart = hasRestarts && next !== undefined && next >= RST0 && next <= RST7;
    if (next !== STUFFED && !isRestart) return -1;
  }
  return scan.length;
}
