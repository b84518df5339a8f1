/**
 * The key frames of recorded segments as one segment, which needs no other frame to be decoded: what is left of a recording after its stream's
 * time (docs/design/recording.md#thinning). ISO/IEC 14496-12 §8.8.
 */

import { ticksToMs } from '../cmaf/ticks.ts';
import { BoxWriter } from '../isobmff/box-writer.ts';
import { styp, stypBytes } from '../isobmff/file-boxes.ts';
import { MDAT_HEADER_BYTES, mdatHeader, moof, moofBytes, type TrackRun } from '../isobmff/fragment-boxes.ts';
import { type ReadBytes, readSegmentRuns, type SampleRun } from '../isobmff/fragment-samples.ts';
import type { RecordedPart } from './recording-writer.ts';
import type { RecordedSegment } from './segment-index.ts';

/** A frame of 4K at the best quality has a few megabytes. */
const MAX_KEY_FRAME_BYTES = 16 * 1_048_576;
/** Frames that follow a kept one sooner are left out: of a camera whose frames are all key frames, little would be gained. */
const MIN_BETWEEN_MS = 1_000;
/** Frames come a bit early. */
const EARLY_MS = 100;

export interface KeyFrameSegment {
  readonly part: Omit<RecordedPart, 'init'>;
  readonly bytes: Buffer;
}

/** A frame that can be decoded alone. */
interface KeyFrame {
  readonly ticks: number;
  readonly offset: number;
  readonly sizeBytes: number;
  readonly compositionTicks: number;
}

/**
 * `segments`: of one file, each continuing the one before. The result lasts from the first key frame to the end of the last segment.
 * null: there is no key frame. Fails ISOBMFF_…, or like `read`.
 */
export async function readKeyFrameSegment(
  read: ReadBytes,
  name: string,
  segments: readonly RecordedSegment[],
  trackId: number,
): Promise<KeyFrameSegment | null> {
  const frames: KeyFrame[] = [];
  const [first] = segments;
  const last = segments.at(-1);
  if (first === undefined || last === undefined) return null;
  const { timescaleHz } = first;
  for (const { offset, byteLength } of segments) {
    for (const run of await readSegmentRuns(read, { name, offset, byteLength })) {
      if (run.trackId === trackId) addKeyFrames(frames, run, timescaleHz);
    }
  }
  const [start] = frames;
  if (start === undefined) return null;
  const data = await Promise.all(frames.map(({ offset, sizeBytes }) => read(name, offset, sizeBytes)));
  const endTicks = last.startTicks + last.durationTicks;
  const skippedTicks = start.ticks - first.startTicks;
  return {
    part: {
      timescaleHz,
      startTicks: start.ticks,
      durationTicks: endTicks - start.ticks,
      pictures: frames.length,
      epochMs: first.epochMs + ticksToMs(skippedTicks, timescaleHz),
      isSegmentStart: true,
      isSegmentEnd: true,
      isDiscontinuity: first.isDiscontinuity || skippedTicks > 0,
    },
    bytes: Buffer.concat([headOf(frames, endTicks, trackId), ...data]),
  };
}

function addKeyFrames(frames: KeyFrame[], run: SampleRun, timescaleHz: number): void {
  let ticks = run.startTicks;
  let offset = run.dataOffset;
  for (let i = 0; i < run.sizesBytes.length; i++) {
    const sizeBytes = run.sizesBytes[i]!;
    const before = frames.at(-1);
    const isSoon =
      before !== undefined && ticksToMs(ticks - before.ticks, timescaleHz) < MIN_BETWEEN_MS - EARLY_MS;
    if (run.keys[i] === 1 && !isSoon && sizeBytes <= MAX_KEY_FRAME_BYTES) {
      frames.push({ ticks, offset, sizeBytes, compositionTicks: run.compositionTicks[i]! });
    }
    ticks += run.durationsTicks[i]!;
    offset += sizeBytes;
  }
}

/** `styp moof` and the header of the `mdat`. Each frame lasts until the next one. */
function headOf(frames: readonly KeyFrame[], endTicks: number, trackId: number): Buffer {
  const ends = [...frames.slice(1).map(({ ticks }) => ticks), endTicks];
  const dataBytes = frames.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const run: TrackRun = {
    trackId,
    startTicks: frames[0]!.ticks,
    sampleCount: frames.length,
    dataBytes,
    samples: {
      sizesBytes: Uint32Array.from(frames, ({ sizeBytes }) => sizeBytes),
      durationsTicks: Uint32Array.from(frames, ({ ticks }, i) => ends[i]! - ticks),
      compositionOffsetsTicks: Uint32Array.from(frames, ({ compositionTicks }) =>
        Math.max(0, compositionTicks),
      ),
      keys: new Uint8Array(frames.length).fill(1),
    },
  };
  const writer = new BoxWriter(Buffer.allocUnsafe(stypBytes(1) + moofBytes([run]) + MDAT_HEADER_BYTES));
  styp(writer, 1);
  moof(writer, 1, [run]);
  mdatHeader(writer, dataBytes);
  return writer.bytes;
}
