/** A recording on disk without a camera: 4 Mbit/s at 25 frames per second, a group of pictures every two seconds. */

import { FAKE_VIDEO, FakeCamera } from '../../src/cmaf/fake-camera.ts';
import type { CmafPart } from '../../src/cmaf/part.ts';
import { Segmenter } from '../../src/cmaf/segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from '../../src/cmaf/segmenter-limits.ts';
import { WallClock } from '../../src/cmaf/wall-clock.ts';
import { CountedNumbers } from '../../src/recording/file-numbers.ts';
import { FileStorage } from '../../src/recording/file-storage.ts';
import { type RecordedPart, RecordingWriter } from '../../src/recording/recording-writer.ts';
import type { RecordedFile, RecordedStream } from '../../src/recording/segment-index.ts';
import { nalUnit } from './burst-source.ts';

const FRAMES_PER_SEC = 25;
const FRAMES_PER_GROUP = 50;
const FRAME_TICKS = 3_600;
const KEY_FRAME_BYTES = 150_000;
const FRAME_BYTES = 17_350;
const NAL_IDR = 0x65;
const NAL_NON_IDR = 0x41;
const FILE_BYTES = 128 * 1_048_576;
const SYNC_INTERVAL_MS = 5_000;
const BOOT_ID = Buffer.alloc(16, 7);

interface Piece {
  readonly part: RecordedPart;
  readonly bytes: Buffer;
}

/** Writes `seconds` of `stream` from `fromMs` on into `folder`, as the recorder does. Resolves with its files. */
export async function recordPast(
  folder: string,
  stream: RecordedStream,
  fromMs: number,
  seconds: number,
): Promise<RecordedFile[]> {
  const files: RecordedFile[] = [];
  const writer = new RecordingWriter({
    stream,
    storage: new FileStorage(folder),
    bootId: BOOT_ID,
    numbers: new CountedNumbers(0),
    limits: { fileBytes: FILE_BYTES, syncIntervalMs: SYNC_INTERVAL_MS, minFreeBytes: 0 },
    events: {
      onSegment: () => undefined,
      onFile: (file) => void files.push(file),
      onUnfinished: (number) => {
        throw new Error(`recording ${number} is unfinished`);
      },
      onState: (state) => {
        if (state.state === 'failed') throw new Error(`recording failed: ${state.error.code}`);
      },
      onDropped: () => {
        throw new Error('a segment was dropped');
      },
    },
  });
  for (const { part, bytes } of pieces(fromMs, seconds)) await writer.write(part, bytes);
  await writer.close();
  return files;
}

function* pieces(fromMs: number, seconds: number): Generator<Piece> {
  const waiting: Piece[] = [];
  let init: Buffer | null = null;
  const segmenter = new Segmenter({
    limits: DEFAULT_SEGMENTER_LIMITS,
    content: 'video-and-audio',
    wallClock: new WallClock(fromMs),
    onPart: (part) => {
      waiting.push(pieceOf(part, init));
      init = part.tracks.init;
      part.bytes.release();
    },
  });
  segmenter.setTracks([FAKE_VIDEO]);
  const camera = new FakeCamera();
  const key = nalUnit(NAL_IDR, KEY_FRAME_BYTES);
  const other = nalUnit(NAL_NON_IDR, FRAME_BYTES);
  for (let frame = 0; frame < seconds * FRAMES_PER_SEC; frame++) {
    const isKey = frame % FRAMES_PER_GROUP === 0;
    const arrivalMonoMs = (frame * 1_000) / FRAMES_PER_SEC;
    const dtsTicks = frame * FRAME_TICKS;
    segmenter.push(camera.picture({ dtsTicks, isKey, data: isKey ? key : other, arrivalMonoMs }));
    yield* waiting.splice(0);
  }
}

function pieceOf({ bytes, tracks, ...part }: CmafPart, init: Buffer | null): Piece {
  const { startTicks, durationTicks, pictures, epochMs, isSegmentStart, isSegmentEnd } = part;
  return {
    part: {
      startTicks,
      durationTicks,
      pictures,
      epochMs,
      isSegmentStart,
      isSegmentEnd,
      timescaleHz: tracks.pace.timescaleHz,
      isDiscontinuity: part.hasDiscontinuity || init === null,
      init: tracks.init === init ? null : tracks.init,
    },
    bytes: bytes.join(),
  };
}
