/** One coded key frame to RGB or JPEG, in a jailed ffmpeg without network access that is started for it. */

import type { JpegTables } from '../codec/jpeg/quantization-tables.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { type FfmpegCommandLine, type PictureCrop, pictureCommand } from '../ffmpeg/command.ts';
import { FFMPEG_ERRORS } from '../ffmpeg/errors.ts';
import type { FfmpegBinary } from '../ffmpeg/find-ffmpeg.ts';
import type { WorkerPool } from '../ffmpeg/worker-pool.ts';
import type { KeyFrame } from '../stream/media/live-media.ts';
import { checkedJpeg, checkedTile, encoderTables } from './jpeg-picture.ts';

export interface DecodedPicture {
  /** RGB: three bytes per pixel, rows without gaps. Or a JPEG, if one was requested. */
  readonly bytes: Buffer;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** One frame, with all that it takes to decode it. */
export interface CodedFrame extends KeyFrame {
  /** Frames of `fmp4` that are shown before it; absent: it is the first one. */
  readonly frameIndex?: number;
}

/** The wanted part of a frame and its largest size; the part's own size if that is smaller. */
export interface PictureRequest {
  readonly maxWidthPx: number;
  /** null: all of it. */
  readonly crop: PictureCrop | null;
  /** 1 to 100: as a JPEG of this quality. Absent: RGB. */
  readonly jpegQualityPercent?: number;
}

/** A picture for a sheet of many (src/codec/jpeg/jpeg-sheet.ts). Its result is the coded blocks of its JPEG. */
export interface TileRequest {
  /** Multiples of 16. A frame of another shape has black edges. */
  readonly tile: { readonly widthPx: number; readonly heightPx: number };
  readonly tables: JpegTables;
}

/** The owner of a picture: organizations take turns, and so do the cameras of each. */
export interface PictureTurn {
  readonly organization: string;
  readonly camera: string;
}

/** Decodes in processes that a frame can harm only for its own picture. */
export interface PictureDecoder {
  /** Fails FFMPEG_POOL_FULL, FFMPEG_BAD_PICTURE, FFMPEG_PICTURE_TIMEOUT, or like starting a worker. */
  decode(
    frame: CodedFrame,
    wanted: PictureRequest | TileRequest,
    turn?: PictureTurn,
  ): Promise<DecodedPicture>;
  /** Whether a wish can ask for a JPEG. */
  readonly makesJpeg: boolean;
}

export const RGB_BYTES = 3;
/** Images are never wider or higher, whatever the request: 25 MB each. */
export const MAX_DECODED_WIDTH_PX = 3_840;
const MAX_DECODED_HEIGHT_PX = 3_840;
const MAX_DECODED_PX = 3_840 * 2_160;
/** Headers, and pictures of a few pixels: other JPEGs are smaller than RGB. */
const JPEG_ROOM_BYTES = 64 * 1_024;
export const DECODE_TIMEOUT_MS = 10_000;
const PERMYRIAD = 10_000;
/** A picture that is this many times smaller than its frame shows no edges of blocks: stills.md has the figures. */
const UNFILTERED_SHRINK = 3;

export interface DecoderOptions {
  readonly binary: FfmpegBinary;
  readonly pool: WorkerPool;
  readonly clock: Clock;
}

/** The size of the decoded image: its own, or smaller in the same shape. */
export function decodedSize(
  widthPx: number,
  heightPx: number,
  { maxWidthPx, crop }: PictureRequest,
): { widthPx: number; heightPx: number } {
  const width = crop === null ? widthPx : Math.max(1, (widthPx * crop.widthPermyriad) / PERMYRIAD);
  const height = crop === null ? heightPx : Math.max(1, (heightPx * crop.heightPermyriad) / PERMYRIAD);
  const maxWidth = Math.min(maxWidthPx, MAX_DECODED_WIDTH_PX);
  const scale = Math.min(
    1,
    maxWidth / width,
    MAX_DECODED_HEIGHT_PX / height,
    Math.sqrt(MAX_DECODED_PX / (width * height)),
  );
  return {
    widthPx: Math.max(1, Math.round(width * scale)),
    heightPx: Math.max(1, Math.round(height * scale)),
  };
}

/** How ffmpeg makes a picture, and how the picture must look. */
export interface Decoding {
  readonly line: FfmpegCommandLine;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly minBytes: number;
  readonly maxBytes: number;
  /** The picture, of what ffmpeg wrote, which has between `minBytes` and `maxBytes`; null: it is not one. */
  readonly check: (made: Buffer) => Buffer | null;
}

export function decodingOf(
  frame: CodedFrame,
  wanted: PictureRequest | TileRequest,
  ffmpegMajor: number,
): Decoding {
  if ('tile' in wanted) return tileDecodingOf(frame, wanted, ffmpegMajor);
  const { crop, jpegQualityPercent } = wanted;
  const { frameIndex = 0 } = frame;
  const size = decodedSize(frame.widthPx, frame.heightPx, wanted);
  // Frames that others are predicted from need the filters, or the difference adds up.
  const isDeblocked = frameIndex > 0 || crop !== null || size.widthPx * UNFILTERED_SHRINK > frame.widthPx;
  const jpeg = jpegQualityPercent === undefined ? null : encoderTables(jpegQualityPercent);
  const line = pictureCommand({ ...size, crop, frameIndex, isDeblocked, jpeg }, ffmpegMajor);
  const rgbBytes = size.widthPx * size.heightPx * RGB_BYTES;
  if (jpeg === null) {
    return { line, ...size, minBytes: rgbBytes, maxBytes: rgbBytes, check: (made) => made };
  }
  const check = (made: Buffer) => checkedJpeg(made, size, jpeg);
  return { line, ...size, minBytes: 1, maxBytes: rgbBytes + JPEG_ROOM_BYTES, check };
}

function tileDecodingOf(
  { widthPx, heightPx }: CodedFrame,
  { tile, tables }: TileRequest,
  ffmpegMajor: number,
): Decoding {
  const scale = Math.min(tile.widthPx / widthPx, tile.heightPx / heightPx);
  const shown = {
    widthPx: evenWithin(widthPx * scale, tile.widthPx),
    heightPx: evenWithin(heightPx * scale, tile.heightPx),
  };
  const isDeblocked = shown.widthPx * UNFILTERED_SHRINK > widthPx;
  const options = { ...shown, crop: null, frameIndex: 0, isDeblocked, jpeg: tables, tile };
  return {
    line: pictureCommand(options, ffmpegMajor),
    ...tile,
    minBytes: 1,
    maxBytes: tile.widthPx * tile.heightPx * RGB_BYTES + JPEG_ROOM_BYTES,
    check: (made) => checkedTile(made, tile, tables),
  };
}

/** An edge begins where a sample of color does. */
function evenWithin(px: number, mostPx: number): number {
  return Math.min(mostPx, Math.max(2, 2 * Math.round(px / 2)));
}

/** Starts a process for each picture. */
export class OneShotDecoder implements PictureDecoder {
  readonly #options: DecoderOptions;

