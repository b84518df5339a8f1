import { beforeEach, describe, expect, it } from 'vitest';
import { FragmentReader } from '../isobmff/fragment-reader.ts';
import { singleTrackInit } from '../isobmff/single-track.ts';
import { readKeyFrame } from './key-frames.ts';
import { keptRecording, readerOf, type TestRecording } from './range-mp4-fixture.ts';
import { readRecordedTracks } from './recorded-tracks.ts';

let recording: TestRecording;
let trackId: number;

beforeEach(async () => {
  recording = await keptRecording('file', 0);
  const { init } = recording.found.segments[0]!;
  trackId = readRecordedTracks(recording.bytes.subarray(0, init.byteLength)).find(
    ({ kind }) => kind === 'video',
  )!.trackId;
});

describe('the first frame of a segment', () => {
  it('is a fragment that is decoded alone, at its time, for as long as the segment lasts', async () => {
    const { found, bytes } = recording;
    const segment = found.segments[2]!;
    const reads: number[] = [];
    const file = readerOf(new Map([['file', bytes]]));
    const read: typeof file = (name, offset, length) => {
      reads.push(length);
      return file(name, offset, length);
    };
    const frame = (await readKeyFrame(read, 'file', segment, trackId))!;
    const samples: { dtsTicks: number; isKey: boolean; data: Buffer }[] = [];
    const reader = new FragmentReader({
      onTracks: () => undefined,
      onSample: (_track, dtsTicks, _pts, isKey, data) => {
        samples.push({ dtsTicks, isKey, data: Buffer.from(data) });
      },
    });
    reader.push(singleTrackInit(bytes.subarray(0, segment.init.byteLength), trackId));
    reader.push(frame);
    expect(samples).toMatchObject([{ dtsTicks: segment.startTicks, isKey: true }]);
    expect(bytes.subarray(segment.offset).includes(samples[0]!.data)).toBe(true);
    expect(frame.length).toBeLessThan(segment.byteLength / 2);
  });

  it('is none if it takes others to decode it, or if the track is another', async () => {
    const { found, bytes } = recording;
    const read = readerOf(new Map([['file', bytes]]));
    const { offset, byteLength, durationTicks } = found.segments[0]!;
    // The second fragment of the segment.
    const second =
      offset + bytes.readUInt32BE(offset) + bytes.readUInt32BE(offset + bytes.readUInt32BE(offset));
    const rest = { offset: second, byteLength: byteLength - (second - offset), durationTicks };
    expect(await readKeyFrame(read, 'file', rest, trackId)).toBeNull();
    expect(await readKeyFrame(read, 'file', found.segments[0]!, 99)).toBeNull();
  });
});
