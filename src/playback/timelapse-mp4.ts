/**
 * A timelapse: a progressive MP4 of single key frames of a recording, shown one after the other at times of their own.
 * Each can be decoded alone, so no decoder or encoder is needed, whatever the codec. docs/design/clips.md#timelapses.
 */

import { msToTicks } from '../cmaf/ticks.ts';
import { GatewayError } from '../core/errors.ts';
import { type FileSpan, type ReadBytes, readFirstRuns, type SampleRun } from '../isobmff/fragment-samples.ts';
import { RECORDING_ERRORS } from '../recording/errors.ts';
import { endEpochMs } from '../recording/segment-index.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import { InitTracks } from './init-tracks.ts';
import { MovieTrack } from './movie-track.ts';
import { PieceList } from './pieces.ts';
import { writeMovieHead } from './progressive-movie.ts';
import type { RangeMp4 } from './range-mp4.ts';
import type { RecordedTrack } from './recorded-tracks.ts';
import type { ChosenFrame, TimelapseFrames } from './timelapse-frames.ts';

/** Timescale of the movie: frames per second of every camera are whole numbers of these ticks, or close to it. */
const TIMESCALE_HZ = 90_000;
/** Frames that are being read. */
const READ_AHEAD = 16;

/** A frame that is in the movie, and where its data lies. */
interface Found {
  readonly frame: ChosenFrame;
  readonly track: RecordedTrack;
  readonly data: FileSpan;
}

/**
 * Frames whose files retention has deleted meanwhile are left out, and the ones before them are shown longer. Fails
 * RANGE_EMPTY if none is left, ISOBMFF_… if a recording cannot be read, or like `read`.
 */
export async function buildTimelapseMp4(
  { frames, durationMs }: TimelapseFrames,
  read: ReadBytes,
): Promise<RangeMp4> {
  const inits = new InitTracks(read);
  const pieces = new PieceList();
  const reads: Promise<SampleRun[] | null>[] = [];
  const movie = new TimelapseBuilder(durationMs);
  try {
    for (let i = 0; i < frames.length; i++) {
      for (let k = reads.length; k < Math.min(frames.length, i + READ_AHEAD); k++) {
        const runs = unlessGone(readFirstRuns(read, spanOf(frames[k]!)));
        // A read that is not awaited anymore, because an earlier one failed, must not reject unhandled.
        runs.catch(() => undefined);
        reads.push(runs);
      }
      const frame = frames[i]!;
      const runs = await reads[i]!;
      reads[i] = NOTHING;
      const tracks = runs === null ? null : await unlessGone(inits.of(frame.name, frame.segment));
      if (runs === null || tracks === null) continue;
      const found = keyFrameOf(frame, tracks, runs);
      if (found === null) continue;
      movie.add(found);
      pieces.add(found.data);
    }
  } finally {
    await Promise.allSettled(reads);
  }
  return { ...movie.finish(), pieces: pieces.packed() };
}

const NOTHING = Promise.resolve(null);

async function unlessGone<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (thrown) {
    const isGone =
      thrown instanceof GatewayError && thrown.code === RECORDING_ERRORS.RECORDING_NOT_FOUND.code;
    if (isGone) return null;
    throw thrown;
  }
}

function spanOf({ name, segment }: ChosenFrame): FileSpan {
  return { name, offset: segment.offset, byteLength: segment.byteLength };
}

/** The first frame of the segment; null: it cannot be decoded alone. */
function keyFrameOf(
  frame: ChosenFrame,
  tracks: readonly RecordedTrack[],
  runs: readonly SampleRun[],
): Found | null {
  const track = tracks.find(({ kind }) => kind === 'video');
  const run = track === undefined ? undefined : runs.find(({ trackId }) => trackId === track.trackId);
  if (track === undefined || run === undefined || run.keys[0] !== 1) return null;
  return { frame, track, data: { name: frame.name, offset: run.dataOffset, byteLength: run.sizesBytes[0]! } };
}

/** Each frame is a chunk of its own, shown from its time until the next one's; the first from the beginning. */
class TimelapseBuilder {
  readonly #durationTicks: number;
  #track: MovieTrack | null = null;
  #dataBytes = 0;
  #startEpochMs = 0;
  #endEpochMs = 0;

  constructor(durationMs: number) {
    this.#durationTicks = msToTicks(durationMs, TIMESCALE_HZ);
  }

  add({ frame, track: of, data }: Found): void {
    const isFirst = this.#track === null;
    this.#track ??= new MovieTrack({ ...of, timescaleHz: TIMESCALE_HZ });
    const track = this.#track;
    const startTicks = isFirst ? 0 : msToTicks(frame.atMs, TIMESCALE_HZ);
    track.addSample(startTicks, this.#durationTicks - startTicks, data.byteLength, 0, true);
    const descriptionIndex = track.describe(of.sampleEntry);
    track.chunks.push({ dataOffset: this.#dataBytes, samples: 1, descriptionIndex });
    this.#dataBytes += data.byteLength;
    if (isFirst) this.#startEpochMs = frame.segment.epochMs;
    this.#endEpochMs = endEpochMs(frame.segment);
  }

  finish(): Omit<RangeMp4, 'pieces'> {
    const track = this.#track;
    if (track === null) throw new GatewayError(PLAYBACK_ERRORS.RANGE_EMPTY);
    track.finish();
    const durationTicks = this.#durationTicks;
    const startEpochMs = this.#startEpochMs;
    const head = writeMovieHead({
      timescaleHz: TIMESCALE_HZ,
      durationTicks,
      startEpochMs,
      dataBytes: this.#dataBytes,
      tracks: [{ track, edit: { emptyTicks: 0, mediaTicks: 0, durationTicks } }],
    });
    return {
      head,
      byteLength: head.length + this.#dataBytes,
      durationMs: (durationTicks / TIMESCALE_HZ) * 1_000,
      widthPx: track.widthPx,
      heightPx: track.heightPx,
      startEpochMs,
      endEpochMs: this.#endEpochMs,
    };
  }
}
