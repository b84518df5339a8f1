/** What players, MP4s, and exact frames get of a recording of which only key frames are left. */

import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { singleTrackInit } from '../isobmff/single-track.ts';
import { readKeyFrameSegment } from '../recording/key-frame-segment.ts';
import type { RecordedSegment } from '../recording/segment-index.ts';
import { pastFrame } from './past-frames.ts';
import { buildRangeMp4 } from './range-mp4.ts';
import {
  bytesOf,
  FPS,
  frameHashes,
  makeRecording,
  probe,
  readerOf,
  type TestRecording,
} from './range-mp4-fixture.ts';

const START_MS = 1_700_000_000_000;
const SECONDS = 6;
const VIDEO_TRACK_ID = 1;
const NAME = 'left';

/** The recording as RecordingThinner leaves it: its key frames in segments of `count` recorded ones. */
async function thinned({ found, bytes }: TestRecording, count: number): Promise<TestRecording> {
  const read = readerOf(new Map([[found.name, bytes]]));
  const { init: whole } = found.segments[0]!;
  const init = singleTrackInit(bytes.subarray(whole.offset, whole.offset + whole.byteLength), VIDEO_TRACK_ID);
  const pieces: Buffer[] = [init];
  const segments: RecordedSegment[] = [];
  let offset = init.length;
  for (let at = 0; at < found.segments.length; at += count) {
    const made = await readKeyFrameSegment(
      read,
      found.name,
      found.segments.slice(at, at + count),
      VIDEO_TRACK_ID,
    );
    const { part, bytes: media } = made!;
    const { startTicks, durationTicks, timescaleHz, epochMs, isDiscontinuity } = part;
    const times = { startTicks, durationTicks, timescaleHz, epochMs, isDiscontinuity };
    segments.push({
      ...times,
      offset,
      byteLength: media.length,
      init: { offset: 0, byteLength: init.length },
    });
    pieces.push(media);
    offset += media.length;
  }
  return { bytes: Buffer.concat(pieces), found: { name: NAME, number: 0, segments } };
}

describe.each([
  ['libx264', 0],
  ['libx264', 2],
  ['libx265', 0],
] as const)('the key frames of %s with %i B-frames', (codec, bFrames) => {
  it('are the pictures of their seconds, in players, MP4s, and exact frames', async () => {
    const recording = await makeRecording('a', { seconds: SECONDS, epochMs: START_MS, bFrames, codec });
    const left = await thinned(recording, 2);
    expect(left.found.segments).toHaveLength(SECONDS / 2);
    const hashes = frameHashes(recording.bytes).filter((_, i) => i % FPS === 0);
    expect(frameHashes(left.bytes)).toEqual(hashes);
    expect(left.bytes.length).toBeLessThan(recording.bytes.length / 2);
    const read = readerOf(new Map([[NAME, left.bytes]]));
    const wanted = { fromMs: START_MS + 1_000, toMs: START_MS + 5_000, hasAudio: true };
    const mp4 = await buildRangeMp4([left.found], wanted, read);
    const file = await bytesOf(mp4, read);
    expect(frameHashes(file)).toEqual(hashes.slice(1, 5));
    expect(mp4.durationMs).toBeCloseTo(4_000, -2);
    expect(probe(file).streams.map(({ codec_type }) => codec_type)).toEqual(['video']);
    const media = {
      read,
      seek: async (_: unknown, atMs: number) => {
        const segment = left.found.segments.findLast(({ epochMs }) => epochMs <= atMs);
        return segment === undefined ? null : { name: NAME, number: 0, segment };
      },
    };
    const shown = await pastFrame(media, newRuuid(), START_MS + 3_700);
    if (shown.kind !== 'frame') throw new Error(shown.kind);
    expect(Math.abs(shown.frame.atEpochMs - (START_MS + 3_000))).toBeLessThan(2 * (1_000 / FPS));
    expect(frameHashes(Buffer.concat(shown.frame.fmp4))[shown.frame.frameIndex]).toBe(hashes[3]);
  });
});

it.each([
  [1_500, 3_200, [1, 2, 3]],
  [2_300, 2_700, [2]],
  [2_000, 3_000, [2]],
] as const)(
  'a movie from %i to %i ms begins and ends exactly, with the pictures that stand then',
  async (fromMs, toMs, seconds) => {
    const recording = await makeRecording('a', { seconds: SECONDS, epochMs: START_MS, bFrames: 2 });
    const left = await thinned(recording, 3);
    const read = readerOf(new Map([[NAME, left.bytes]]));
    const wanted = { fromMs: START_MS + fromMs, toMs: START_MS + toMs, hasAudio: true };
    const mp4 = await buildRangeMp4([left.found], wanted, read);
    expect([mp4.startEpochMs - START_MS, mp4.endEpochMs - START_MS]).toEqual([fromMs, toMs]);
    const file = await bytesOf(mp4, read);
    const hashes = frameHashes(recording.bytes);
    expect(frameHashes(file)).toEqual(seconds.map((second) => hashes[second * FPS]));
    expect(Number(probe(file).format.duration)).toBeCloseTo((toMs - fromMs) / 1_000, 2);
  },
);

it('a movie of key frames and of the video after them has the sound of the latter, in time', async () => {
  const recording = await makeRecording('a', { seconds: SECONDS, epochMs: START_MS });
  const left = await thinned(recording, 2);
  const files = [
    { ...left.found, segments: left.found.segments.slice(0, 1) },
    { ...recording.found, segments: recording.found.segments.slice(2) },
  ];
  files[1]!.segments[0] = { ...files[1]!.segments[0]!, isDiscontinuity: true };
  const read = readerOf(
    new Map([
      [NAME, left.bytes],
      [recording.found.name, recording.bytes],
    ]),
  );
  const wanted = { fromMs: START_MS, toMs: START_MS + SECONDS * 1_000, hasAudio: true };
  const mp4 = await buildRangeMp4(files, wanted, read);
  const file = await bytesOf(mp4, read);
  const hashes = frameHashes(recording.bytes);
  expect(frameHashes(file)).toEqual([hashes[0], hashes[FPS], ...hashes.slice(2 * FPS)]);
  const [video, audio] = probe(file).streams;
  expect(Number(video!.duration)).toBeCloseTo(SECONDS, 1);
  expect(Number(audio!.start_time)).toBeCloseTo(2, 1);
});
