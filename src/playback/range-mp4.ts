/**
 * A progressive MP4 of an exact range of a recording, from the movie fragments of its segments: the head with all tables,
 * and where in the recording files the data lies that follows it. No media is read or changed, so the length is known
 * before the first byte is sent, and any range of the file can be made. docs/design/clips.md#mp4-of-a-range.
 *
 * - A frame belongs to the range if its wall time is in it. The movie begins with the first of them, exactly: frames
 *   before it that the decoder needs are in the file, and the edit list hides them. A picture that stands when the range
 *   begins, because only key frames are left, begins with the movie.
 * - Gaps are left out: after a gap, the movie continues with the next frame. The audio of each stretch begins with its
 *   video, to within half an audio frame, whatever the number of gaps.
 */

import { convertTicks, msToTicks, ticksToMs } from '../cmaf/ticks.ts';
import { GatewayError } from '../core/errors.ts';
import {
  type FileSpan,
  type ReadBytes,
  readSegmentRuns,
  type SampleRun,
} from '../isobmff/fragment-samples.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import type { RecordedSegment } from '../recording/segment-index.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import { InitTracks } from './init-tracks.ts';
import { MovieTrack } from './movie-track.ts';
import { type PackedPieces, PieceList } from './pieces.ts';
import { type EditedTrack, writeMovieHead } from './progressive-movie.ts';
import type { RecordedTrack } from './recorded-tracks.ts';

export interface RangeRequest {
  /** Wall time, epoch milliseconds; half-open. */
  readonly fromMs: number;
  readonly toMs: number;
  /** False: only the video, for viewers who may not hear. */
  readonly hasAudio: boolean;
}

export interface RangeMp4 {
  /** `ftyp moov` and the header of `mdat`. */
  readonly head: Buffer<ArrayBuffer>;
  /** The pieces that follow, in order. */
  readonly pieces: PackedPieces;
  readonly byteLength: number;
  readonly durationMs: number;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Wall time of the first and after the last frame, epoch milliseconds. */
  readonly startEpochMs: number;
  readonly endEpochMs: number;
}

/** A longer range has more ticks than the tables of a movie hold (90 kHz in 31 bits: 6.6 h). */
export const MAX_RANGE_MS = 6 * 3_600_000;
/** Wall times of segments are stored in whole milliseconds. */
const ROUNDING_MS = 0.5;
/** A picture that lasts this long stands: nothing else is there for its time. */
const STANDING_MS = 900;
/** Segments whose fragments are being read. */
const READ_AHEAD = 16;

interface PlannedSegment {
  readonly name: string;
  readonly segment: RecordedSegment;
  /** It continues the one before, and the next one continues it. */
  readonly continuesBefore: boolean;
  readonly isContinued: boolean;
}

/**
 * `files`: as RecordingCatalog found them for the range. Fails RANGE_EMPTY, RANGE_TOO_LARGE, ISOBMFF_… if a recording
 * cannot be read, or like `read`.
 */
export async function buildRangeMp4(
  files: readonly FoundFile[],
  wanted: RangeRequest,
  read: ReadBytes,
): Promise<RangeMp4> {
  if (wanted.toMs - wanted.fromMs > MAX_RANGE_MS) throw new GatewayError(PLAYBACK_ERRORS.RANGE_TOO_LARGE);
  const plan = planSegments(files);
  const inits = new InitTracks(read);
  const builder = new RangeBuilder(wanted);
  const reads: Promise<SampleRun[]>[] = [];
  try {
    for (let i = 0; i < plan.length; i++) {
      for (let k = reads.length; k < Math.min(plan.length, i + READ_AHEAD); k++) {
        const { name, segment } = plan[k]!;
        const runs = readSegmentRuns(read, { name, offset: segment.offset, byteLength: segment.byteLength });
        // A read that is not awaited anymore, because an earlier one failed, must not reject unhandled.
        runs.catch(() => undefined);
        reads.push(runs);
      }
      const { name, segment } = plan[i]!;
      const tracks = await inits.of(name, segment);
      builder.addSegment(plan[i]!, tracks, await reads[i]!);
      reads[i] = NO_RUNS;
    }
  } finally {
    await Promise.allSettled(reads);
  }
  return builder.finish();
}

