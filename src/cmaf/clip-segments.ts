/**
 * Cuts a file that was read as a whole (isobmff/clip-reader.ts) into CMAF segments like those of a live stream: styp moof
 * mdat, one after the other on one timeline that begins at 0. ISO/IEC 23000-19 §7.3. Samples are copied as they are.
 */

import * as h264 from '../codec/h264/nal-unit.ts';
import * as h265 from '../codec/h265/nal-unit.ts';
import type { AudioTrack, VideoTrack } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { BoxWriter } from '../isobmff/box-writer.ts';
import type { ByteSource, Clip } from '../isobmff/clip-reader.ts';
import { styp, stypBytes } from '../isobmff/file-boxes.ts';
import {
  MDAT_HEADER_BYTES,
  mdatHeader,
  moof,
  moofBytes,
  type SampleTable,
  type TrackRun,
} from '../isobmff/fragment-boxes.ts';
import { writeInitSegment } from '../isobmff/init-segment.ts';
import type { SampleColumns } from '../isobmff/sample-columns.ts';
import { MAX_RUN_SAMPLES } from '../isobmff/track-fragment.ts';
import { CMAF_ERRORS } from './errors.ts';
import { VIDEO_TRACK_ID } from './packaged-tracks.ts';
import { DEFAULT_SEGMENTER_LIMITS } from './segmenter-limits.ts';
import { convertTicks, msToTicks } from './ticks.ts';

const AUDIO_TRACK_ID = 2;
const LENGTH_BYTES = 4;
const MAX_U32 = 2 ** 32 - 1;
/** A longer pause in the samples of a clip is damage, not a frozen picture. */
const MAX_SAMPLE_MS = 10 * 60_000;
/** Recorders that record on motion write pauses into one file. Other recordings may fill one that is longer than this. */
const MAX_HELD_MS = 30_000;
const MAX_SAMPLE_BYTES = 32 * 1_048_576;
/** Limit of one segment: a picture more than the segmenter's limit, and the sound. It is in memory as a whole. */
const MAX_DATA_BYTES = 2 * DEFAULT_SEGMENTER_LIMITS.maxSegmentBytes;

export interface ClipSegment {
  /** New memory. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Start of the video, from 0. */
  readonly startTicks: number;
  readonly durationTicks: number;
  readonly pictures: number;
  /** Nothing is shown before it for a while. */
  readonly isAfterGap: boolean;
}

export interface ClipTracks {
  readonly video: { readonly track: VideoTrack; readonly samples: SampleColumns };
  readonly audio: { readonly track: AudioTrack; readonly samples: SampleColumns } | null;
  /** The first sample of the video that is used: a key frame. */
  readonly firstSample: number;
  /** How long after the beginning of the file it is shown, in ticks of the video. */
  readonly skippedTicks: number;
  readonly durationTicks: number;
}

/** The video and the audio of a clip. Fails CMAF_CLIP_WITHOUT_VIDEO, CMAF_CLIP_TIMES. */
export function clipTracks({ tracks }: Clip): ClipTracks {
  const video = tracks.find(({ track }) => track.kind === 'video');
  const audio = tracks.find(({ track }) => track.kind === 'audio');
  if (video?.track.kind !== 'video') throw new GatewayError(CMAF_ERRORS.CMAF_CLIP_WITHOUT_VIDEO, {});
  const { samples } = video;
  const firstSample = samples.keys.indexOf(1);
  if (firstSample < 0 || firstSample >= samples.count) {
    throw new GatewayError(CMAF_ERRORS.CMAF_CLIP_WITHOUT_VIDEO, { keyFrames: 0 });
  }
  expectTimes(samples, video.track.timescaleHz);
  if (audio !== undefined) expectTimes(audio.samples, audio.track.timescaleHz);
  return {
    video: { track: video.track, samples },
    audio: audio?.track.kind === 'audio' ? { track: audio.track, samples: audio.samples } : null,
    firstSample,
    skippedTicks: samples.dtsTicks[firstSample]! - samples.dtsTicks[0]!,
    durationTicks: samples.endTicks - samples.dtsTicks[firstSample]!,
  };
}

/** The Media Initialization Section of all its segments. */
export function clipInit({ video, audio }: ClipTracks): Buffer {
  return writeInitSegment(audio === null ? [video.track] : [video.track, audio.track]);
}

