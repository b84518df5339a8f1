import { describe, expect, it } from 'vitest';
import { turnedClockwise, turnOf } from '../../test/support/clip-files.ts';
import type { ReadBytes } from '../isobmff/fragment-samples.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import { MovieTrack } from './movie-track.ts';
import { writeMovieHead } from './progressive-movie.ts';
import { buildRangeMp4, MAX_RANGE_MS, type RangeRequest } from './range-mp4.ts';
import {
  bytesOf,
  FRAME_MS,
  frameHashes,
  makeRecording,
  probe,
  readerOf,
  soundOf,
  type TestRecording,
} from './range-mp4-fixture.ts';
import { readRecordedTracks } from './recorded-tracks.ts';

const START_MS = 1_700_000_000_000;
/** A decoder that begins in the middle of a stream needs two AAC frames to produce what it would have. */
const AUDIO_SETTLES_SAMPLES = 2_048;

async function movieOf(recordings: readonly TestRecording[], wanted: RangeRequest) {
  const read = readerOf(new Map(recordings.map(({ found, bytes }) => [found.name, bytes])));
  const mp4 = await buildRangeMp4(coverage(recordings, wanted), wanted, read);
  const file = await bytesOf(mp4, read);
  expect(file.length).toBe(mp4.byteLength);
  return { mp4, file };
}

/** The files that the catalog finds. */
function coverage(recordings: readonly TestRecording[], { fromMs, toMs }: RangeRequest): FoundFile[] {
  return recordings
    .map(({ found }) => ({
      ...found,
      segments: found.segments.filter(
        ({ epochMs, durationTicks, timescaleHz }) =>
          epochMs < toMs && epochMs + (durationTicks / timescaleHz) * 1_000 > fromMs,
      ),
    }))
    .filter(({ segments }) => segments.length > 0);
}

function requestOf(fromMs: number, toMs: number, hasAudio = true): RangeRequest {
  return { fromMs: START_MS + fromMs, toMs: START_MS + toMs, hasAudio };
}

/** Longest distance at which two pieces of sound agree, and how well: the offset of `part` in `whole`. */
function offsetIn(whole: Int16Array, part: Int16Array, nearSamples: number, reachSamples: number): number {
  let best = 0;
  let bestError = Number.POSITIVE_INFINITY;
  for (let offset = nearSamples - reachSamples; offset <= nearSamples + reachSamples; offset++) {
    let error = 0;
    for (let i = AUDIO_SETTLES_SAMPLES; i < AUDIO_SETTLES_SAMPLES + 24_000; i += 7) {
      error += Math.abs((whole[offset + i] ?? 0) - (part[i] ?? 0));
    }
    if (error < bestError) [best, bestError] = [offset, error];
  }
  return best;
}

describe.each([0, 2])('a range of a recording with %i B-frames', (bFrames) => {
  it('shows exactly the frames of the range, wherever it begins and ends', async () => {
    const recording = await makeRecording('a', { seconds: 5, epochMs: START_MS, bFrames, hasAudio: false });
    const all = frameHashes(recording.bytes);
    expect(all).toHaveLength(125);
    const ranges = [
      [0, 1_000],
      [40, 80],
      [1_480, 3_720],
      [960, 1_040],
      [-1_000, 200],
      [2_980, 6_000],
    ] as const;
    for (const [fromMs, toMs] of ranges) {
      const { mp4, file } = await movieOf([recording], requestOf(fromMs, toMs));
      const first = Math.max(0, Math.ceil(fromMs / FRAME_MS));
      const end = Math.min(125, Math.ceil(toMs / FRAME_MS));
      expect(frameHashes(file), `${fromMs} to ${toMs}`).toEqual(all.slice(first, end));
      expect(mp4.durationMs).toBeCloseTo((end - first) * FRAME_MS, 6);
      expect(mp4.startEpochMs).toBeCloseTo(START_MS + first * FRAME_MS, 3);
      expect(mp4.endEpochMs).toBeCloseTo(START_MS + end * FRAME_MS, 3);
    }
    const { mp4, file } = await movieOf([recording], requestOf(1_480, 3_720));
    const { format, streams } = probe(file);
    expect(Number(format.duration) * 1_000).toBeCloseTo(mp4.durationMs, 0);
    expect(Number(streams[0]!.start_time)).toBe(0);
  });
});

