import { describe, expect, it } from 'vitest';
import { FAKE_AUDIO, FAKE_VIDEO } from '../cmaf/fake-camera.ts';
import { BoxWriter } from './box-writer.ts';
import { styp } from './file-boxes.ts';
import { mdatHeader, moof, type SampleTable, type TrackRun } from './fragment-boxes.ts';
import { FragmentReader } from './fragment-reader.ts';
import { writeInitSegment } from './init-segment.ts';
import { singleTrackInit, singleTrackSegment } from './single-track.ts';

const VIDEO_ID = 1;
const AUDIO_ID = 2;
const INIT = writeInitSegment([FAKE_VIDEO, FAKE_AUDIO]);

function run(trackId: number, startTicks: number, sizes: readonly number[]): TrackRun {
  const samples: SampleTable = {
    sizesBytes: Uint32Array.from(sizes),
    durationsTicks: Uint32Array.from(sizes, () => 100),
    compositionOffsetsTicks: Uint32Array.from(sizes, (_, i) => i),
    keys: Uint8Array.from(sizes, (_, i) => (i === 0 ? 1 : 0)),
  };
  const dataBytes = sizes.reduce((sum, size) => sum + size, 0);
  return { trackId, startTicks, samples, sampleCount: sizes.length, dataBytes };
}

/** Each sample is filled with a byte of its own. */
function segment(fragments: readonly (readonly TrackRun[])[]): Buffer {
  const writer = new BoxWriter(Buffer.alloc(10_000));
  let fill = 1;
  styp(writer, 2);
  fragments.forEach((runs, index) => {
    moof(writer, index + 1, runs);
    mdatHeader(
      writer,
      runs.reduce((sum, { dataBytes }) => sum + dataBytes, 0),
    );
    for (const { samples, sampleCount } of runs) {
      for (let i = 0; i < sampleCount; i++) writer.put(Buffer.alloc(samples.sizesBytes[i]!, fill++));
    }
  });
  return writer.bytes.subarray(0, writer.position);
}

const SEGMENT = segment([
  [run(VIDEO_ID, 9_000, [50, 20]), run(AUDIO_ID, 4_800, [7, 8])],
  [run(VIDEO_ID, 9_200, [30])],
  [run(VIDEO_ID, 9_300, [10]), run(AUDIO_ID, 5_000, [9])],
]);

interface ReadSample {
  readonly kind: string;
  readonly dtsTicks: number;
  readonly ptsTicks: number;
  readonly isKey: boolean;
  readonly data: string;
}

function samplesOf(...bytes: Buffer[]): ReadSample[] {
  let kinds: string[] = [];
  const samples: ReadSample[] = [];
  const reader = new FragmentReader({
    onTracks: (tracks) => {
      kinds = tracks.map(({ kind }) => kind);
    },
    onSample: (index, dtsTicks, ptsTicks, isKey, data) => {
      const kind = kinds[index]!;
      samples.push({ kind, dtsTicks, ptsTicks, isKey, data: Buffer.from(data).toString('hex') });
    },
  });
  for (const each of bytes) reader.push(each);
  return samples;
}

describe('one track of a file with two', () => {
  const all = samplesOf(INIT, SEGMENT);

  it.each([
    ['video', VIDEO_ID, 4],
    ['audio', AUDIO_ID, 3],
  ])('has the same samples at the same times: %s', (kind, trackId, count) => {
    const init = Buffer.from(INIT);
    const bytes = Buffer.from(SEGMENT);
    const alone = samplesOf(singleTrackInit(init, trackId), singleTrackSegment(bytes, trackId));
    expect(alone).toEqual(all.filter((sample) => sample.kind === kind));
    expect(alone.length).toBe(count);
    expect([init.equals(INIT), bytes.equals(SEGMENT)]).toEqual([true, true]);
  });

  it('changes nothing in a file that has only this track', () => {
    const init = writeInitSegment([FAKE_VIDEO]);
    const only = segment([[run(VIDEO_ID, 0, [5, 6])]]);
    expect(singleTrackInit(init, VIDEO_ID)).toEqual(init);
    expect(singleTrackSegment(only, VIDEO_ID)).toEqual(only);
  });

  it('says that there is no such track', () => {
    expect(() => singleTrackInit(INIT, 3)).toThrow(expect.objectContaining({ code: 'ISOBMFF_BOX_MISSING' }));
    expect(samplesOf(INIT, singleTrackSegment(SEGMENT, 3))).toEqual([]);
  });

  it('fails for a segment that was cut off anywhere but between boxes', () => {
    const ends = new Set<number>();
    for (let end = 0; end < SEGMENT.length; end++) {
      try {
        singleTrackSegment(SEGMENT.subarray(0, end), VIDEO_ID);
        ends.add(end);
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^ISOBMFF_/) });
      }
    }
    // The start, after styp, and after each of the first two fragments.
    expect(ends.size).toBe(4);
  });
});