const NO_RUNS: Promise<SampleRun[]> = Promise.resolve([]);

function planSegments(files: readonly FoundFile[]): PlannedSegment[] {
  const all = files.flatMap(({ name, segments }) => segments.map((segment) => ({ name, segment })));
  return all.map(({ name, segment }, index) => ({
    name,
    segment,
    continuesBefore: index > 0 && continues(all[index - 1]!.segment, segment),
    isContinued: index + 1 < all.length && continues(segment, all[index + 1]!.segment),
  }));
}

/** On the same timeline without a gap, perhaps in the next file. */
function continues(before: RecordedSegment, next: RecordedSegment): boolean {
  return (
    !next.isDiscontinuity &&
    next.timescaleHz === before.timescaleHz &&
    next.startTicks === before.startTicks + before.durationTicks
  );
}

/** How the timeline of a stretch without gaps lies on that of the movie, in ticks of the media. */
interface Stretch {
  /** Decoding time of its first video frame, and where that is in the movie. */
  readonly sourceTicks: number;
  readonly movieTicks: number;
  /** Added to composition offsets, so that all stretches have the same delay between decoding and presentation. */
  readonly compositionTicks: number;
  /** Timescale of `sourceTicks`. */
  readonly timescaleHz: number;
}

/** Frames of a segment that are in the file: from `first` to before `end`, counted over its runs. */
interface Kept {
  readonly first: number;
  readonly end: number;
  /** The last one is not the last of the segment. */
  readonly isCut: boolean;
  /** The one that stands when the range begins; -1: none does. */
  readonly standing: number;
}

class RangeBuilder {
  readonly #wanted: RangeRequest;
  readonly #pieces = new PieceList();
  #dataBytes = 0;
  #video: MovieTrack | null = null;
  #audio: MovieTrack | null = null;
  /** There was a segment without video. */
  #hasSoundOnly = false;
  #stretch: Stretch | null = null;
  /** Composition offset of the first frame of the movie. */
  #delayTicks = 0;
  /** Presentation time of the first frame that is shown, and after the last one, in ticks of the video's media. */
  #shownFromTicks = 0;
  #shownToTicks = 0;
  #startEpochMs = 0;
  #endEpochMs = 0;

  constructor(wanted: RangeRequest) {
    this.#wanted = wanted;
  }

  addSegment(planned: PlannedSegment, tracks: readonly RecordedTrack[], runs: readonly SampleRun[]): void {
    const videoTrack = tracks.find(({ kind }) => kind === 'video');
    const audioTrack = this.#wanted.hasAudio ? tracks.find(({ kind }) => kind === 'audio') : undefined;
    if (videoTrack === undefined) {
      this.#hasSoundOnly = true;
      return;
    }
    const video = runs.filter(({ trackId }) => trackId === videoTrack.trackId);
    const frames = new Frames(video, planned.segment, videoTrack.timescaleHz);
    const kept = this.#kept(frames, this.#video === null);
    if (kept === null) return;
    this.#video ??= new MovieTrack(videoTrack);
    const isNew = this.#stretch === null || !planned.continuesBefore;
    const stretch = isNew ? this.#begin(frames, kept, videoTrack.timescaleHz) : this.#stretch!;
    this.#stretch = stretch;
    this.#show(frames, kept, stretch);
    const audioEnd = kept.isCut || !planned.isContinued ? this.#shownToTicks : Number.POSITIVE_INFINITY;
    let index = 0;
    for (const run of runs) {
      if (run.trackId === videoTrack.trackId) {
        this.#addVideo(planned.name, videoTrack, run, stretch, kept, index);
        index += run.sizesBytes.length;
      } else if (run.trackId === audioTrack?.trackId) {
        this.#addAudio(planned.name, audioTrack, run, stretch, audioEnd);
      }
    }
  }