/** `source` is read in the order of the segments. Fails CMAF_CLIP_SAMPLE for data that is not a coded picture. */
export function* clipSegments(tracks: ClipTracks, source: ByteSource): Generator<ClipSegment> {
  const { video, audio, firstSample } = tracks;
  const { samples } = video;
  const { timescaleHz } = video.track;
  const writer = new ClipSegmentWriter(tracks, source);
  const targetTicks = msToTicks(DEFAULT_SEGMENTER_LIMITS.targetSegmentMs, timescaleHz);
  const maxTicks = msToTicks(DEFAULT_SEGMENTER_LIMITS.maxSegmentMs, timescaleHz);
  // Sound from before the first picture is left out.
  let audioFrom = audio === null ? 0 : writer.audioBefore(0, samples.dtsTicks[firstSample]!);
  for (let from = firstSample; from < samples.count; ) {
    const startTicks = samples.dtsTicks[from]!;
    if (audio !== null && from > firstSample && isGapBehind(video, from - 1)) {
      audioFrom = writer.audioBefore(audioFrom, startTicks);
    }
    let bytes = samples.sizesBytes[from]!;
    let to = from + 1;
    for (; to < samples.count; to++) {
      const elapsedTicks = samples.dtsTicks[to]! - startTicks;
      if ((elapsedTicks >= targetTicks && samples.keys[to] === 1) || isGapBehind(video, to - 1)) break;
      if (elapsedTicks >= maxTicks || bytes >= DEFAULT_SEGMENTER_LIMITS.maxSegmentBytes) break;
      bytes += samples.sizesBytes[to]!;
    }
    const audioTo = audio === null ? 0 : writer.audioBefore(audioFrom, shownUntil(video, to - 1));
    yield writer.write(from, to, audioFrom, audioTo);
    audioFrom = audioTo;
    from = to;
  }
}

type SampledTrack = ClipTracks['video'] | NonNullable<ClipTracks['audio']>;

/** Whether nothing is shown behind this sample, until the next one. Decoding can begin again there. */
function isGapBehind({ track, samples }: SampledTrack, index: number): boolean {
  const isFollowed = index + 1 < samples.count;
  if (isFollowed && track.kind === 'video' && samples.keys[index + 1] !== 1) return false;
  return samples.durationTicks(index) > msToTicks(MAX_HELD_MS, track.timescaleHz);
}

/** Ticks. Before a gap, a sample lasts as long as the one before it. */
function shownTicks(sampled: SampledTrack, index: number): number {
  const { samples, track } = sampled;
  if (!isGapBehind(sampled, index)) return samples.durationTicks(index);
  const usualTicks = samples.durationTicks(Math.max(0, index - 1));
  return Math.min(usualTicks, msToTicks(MAX_HELD_MS, track.timescaleHz));
}

function shownUntil(sampled: SampledTrack, index: number): number {
  return sampled.samples.dtsTicks[index]! + shownTicks(sampled, index);
}

/** Decoding times ascend, and no sample lasts unreasonably long. */
function expectTimes(samples: SampleColumns, timescaleHz: number): void {
  const maxTicks = msToTicks(MAX_SAMPLE_MS, timescaleHz);
  for (let index = 0; index < samples.count; index++) {
    const durationTicks = samples.durationTicks(index);
    if (durationTicks < 0 || durationTicks > maxTicks || durationTicks > MAX_U32) {
      throw new GatewayError(CMAF_ERRORS.CMAF_CLIP_TIMES, { sample: index, durationTicks });
    }
  }
}

class ClipSegmentWriter {
  readonly #tracks: ClipTracks;
  readonly #source: ByteSource;
  /** Taken off all decoding times: the timeline begins at 0. */
  readonly #zeroTicks: number;
  readonly #audioZeroTicks: number;
  /** Added to composition offsets, which our `trun` has as unsigned numbers. */
  readonly #compositionTicks: number;
  /** How long after its decoding time a key frame is shown. */
  readonly #leadTicks: number;
  #sequenceNumber = 0;

  constructor(tracks: ClipTracks, source: ByteSource) {
    this.#tracks = tracks;
    this.#source = source;
    const { video, audio, firstSample } = tracks;
    const { samples } = video;
    let leastTicks = 0;
    for (let index = firstSample; index < samples.count; index++) {
      leastTicks = Math.min(leastTicks, samples.ptsTicks[index]! - samples.dtsTicks[index]!);
    }
    this.#compositionTicks = -leastTicks;
    this.#zeroTicks = samples.dtsTicks[firstSample]!;
    this.#leadTicks = samples.ptsTicks[firstSample]! - this.#zeroTicks;
    // The frame is shown later by the added time, and so is the audio.
    this.#audioZeroTicks =
      audio === null
        ? 0
        : convertTicks(
            this.#zeroTicks - this.#compositionTicks,
            video.track.timescaleHz,
            audio.track.timescaleHz,
          );
  }