it('a range of a recording that is shown turned is shown turned', async () => {
  const recording = await makeRecording('a', { seconds: 1, epochMs: START_MS });
  const turned = { ...recording, bytes: turnedClockwise(recording.bytes) };
  const { file } = await movieOf([turned], requestOf(0, 1_000));
  expect(turnOf(file)).toBe(-90);
  expect(frameHashes(file)).toEqual(frameHashes(turned.bytes));
  expect(frameHashes(file)).not.toEqual(frameHashes(recording.bytes));
});

describe('the audio of a range', () => {
  it('is that of its video at both ends', async () => {
    const recording = await makeRecording('a', { seconds: 6, epochMs: START_MS });
    const whole = soundOf(recording.bytes);
    const { mp4, file } = await movieOf([recording], requestOf(1_480, 4_720));
    const sound = soundOf(file);
    // ffmpeg shows the frame in which the edit ends as a whole.
    expect(sound.length - 3.24 * 48_000).toBeGreaterThanOrEqual(0);
    expect(sound.length - 3.24 * 48_000).toBeLessThan(1_024);
    // To the sample, at the start and for the second half.
    expect(Math.abs(offsetIn(whole, sound, 1.48 * 48_000, 200) - 1.48 * 48_000)).toBeLessThanOrEqual(1);
    const late = sound.subarray(72_000);
    const lateAt = 1.48 * 48_000 + 72_000;
    expect(Math.abs(offsetIn(whole, late, lateAt, 200) - lateAt)).toBeLessThanOrEqual(1);
    const { streams } = probe(file);
    expect(streams.map(({ codec_type }) => codec_type)).toEqual(['video', 'audio']);
    for (const { duration, start_time } of streams) {
      expect(Number(duration) * 1_000).toBeCloseTo(mp4.durationMs, -1);
      expect(Math.abs(Number(start_time))).toBeLessThan(0.001);
    }
  });

  it('is left out for viewers who may not hear, with all its bytes', async () => {
    const recording = await makeRecording('a', { seconds: 3, epochMs: START_MS });
    const mute = await movieOf([recording], requestOf(480, 2_600, false));
    const { file } = await movieOf([recording], requestOf(480, 2_600));
    expect(probe(mute.file).streams.map(({ codec_type }) => codec_type)).toEqual(['video']);
    expect(frameHashes(mute.file)).toEqual(frameHashes(file));
    expect(mute.file.length).toBeLessThan(file.length);
  });
});

describe('a range over restarts', () => {
  it('leaves gaps out and keeps audio and video together', async () => {
    // Four stretches with gaps: each brings its own remainder of an audio frame.
    const recordings: TestRecording[] = [];
    for (let i = 0; i < 4; i++) {
      recordings.push(await makeRecording(`f${i}`, { seconds: 2, epochMs: START_MS + i * 5_000 }));
    }
    const { mp4, file } = await movieOf(recordings, requestOf(480, 16_520));
    // 38 frames of the first, 2 × 50, 38 of the last.
    expect(mp4.durationMs).toBe((38 + 100 + 38) * FRAME_MS);
    const all = frameHashes(recordings[0]!.bytes);
    const expected = [...all.slice(12), ...Array(2).fill(all).flat(), ...all.slice(0, 38)];
    expect(frameHashes(file)).toEqual(expected);
    expect(Number(probe(file).format.duration) * 1_000).toBeCloseTo(mp4.durationMs, 0);
    const whole = soundOf(recordings[0]!.bytes);
    const sound = soundOf(file);
    // The last stretch begins at 138 frames. A player that only counts samples hears it as precisely.
    const lastAt = 138 * 0.04 * 48_000;
    const last = sound.subarray(lastAt);
    expect(Math.abs(offsetIn(whole, last, 0, 1_200))).toBeLessThan(24 * 48);
  });

  it('describes each kind of video and audio once', async () => {
    const first = await makeRecording('a', { seconds: 2, epochMs: START_MS });
    const other = await makeRecording('b', { seconds: 2, epochMs: START_MS + 2_500, size: '320x180' });
    const again = await makeRecording('c', { seconds: 2, epochMs: START_MS + 5_000 });
    const { mp4, file } = await movieOf([first, other, again], requestOf(0, 7_000));
    expect(mp4.durationMs).toBe(6_000);
    expect(file.toString('latin1').split('avcC')).toHaveLength(3);
    expect(file.toString('latin1', 0, mp4.head.length).split('mp4a')).toHaveLength(2);
  });

  it('begins with silence where the first stretch has no audio', async () => {
    const mute = await makeRecording('a', { seconds: 2, epochMs: START_MS, hasAudio: false });
    const loud = await makeRecording('b', { seconds: 2, epochMs: START_MS + 3_000 });
    const { mp4, file } = await movieOf([mute, loud], requestOf(0, 5_000));
    expect(mp4.durationMs).toBe(4_000);
    const { streams } = probe(file);
    expect(Number(streams[1]!.start_time)).toBeCloseTo(2, 1);
    expect(frameHashes(file)).toHaveLength(100);
  });
});