  finish(): RangeMp4 {
    const video = this.#video;
    if (video === null) {
      throw new GatewayError(
        this.#hasSoundOnly ? PLAYBACK_ERRORS.RANGE_SOUND_ONLY : PLAYBACK_ERRORS.RANGE_EMPTY,
      );
    }
    const timescaleHz = video.timescaleHz;
    const durationTicks = this.#shownToTicks - this.#shownFromTicks;
    if (ticksToMs(video.endTicks, timescaleHz) > MAX_RANGE_MS + 60_000) {
      throw new GatewayError(PLAYBACK_ERRORS.RANGE_TOO_LARGE);
    }
    video.finish();
    const tracks: EditedTrack[] = [
      { track: video, edit: { emptyTicks: 0, mediaTicks: this.#shownFromTicks, durationTicks } },
    ];
    const audio = this.#audio === null ? null : this.#finishAudio(this.#audio, durationTicks);
    if (audio !== null) tracks.push(audio);
    const startEpochMs = this.#startEpochMs;
    const dataBytes = this.#dataBytes;
    const head = writeMovieHead({ timescaleHz, durationTicks, startEpochMs, tracks, dataBytes });
    return {
      head,
      pieces: this.#pieces.packed(),
      byteLength: head.length + dataBytes,
      durationMs: ticksToMs(durationTicks, timescaleHz),
      widthPx: video.widthPx,
      heightPx: video.heightPx,
      startEpochMs,
      endEpochMs: this.#endEpochMs,
    };
  }

  /** null: no frame of the segment is in the range. */
  #kept(frames: Frames, isFirst: boolean): Kept | null {
    const { fromMs, toMs } = this.#wanted;
    let shown = -1;
    let last = -1;
    let standing = -1;
    for (let i = 0; i < frames.count; i++) {
      const epochMs = frames.epochMs(i);
      if (isFirst && epochMs < fromMs - ROUNDING_MS && frames.standsUntilMs(i) > fromMs + ROUNDING_MS)
        standing = i;
      if (epochMs >= toMs - ROUNDING_MS || epochMs < fromMs - ROUNDING_MS) continue;
      if (shown < 0 || epochMs < frames.epochMs(shown)) shown = i;
      last = i;
    }
    if (shown < 0 && standing < 0) return null;
    // Within a movie, nothing can be hidden: what a clock that was set back shows twice is shown.
    const first = isFirst ? frames.lastKeyUpTo(standing < 0 ? shown : standing) : 0;
    const end = Math.max(last, standing) + 1;
    return { first, end, isCut: end < frames.count, standing };
  }

  #begin(frames: Frames, kept: Kept, timescaleHz: number): Stretch {
    const video = this.#video!;
    const { first, standing } = kept;
    // Players leave out a picture that an edit list begins in: it begins with the movie.
    const lateMs = first === standing ? this.#wanted.fromMs - frames.epochMs(first) : 0;
    const compositionTicks = convertTicks(frames.composition(first), timescaleHz, video.timescaleHz);
    if (video.samples === 0) this.#delayTicks = compositionTicks;
    return {
      sourceTicks: frames.decodingTicks(first) + msToTicks(lateMs, timescaleHz),
      movieTicks: video.endTicks,
      compositionTicks: this.#delayTicks - compositionTicks,
      timescaleHz,
    };
  }