  /** The first audio sample from `from` on that is heard when the picture of this decoding time is shown, or later. */
  audioBefore(from: number, videoTicks: number): number {
    const { video, audio } = this.#tracks;
    const { samples, track } = audio!;
    const endTicks = convertTicks(videoTicks + this.#leadTicks, video.track.timescaleHz, track.timescaleHz);
    let to = from;
    while (to < samples.count && samples.dtsTicks[to]! < endTicks) to++;
    return to;
  }

  write(from: number, to: number, audioFrom: number, audioTo: number): ClipSegment {
    const { video, audio } = this.#tracks;
    const { samples } = video;
    const runs = [this.#run(VIDEO_TRACK_ID, video, from, to, this.#zeroTicks, this.#compositionTicks)];
    if (audio !== null && audioTo > audioFrom) {
      runs.push(this.#run(AUDIO_TRACK_ID, audio, audioFrom, audioTo, this.#audioZeroTicks, 0));
    }
    const trackCount = audio === null ? 1 : 2;
    const headBytes = stypBytes(trackCount) + moofBytes(runs) + MDAT_HEADER_BYTES;
    const dataBytes = runs.reduce((sum, run) => sum + run.dataBytes, 0);
    if (dataBytes > MAX_DATA_BYTES) throw badSample(from, 'too much at once');
    const bytes = new Uint8Array(headBytes + dataBytes);
    const writer = new BoxWriter(Buffer.from(bytes.buffer));
    styp(writer, trackCount);
    moof(writer, ++this.#sequenceNumber, runs);
    mdatHeader(writer, dataBytes);
    for (let index = from; index < to; index++) {
      const sample = this.#sample(samples, index);
      const isKey = inspectPicture(sample, index, video.track.codec);
      if (index === this.#tracks.firstSample && !isKey) throw badSample(index, 'no key frame');
      writer.put(sample);
    }
    if (audio !== null) {
      for (let index = audioFrom; index < audioTo; index++) writer.put(this.#sample(audio.samples, index));
    }
    const startTicks = samples.dtsTicks[from]! - this.#zeroTicks;
    const endTicks = shownUntil(video, to - 1) - this.#zeroTicks;
    const isAfterGap = from > this.#tracks.firstSample && isGapBehind(video, from - 1);
    return { bytes, startTicks, durationTicks: endTicks - startTicks, pictures: to - from, isAfterGap };
  }

  #sample(samples: SampleColumns, index: number): Uint8Array {
    return this.#source.read(samples.offsets[index]!, samples.sizesBytes[index]!);
  }

  #run(
    trackId: number,
    sampled: SampledTrack,
    from: number,
    to: number,
    zeroTicks: number,
    compositionTicks: number,
  ): TrackRun {
    const { samples } = sampled;
    const count = to - from;
    // Those who read it later take no more for possible.
    if (count > MAX_RUN_SAMPLES) throw badSample(from, 'too many at once');
    const table = {
      sizesBytes: new Uint32Array(count),
      durationsTicks: new Uint32Array(count),
      compositionOffsetsTicks: new Uint32Array(count),
      keys: new Uint8Array(count),
    } satisfies SampleTable;
    let dataBytes = 0;
    for (let i = 0; i < count; i++) {
      const index = from + i;
      const sizeBytes = samples.sizesBytes[index]!;
      if (sizeBytes === 0 || sizeBytes > MAX_SAMPLE_BYTES) throw badSample(index, 'its size');
      table.sizesBytes[i] = sizeBytes;
      table.durationsTicks[i] = shownTicks(sampled, index);
      const offsetTicks = samples.ptsTicks[index]! - samples.dtsTicks[index]! + compositionTicks;
      table.compositionOffsetsTicks[i] = Math.max(0, offsetTicks);
      table.keys[i] = samples.keys[index]!;
      dataBytes += sizeBytes;
    }
    return {
      trackId,
      startTicks: samples.dtsTicks[from]! - zeroTicks,
      samples: table,
      sampleCount: count,
      dataBytes,
    };
  }
}

/**
 * Whether decoding can begin at a sample. Fails CMAF_CLIP_SAMPLE unless it consists of NAL units after 4-byte lengths
 * with at least one slice. ISO/IEC 14496-15 §4.3.2.
 */
function inspectPicture(sample: Uint8Array, index: number, codec: VideoTrack['codec']): boolean {
  let hasPicture = false;
  let isKey = false;
  let at = 0;
  while (at < sample.length) {
    const start = at + LENGTH_BYTES;
    if (start >= sample.length) throw badSample(index, 'a cut NAL unit');
    const length =
      sample[at]! * 0x1000000 + ((sample[at + 1]! << 16) | (sample[at + 2]! << 8) | sample[at + 3]!);
    if (length === 0 || length > sample.length - start) throw badSample(index, 'the length of a NAL unit');
    if (codec === 'h264') {
      const type = h264.nalType(sample[start]!);
      hasPicture ||= h264.isVcl(type);
      isKey ||= type === h264.NAL_IDR_SLICE;
    } else {
      const type = h265.nalType(h265.nalHeader(sample, start));
      hasPicture ||= h265.isVcl(type);
      isKey ||= h265.isIrap(type);
    }
    at = start + length;
  }
  if (!hasPicture) throw badSample(index, 'no picture');
  return isKey;
}

function badSample(sample: number, what: string): GatewayError {
  return new GatewayError(CMAF_ERRORS.CMAF_CLIP_SAMPLE, { sample, what });
}
