import { describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import type { ReadBytes } from '../isobmff/fragment-samples.ts';
import { RECORDING_ERRORS } from '../recording/errors.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import {
  bytesOf,
  FPS,
  frameHashes,
  makeRecording,
  probe,
  readerOf,
  type TestRecording,
} from './range-mp4-fixture.ts';
import type { ChosenFrame } from './timelapse-frames.ts';
import { buildTimelapseMp4 } from './timelapse-mp4.ts';

const START_MS = 1_700_000_000_000;

function framesOf(files: readonly FoundFile[], everyMs: number): ChosenFrame[] {
  return files
    .flatMap(({ name, segments }) => segments.map((segment) => ({ name, segment })))
    .map(({ name, segment }, index) => ({ name, segment, atMs: index * everyMs }));
}

async function movieOf(
  recordings: readonly TestRecording[],
  frames: readonly ChosenFrame[],
  durationMs: number,
) {
  const read = readerOf(new Map(recordings.map(({ found, bytes }) => [found.name, bytes])));
  const mp4 = await buildTimelapseMp4({ frames, durationMs }, read);
  const file = await bytesOf(mp4, read);
  expect(file.length).toBe(mp4.byteLength);
  return { mp4, file };
}

const keyFramesOf = (recording: TestRecording): string[] =>
  frameHashes(recording.bytes).filter((_, index) => index % FPS === 0);

describe.each([
  ['libx264', 0],
  ['libx264', 2],
  ['libx265', 0],
] as const)('a timelapse of a recording by %s with %i B-frames', (codec, bFrames) => {
  it('is the key frames, each as long as it was asked for, without audio', async () => {
    const recording = await makeRecording('a', { seconds: 5, epochMs: START_MS, bFrames, codec });
    const frames = framesOf([recording.found], 400);
    const { mp4, file } = await movieOf([recording], frames, 2_000);
    expect(frameHashes(file)).toEqual(keyFramesOf(recording));
    expect(mp4).toMatchObject({ durationMs: 2_000, startEpochMs: START_MS, widthPx: 160, heightPx: 90 });
    const { format, streams } = probe(file);
    expect(streams).toHaveLength(1);
    expect(Number(format.duration)).toBeCloseTo(2, 3);
    expect(Number(streams[0]!.duration)).toBeCloseTo(2, 3);
  });
});

describe('a timelapse of several recordings', () => {
  it('has a sample entry for each kind of video', async () => {
    const small = await makeRecording('a', { seconds: 2, epochMs: START_MS, hasAudio: false });
    const large = await makeRecording('b', { seconds: 2, epochMs: START_MS + 60_000, size: '320x180' });
    const { file } = await movieOf(
      [small, large],
      framesOf([small.found, large.found, small.found], 100),
      600,
    );
    // ffmpeg scales all of them to the first, so the test counts frames that it decodes without a fault.
    expect(frameHashes(file)).toHaveLength(6);
    expect(file.toString('latin1').split('avc1').length - 1).toBe(2);
  });

  it('leaves out what was deleted meanwhile, and shows the frame before longer', async () => {
    const first = await makeRecording('a', { seconds: 2, epochMs: START_MS, hasAudio: false });
    const second = await makeRecording('b', { seconds: 2, epochMs: START_MS + 60_000, hasAudio: false });
    const gone = { ...first.found, name: 'gone' };
    const known = readerOf(
      new Map([
        ['a', first.bytes],
        ['b', second.bytes],
      ]),
    );
    const read: ReadBytes = (name, offset, length) =>
      name === 'gone'
        ? Promise.reject(new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, { name }))
        : known(name, offset, length);
    const frames = framesOf([gone, first.found, gone, second.found], 100);
    const mp4 = await buildTimelapseMp4({ frames, durationMs: 800 }, read);
    const file = await bytesOf(mp4, read);
    expect(frameHashes(file)).toEqual([...keyFramesOf(first), ...keyFramesOf(second)]);
    expect(Number(probe(file).format.duration)).toBeCloseTo(0.8, 3);
    await expect(
      buildTimelapseMp4({ frames: framesOf([gone], 100), durationMs: 800 }, read),
    ).rejects.toMatchObject({ code: 'RANGE_EMPTY' });
  });

  it('reads a bounded part of each segment besides the frame', async () => {
    const recording = await makeRecording('a', { seconds: 3, epochMs: START_MS, size: '640x360' });
    const known = readerOf(new Map([['a', recording.bytes]]));
    let bytesRead = 0;
    const read: ReadBytes = (name, offset, length) => {
      bytesRead += length;
      return known(name, offset, length);
    };
    const large = recording.found.segments.filter(({ byteLength }) => byteLength > 128 * 1_024);
    expect(large.length).toBeGreaterThan(0);
    await buildTimelapseMp4(
      { frames: framesOf([{ ...recording.found, segments: large }], 100), durationMs: 1_000 },
      read,
    );
    expect(bytesRead).toBeLessThan((large.length + 1) * 8_192);
  });

  it('skips a segment that does not begin with a key frame, and fails for one that is damaged', async () => {
    const recording = await makeRecording('a', { seconds: 2, epochMs: START_MS, hasAudio: false });
    const [first, second] = recording.found.segments;
    const known = readerOf(new Map([['a', recording.bytes]]));
    const fragments: number[] = [];
    for (let at = first!.offset; at < second!.offset; at += recording.bytes.readUInt32BE(at)) {
      if (recording.bytes.toString('latin1', at + 4, at + 8) === 'moof') fragments.push(at);
    }
    const offset = fragments[1]!;
    const cut = { ...first!, offset, byteLength: second!.offset - offset };
    const frames = [first!, cut, second!].map((segment, index) => ({
      name: 'a',
      segment,
      atMs: index * 100,
    }));
    const mp4 = await buildTimelapseMp4({ frames, durationMs: 300 }, known);
    expect(frameHashes(await bytesOf(mp4, known))).toEqual(keyFramesOf(recording));
    const damaged = { ...first!, byteLength: 20 };
    await expect(
      buildTimelapseMp4({ frames: [{ name: 'a', segment: damaged, atMs: 0 }], durationMs: 300 }, known),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^ISOBMFF_/) });
  });
});