  /** Which frames of the segment are shown, and when. */
  #show(frames: Frames, kept: Kept, stretch: Stretch): void {
    const { fromMs, toMs } = this.#wanted;
    const isFirst = this.#video!.samples === 0;
    for (let i = kept.first; i < kept.end; i++) {
      const epochMs = frames.epochMs(i);
      if (epochMs >= toMs - ROUNDING_MS) continue;
      const lateMs = i === kept.standing ? fromMs - epochMs : 0;
      const { timescaleHz } = stretch;
      const ticks = frames.presentationTicks(i);
      const startTicks = this.#presented(ticks + msToTicks(lateMs, timescaleHz), stretch);
      const untilMs = frames.standsUntilMs(i);
      const isLong = untilMs > toMs;
      const durationTicks = isLong ? msToTicks(toMs - epochMs, timescaleHz) : frames.duration(i);
      const endTicks = this.#presented(ticks + durationTicks, stretch);
      const endEpochMs = epochMs + ticksToMs(durationTicks, timescaleHz);
      if (endTicks > this.#shownToTicks) {
        this.#shownToTicks = endTicks;
        this.#endEpochMs = endEpochMs;
      }
      if (!isFirst || epochMs + lateMs < fromMs - ROUNDING_MS) continue;
      if (this.#startEpochMs === 0 || startTicks < this.#shownFromTicks) {
        this.#shownFromTicks = startTicks;
        this.#startEpochMs = epochMs + lateMs;
      }
    }
  }

  /** Ticks of the source's timeline as ticks of the video's media. */
  #moved(sourceTicks: number, { sourceTicks: from, movieTicks, timescaleHz }: Stretch): number {
    return movieTicks + convertTicks(sourceTicks - from, timescaleHz, this.#video!.timescaleHz);
  }

  #presented(sourceTicks: number, stretch: Stretch): number {
    return this.#moved(sourceTicks, stretch) + stretch.compositionTicks;
  }

  /** `index`: of the run's first frame in its segment. */
  #addVideo(
    name: string,
    of: RecordedTrack,
    run: SampleRun,
    stretch: Stretch,
    kept: Kept,
    index: number,
  ): void {
    const video = this.#video!;
    const first = Math.max(0, kept.first - index);
    const end = Math.min(run.sizesBytes.length, kept.end - index);
    let ticks = run.startTicks;
    let offset = run.dataOffset;
    for (let i = 0; i < first && i < run.sizesBytes.length; i++) {
      ticks += run.durationsTicks[i]!;
      offset += run.sizesBytes[i]!;
    }
    if (end <= first) return;
    const dataOffset = offset;
    for (let i = first; i < end; i++) {
      const startTicks = Math.max(stretch.movieTicks, this.#moved(ticks, stretch));
      ticks += run.durationsTicks[i]!;
      offset += run.sizesBytes[i]!;
      const composition = convertTicks(run.compositionTicks[i]!, stretch.timescaleHz, video.timescaleHz);
      video.addSample(
        startTicks,
        this.#moved(ticks, stretch) - startTicks,
        run.sizesBytes[i]!,
        composition + stretch.compositionTicks,
        run.keys[i] === 1,
      );
    }
    this.#addChunk(video, of, end - first, { name, offset: dataOffset, byteLength: offset - dataOffset });
  }

  /** `endTicks`: audio that begins later is left out, in ticks of the video's media. */
  #addAudio(name: string, of: RecordedTrack, run: SampleRun, stretch: Stretch, endTicks: number): void {
    this.#audio ??= new MovieTrack(of);
    const audio = this.#audio;
    const hz = audio.timescaleHz;
    const videoHz = this.#video!.timescaleHz;
    const shiftTicks = convertTicks(this.#presented(0, stretch), videoHz, hz);
    const endLimit = Number.isFinite(endTicks) ? convertTicks(endTicks, videoHz, hz) : endTicks;
    let ticks = run.startTicks;
    let offset = run.dataOffset;
    let dataOffset = offset;
    let samples = 0;
    for (let i = 0; i < run.sizesBytes.length; i++) {
      const durationTicks = convertTicks(run.durationsTicks[i]!, of.timescaleHz, hz);
      const startTicks = convertTicks(ticks, of.timescaleHz, hz) + shiftTicks;
      ticks += run.durationsTicks[i]!;
      const sizeBytes = run.sizesBytes[i]!;
      const isKept = startTicks < endLimit && this.#continuesAudio(audio, startTicks, durationTicks);
      if (isKept) {
        if (samples === 0) dataOffset = offset;
        audio.addSample(startTicks, durationTicks, sizeBytes, 0, run.keys[i] === 1);
        samples++;
      } else if (samples > 0) break;
      offset += sizeBytes;
    }
    if (samples > 0) {
      this.#addChunk(audio, of, samples, { name, offset: dataOffset, byteLength: offset - dataOffset });
    }
  }

  /**
   * The audio before the first frame that is shown is left out, except for one frame: a decoder needs it to begin. So is
   * what overlaps the stretch before by more than half.
   */
  #continuesAudio(audio: MovieTrack, startTicks: number, durationTicks: number): boolean {
    if (audio.samples > 0) return startTicks >= audio.endTicks - durationTicks / 2;
    const fromTicks = convertTicks(this.#shownFromTicks, this.#video!.timescaleHz, audio.timescaleHz);
    return startTicks >= 0 && startTicks + 2 * durationTicks > fromTicks;
  }

  /** null: there is none in the range. */
  #finishAudio(audio: MovieTrack, movieDurationTicks: number): EditedTrack | null {
    if (audio.samples === 0) return null;
    audio.finish();
    const videoHz = this.#video!.timescaleHz;
    const hz = audio.timescaleHz;
    const fromTicks = convertTicks(this.#shownFromTicks, videoHz, hz);
    // Media time 0 is the first sample.
    const mediaTicks = Math.max(0, fromTicks - audio.firstTicks);
    const lateTicks = Math.max(0, audio.firstTicks - fromTicks);
    const emptyTicks = Math.min(convertTicks(lateTicks, hz, videoHz), movieDurationTicks);
    const leftTicks = convertTicks(audio.endTicks - audio.firstTicks - mediaTicks, hz, videoHz);
    const durationTicks = Math.min(leftTicks, movieDurationTicks - emptyTicks);
    if (durationTicks <= 0) return null;
    return { track: audio, edit: { emptyTicks, mediaTicks, durationTicks } };
  }

  #addChunk(track: MovieTrack, of: RecordedTrack, samples: number, data: FileSpan): void {
    const descriptionIndex = track.describe(of.sampleEntry);
    track.chunks.push({ dataOffset: this.#dataBytes, samples, descriptionIndex });
    this.#dataBytes += data.byteLength;
    this.#pieces.add(data);
  }
}

/** The video frames of a segment, over its runs. */
class Frames {
  readonly count: number;
  readonly #decoding: Float64Array;
  readonly #durations: Uint32Array;
  readonly #composition: Int32Array;
  readonly #keys: Uint8Array;
  readonly #epochMs: number;
  readonly #timescaleHz: number;

  constructor(runs: readonly SampleRun[], { epochMs }: RecordedSegment, timescaleHz: number) {
    this.count = runs.reduce((count, run) => count + run.sizesBytes.length, 0);
    this.#decoding = new Float64Array(this.count);
    this.#durations = new Uint32Array(this.count);
    this.#composition = new Int32Array(this.count);
    this.#keys = new Uint8Array(this.count);
    this.#epochMs = epochMs;
    this.#timescaleHz = timescaleHz;
    let at = 0;
    for (const run of runs) {
      let ticks = run.startTicks;
      for (let i = 0; i < run.sizesBytes.length; i++) {
        this.#decoding[at + i] = ticks;
        ticks += run.durationsTicks[i]!;
      }
      this.#durations.set(run.durationsTicks, at);
      this.#composition.set(run.compositionTicks, at);
      this.#keys.set(run.keys, at);
      at += run.sizesBytes.length;
    }
  }

  /** Until when a picture stands, epoch milliseconds; negative infinity: it is one of a video. */
  standsUntilMs(index: number): number {
    const durationMs = ticksToMs(this.#durations[index]!, this.#timescaleHz);
    return durationMs < STANDING_MS ? Number.NEGATIVE_INFINITY : this.epochMs(index) + durationMs;
  }

  decodingTicks(index: number): number {
    return this.#decoding[index]!;
  }

  composition(index: number): number {
    return this.#composition[index]!;
  }

  duration(index: number): number {
    return this.#durations[index]!;
  }

  presentationTicks(index: number): number {
    return this.#decoding[index]! + this.#composition[index]!;
  }

  /** When it was captured: the segment's time is that of its first frame. */
  epochMs(index: number): number {
    const sinceTicks = this.presentationTicks(index) - this.presentationTicks(0);
    return this.#epochMs + ticksToMs(sinceTicks, this.#timescaleHz);
  }

  /** The key frame from which the frame can be decoded. */
  lastKeyUpTo(index: number): number {
    for (let i = index; i > 0; i--) if (this.#keys[i] === 1) return i;
    return 0;
  }
}