describe('other codecs', () => {
  it('are copied with their sample entry', async () => {
    const recording = await makeRecording('a', {
      seconds: 3,
      epochMs: START_MS,
      codec: 'libx265',
      audioHz: 8_000,
    });
    const { file } = await movieOf([recording], requestOf(520, 2_480));
    expect(frameHashes(file)).toEqual(frameHashes(recording.bytes).slice(13, 62));
  });
});

describe('a range of more than 4 GiB', () => {
  it('has offsets and a size of 64 bits', async () => {
    const recording = await makeRecording('a', { seconds: 1, epochMs: START_MS, hasAudio: false });
    const track = new MovieTrack(readRecordedTracks(recording.bytes)[0]!);
    track.describe(readRecordedTracks(recording.bytes)[0]!.sampleEntry);
    const sampleBytes = 3_000_000_000;
    for (let i = 0; i < 2; i++) {
      track.addSample(i * 3_600, 3_600, sampleBytes, 0, true);
      track.chunks.push({ dataOffset: i * sampleBytes, samples: 1, descriptionIndex: 1 });
    }
    track.finish();
    const edit = { emptyTicks: 0, mediaTicks: 0, durationTicks: 7_200 };
    const head = writeMovieHead({
      timescaleHz: 90_000,
      durationTicks: 7_200,
      startEpochMs: START_MS,
      dataBytes: 2 * sampleBytes,
      tracks: [{ track, edit }],
    });
    const offsets = head.indexOf('co64') + 12;
    expect(Number(head.readBigUInt64BE(offsets))).toBe(head.length);
    expect(Number(head.readBigUInt64BE(offsets + 8))).toBe(head.length + sampleBytes);
    expect(head.readUInt32BE(head.length - 16)).toBe(1);
    expect(head.toString('latin1', head.length - 12, head.length - 8)).toBe('mdat');
    expect(Number(head.readBigUInt64BE(head.length - 8))).toBe(16 + 2 * sampleBytes);
  });
});

describe('limits', () => {
  const wanted = requestOf(0, 1_000);
  const noRead: ReadBytes = async () => Buffer.alloc(0);

  it('refuses a range without a recording', async () => {
    await expect(buildRangeMp4([], wanted, noRead)).rejects.toMatchObject({
      code: PLAYBACK_ERRORS.RANGE_EMPTY.code,
    });
    const recording = await makeRecording('a', { seconds: 1, epochMs: START_MS, hasAudio: false });
    await expect(movieOf([recording], requestOf(2_000, 3_000))).rejects.toMatchObject({
      code: PLAYBACK_ERRORS.RANGE_EMPTY.code,
    });
  });

  it('refuses a range that the tables cannot hold', async () => {
    await expect(
      buildRangeMp4([], { ...wanted, toMs: wanted.fromMs + MAX_RANGE_MS + 1 }, noRead),
    ).rejects.toMatchObject({ code: PLAYBACK_ERRORS.RANGE_TOO_LARGE.code });
  });

  it('fails with an error about the recording if its bytes are not what the index says', async () => {
    const { found, bytes } = await makeRecording('a', { seconds: 1, epochMs: START_MS, hasAudio: false });
    const { offset } = found.segments[0]!;
    for (const at of [0, 4, 8, 16, 24, 40, 60, 90]) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt32BE(0xfffffff0, offset + at);
      const built = movieOf([{ found, bytes: damaged }], wanted).then(
        () => 'built',
        (error: { code?: string }) => error.code ?? String(error),
      );
      expect(await built).toMatch(/^(?:built$|ISOBMFF_|RANGE_)/);
    }
  });
});