  constructor(options: DecoderOptions) {
    this.#options = options;
  }

  get makesJpeg(): boolean {
    return this.#options.binary.hasJpeg;
  }

  async decode(frame: CodedFrame, wanted: PictureRequest | TileRequest): Promise<DecodedPicture> {
    const { binary, pool, clock } = this.#options;
    const { line, widthPx, heightPx, minBytes, maxBytes, check } = decodingOf(frame, wanted, binary.major);
    const spec = { ffmpegPath: binary.path, line, network: null, extraFd: null };
    const worker = await pool.start(spec, new AbortController().signal, { purpose: 'picture' });
    let isLate = false;
    const timer = clock.after(DECODE_TIMEOUT_MS, () => {
      isLate = true;
      void worker.kill();
    });
    const chunks: Buffer[] = [];
    let receivedBytes = 0;
    worker.stdout.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length;
      // An image of another size than requested is not valid; the count reveals it.
      if (receivedBytes > maxBytes) void worker.kill();
      else chunks.push(chunk);
    });
    for (const buffer of frame.fmp4) worker.stdin!.write(buffer);
    worker.stdin!.end();
    const exit = await worker.exited;
    timer.cancel();
    const isComplete = receivedBytes >= minBytes && receivedBytes <= maxBytes;
    const bytes = isComplete ? check(Buffer.concat(chunks)) : null;
    if (bytes === null) {
      const context = {
        receivedBytes,
        expectedBytes: minBytes,
        exitCode: exit.code,
        stderr: exit.stderr.at(-1) ?? '',
      };
      const reason = isLate ? FFMPEG_ERRORS.FFMPEG_PICTURE_TIMEOUT : FFMPEG_ERRORS.FFMPEG_BAD_PICTURE;
      throw new GatewayError(reason, context);
    }
    return { bytes, widthPx, heightPx };
  }
}
