import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import { endEpochMs, type RecordedSegment, type RecordedStream } from '../recording/segment-index.ts';
import type { RecordedRendition } from '../store/recording.ts';
import { PastTimeline } from './past-timeline.ts';
import type { RecordedPlaces, StreamPlaces } from './recorded-places.ts';
import { wholePast } from './whole-past.ts';

const START_MS = 1_800_000_000_000;
const HZ = 90_000;
const stream: RecordedStream = { cameraUuid: newRuuid(), rendition: 'main' };
const RANGE = { fromMs: START_MS, toMs: START_MS + 60_000 };

/** Segments of a second at these seconds. One that does not follow the previous one starts a new run. */
function file(name: string, number: number, seconds: readonly number[]): FoundFile {
  const segments = seconds.map(
    (second, i): RecordedSegment => ({
      offset: 1_000 + i * 100,
      byteLength: 90,
      startTicks: second * HZ,
      durationTicks: HZ,
      timescaleHz: HZ,
      epochMs: START_MS + second * 1_000,
      init: { offset: 0, byteLength: 10 },
      isDiscontinuity: i === 0 || Math.abs(second - seconds[i - 1]! - 1) > 0.01,
    }),
  );
  return { name, number, segments };
}

function places(
  own: readonly FoundFile[],
  handed: readonly FoundFile[],
  sub: readonly FoundFile[] = [],
  nowMs = RANGE.toMs + 3_600_000,
  keyFrames: readonly FoundFile[] = [],
): RecordedPlaces {
  const byRendition: Partial<Record<RecordedRendition, readonly FoundFile[]>> = {
    uploaded: handed,
    sub,
    'key-frames': keyFrames,
  };
  const filesOf = ({ rendition }: RecordedStream) => byRendition[rendition] ?? own;
  const streams: StreamPlaces = {
    segments: async (of, fromMs, toMs) =>
      filesOf(of)
        .map((each) => ({
          ...each,
          segments: each.segments.filter((segment) => segment.epochMs < toMs && endEpochMs(segment) > fromMs),
        }))
        .filter(({ segments }) => segments.length > 0),
    spans: async (of) =>
      filesOf(of).flatMap(({ segments }) =>
        segments.map((segment) => ({ startMs: segment.epochMs, endMs: endEpochMs(segment) })),
      ),
    hours: async (of) =>
      filesOf(of).map(({ segments }) => ({
        startMs: segments[0]!.epochMs,
        endMs: endEpochMs(segments.at(-1)!),
      })),
    seek: async (of, atMs) => {
      for (const { name, number, segments } of filesOf(of)) {
        const segment = segments.find((each) => endEpochMs(each) > atMs);
        if (segment !== undefined) return { name, number, segment };
      }
      return null;
    },
  };
  return wholePast(streams, { epochMs: () => nowMs });
}

/** `own@3`: own recording, third second; `|` before what does not continue. */
function lineOf(files: readonly FoundFile[]): string {
  return files
    .flatMap(({ name, segments }) =>
      segments.map(
        ({ epochMs, isDiscontinuity }) =>
          `${isDiscontinuity ? '| ' : ''}${name}@${Math.round((epochMs - START_MS) / 100) / 10}`,
      ),
    )
    .join(' ');
}

const lineFor = async (own: readonly FoundFile[], handed: readonly FoundFile[]) =>
  lineOf(await places(own, handed).segments(stream, RANGE.fromMs, RANGE.toMs));

describe('the whole past of a camera', () => {
  it('is the own recording where nothing was handed over', async () => {
    const own = [file('own', 0, [0, 1, 2])];
    expect(await lineFor(own, [])).toBe('| own@0 own@1 own@2');
    expect(await lineFor([], [])).toBe('');
  });

  it('has clips in its gaps, before it and after it', async () => {
    const own = [file('own', 7, [3, 4, 8, 9])];
    const handed = [file('a', 0, [0, 1]), file('b', 1, [5, 6, 7]), file('c', 2, [12])];
    expect(await lineFor(own, handed)).toBe('| a@0 a@1 | own@3 own@4 | b@5 b@6 b@7 | own@8 own@9 | c@12');
    expect(await lineFor([], handed)).toBe('| a@0 a@1 | b@5 b@6 b@7 | c@12');
  });

  it('shows no time twice: the own recording comes first, then the clip that begins first', async () => {
    const own = [file('own', 0, [2, 3, 6])];
    expect(await lineFor(own, [file('a', 0, [0, 1, 2, 3, 4, 5, 6, 7])])).toBe(
      '| a@0 a@1 | own@2 own@3 | a@4 a@5 | own@6 | a@7',
    );
    expect(await lineFor([], [file('a', 0, [1.5, 2.5, 3.5]), file('b', 1, [0, 1, 2, 3, 4])])).toBe(
      '| b@0 b@1 b@2 b@3 b@4',
    );
  });

  it('takes clips whose clock is a little off, and leaves out what overlaps by more', async () => {
    const own = [file('own', 0, [0, 3])];
    expect(await lineFor(own, [file('a', 0, [0.95, 1.95])])).toBe('| own@0 | a@1 a@2 | own@3');
    expect(await lineFor(own, [file('a', 0, [0.8, 1.8])])).toBe('| own@0 | a@1.8 | own@3');
  });

  it('survives a clock that was set back', async () => {
    const own = [file('own', 0, [10, 11]), file('later', 1, [0, 1, 10])];
    expect(await lineFor(own, [file('a', 0, [5, 6]), file('b', 1, [11, 12])])).toBe(
      '| a@5 a@6 | own@10 own@11 | later@0 later@1 | later@10 | b@12',
    );
  });

  it('is one numbered timeline, in which every clip is a run', async () => {
    const own = [file('own', 7, [3, 4, 8])];
    const handed = [file('a', 0, [0, 1]), file('b', 1, [5, 6])];
    const timeline = new PastTimeline(
      { uuid: stream.cameraUuid, recordedUuid: stream.cameraUuid, masks: null },
      RANGE,
    );
    const found = await places(own, handed).segments(stream, RANGE.fromMs, RANGE.toMs);
    await timeline.extend(found);
    await timeline.extend(found);
    expect(timeline.segments.map(({ number, file: name, run }) => `${number} ${name} ${run.number}`)).toEqual(
      ['1 a 1', '2 a 1', '3 own 2', '4 own 2', '5 b 3', '6 b 3', '7 own 4'],
    );
  });

  it.each([
    ['the own recording', 3.5, 'own@3'],
    ['a clip', 5.5, 'b@5'],
    ['what comes first after a gap', 2.5, 'own@3'],
    ['a clip that comes first', 10, 'c@12'],
    ['nothing, after everything', 20, ''],
  ])('is sought through: %s', async (_title, second, expected) => {
    const own = [file('own', 0, [3, 4, 8])];
    const handed = [file('b', 1, [5, 6]), file('c', 2, [12])];
    const found = await places(own, handed).seek(stream, START_MS + second * 1_000);
    expect(found === null ? '' : lineOf([{ ...found, segments: [found.segment] }]).replace('| ', '')).toBe(
      expected,
    );
  });

  it('leaves other streams alone', async () => {
    const all = places([file('own', 0, [0])], [file('a', 0, [5])]);
    const uploaded = await all.segments({ ...stream, rendition: 'uploaded' }, RANGE.fromMs, RANGE.toMs);
    expect(lineOf(uploaded)).toBe('| a@5');
    expect((await all.seek({ ...stream, rendition: 'uploaded' }, START_MS))?.name).toBe('a');
  });

  it('says when there are segments: those that it lists', async () => {
    const timesOf = (spans: readonly { readonly startMs: number }[]) =>
      [...new Set(spans.map(({ startMs }) => (startMs - START_MS) / 1_000))].sort((a, b) => a - b);
    const alone = places([file('own', 0, [0, 1])], []);
    expect(timesOf(await alone.spans(stream, RANGE.fromMs, RANGE.toMs, 0))).toEqual([0, 1]);
    // Half a second of the clip is in the own recording: all of that segment is left out.
    const both = places([file('own', 0, [0, 1, 4])], [file('a', 0, [1.5, 2.5, 5])]);
    expect(timesOf(await both.spans(stream, RANGE.fromMs, RANGE.toMs, 0))).toEqual(
      (await both.segments(stream, RANGE.fromMs, RANGE.toMs)).flatMap(({ segments }) =>
        segments.map(({ epochMs }) => (epochMs - START_MS) / 1_000),
      ),
    );
    const uploaded = { ...stream, rendition: 'uploaded' } as const;
    expect(timesOf(await both.spans(uploaded, RANGE.fromMs, RANGE.toMs, 0))).toEqual([1.5, 2.5, 5]);
  });

  it('lists the hours of both', async () => {
    const both = places([file('own', 0, [0, 1])], [file('a', 0, [5])]);
    const span = (fromSec: number, toSec: number) => ({
      startMs: START_MS + fromSec * 1_000,
      endMs: START_MS + toSec * 1_000,
    });
    expect(await both.hours(stream, 0, RANGE.toMs)).toEqual([span(0, 2), span(5, 6)]);
    expect(await both.hours({ ...stream, rendition: 'uploaded' }, 0, RANGE.toMs)).toEqual([span(5, 6)]);
  });
});

describe('the two streams of a camera', () => {
  const lineOfBoth = async (past: RecordedPlaces, toMs = RANGE.toMs) => {
    const { main, sub, areTwo } = await past.renditions(stream.cameraUuid, RANGE.fromMs, toMs);
    return [lineOf(main), areTwo ? lineOf(sub) : null];
  };

  it('are one if only one is recorded', async () => {
    const own = [file('c/main/0', 0, [0, 1])];
    expect(await lineOfBoth(places(own, []))).toEqual(['| c/main/0@0 c/main/0@1', null]);
    const sub = [file('c/sub/0', 0, [0, 1])];
    expect(await lineOfBoth(places([], [], sub))).toEqual(['| c/sub/0@0 c/sub/0@1', null]);
  });

  it('fill the gaps of each other, after clips that were handed over', async () => {
    const own = [file('c/main/0', 0, [0, 1, 5, 6])];
    const sub = [file('c/sub/0', 0, [0, 1, 2, 3, 4, 5])];
    const handed = [file('c/uploaded/0', 0, [3])];
    expect(await lineOfBoth(places(own, handed, sub))).toEqual([
      '| c/main/0@0 c/main/0@1 | c/sub/0@2 | c/uploaded/0@3 | c/sub/0@4 | c/main/0@5 c/main/0@6',
      '| c/sub/0@0 c/sub/0@1 c/sub/0@2 c/sub/0@3 c/sub/0@4 c/sub/0@5 | c/main/0@6',
    ]);
  });

  it('stay in a run across files', async () => {
    const sub = [file('c/sub/0', 0, [2, 3]), { ...file('c/sub/1', 1, [4, 5]) }];
    const continued = sub[1]!.segments.map((segment) => ({ ...segment, isDiscontinuity: false }));
    const files = [sub[0]!, { ...sub[1]!, segments: continued }];
    expect(await lineOfBoth(places([file('c/main/0', 0, [0, 1])], [], files))).toEqual([
      '| c/main/0@0 c/main/0@1 | c/sub/0@2 c/sub/0@3 c/sub/1@4 c/sub/1@5',
      '| c/main/0@0 c/main/0@1 | c/sub/0@2 c/sub/0@3 c/sub/1@4 c/sub/1@5',
    ]);
  });

  it('do not fill the end before it is certain that nothing of the other is on its way', async () => {
    const own = [file('c/main/0', 0, [0, 1])];
    const sub = [file('c/sub/0', 0, [0, 1, 2, 3])];
    const seconds = (nowSec: number) => lineOfBoth(places(own, [], sub, START_MS + nowSec * 1_000));
    expect((await seconds(5))[0]).toBe('| c/main/0@0 c/main/0@1');
    expect((await seconds(33))[0]).toBe('| c/main/0@0 c/main/0@1 | c/sub/0@2');
    expect((await seconds(34))[0]).toBe('| c/main/0@0 c/main/0@1 | c/sub/0@2 c/sub/0@3');
    // A camera whose main stream is not recorded.
    expect(await lineOfBoth(places([], [], sub, START_MS + 5_000))).toEqual([
      '| c/sub/0@0 c/sub/0@1 c/sub/0@2 c/sub/0@3',
      null,
    ]);
  });

  it('are found wherever one of them is', async () => {
    const past = places([file('c/main/0', 0, [0, 1, 8])], [], [file('c/sub/0', 0, [0, 1, 2, 3, 8])]);
    const spans = await past.spans(stream, RANGE.fromMs, RANGE.toMs, 0);
    const seconds = [...new Set(spans.map(({ startMs }) => (startMs - START_MS) / 1_000))];
    expect(seconds.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 8]);
    expect((await past.seek(stream, START_MS + 2_500))?.name).toBe('c/sub/0');
    expect((await past.seek(stream, START_MS + 1_500))?.name).toBe('c/main/0');
    expect((await past.seek(stream, START_MS + 4_500))?.segment.epochMs).toBe(START_MS + 8_000);
  });
});

describe('the key frames that are left', () => {
  const NOW_MS = RANGE.toMs + 3_600_000;
  const left = [file('left', 0, [0, 1, 2, 3, 4, 5, 6])];
  const past = (own: readonly FoundFile[], sub: readonly FoundFile[] = []) =>
    places(own, [], sub, NOW_MS, left);

  it('fill what no stream has, in both renditions', async () => {
    const own = [file('own', 0, [5])];
    const { main, sub, areTwo } = await past(own, [file('sub', 0, [3])]).renditions(
      stream.cameraUuid,
      RANGE.fromMs,
      RANGE.toMs,
    );
    expect(lineOf(main)).toBe('| left@0 left@1 left@2 | sub@3 | left@4 | own@5 | left@6');
    expect(lineOf(sub)).toBe('| left@0 left@1 left@2 | sub@3 | left@4 | own@5 | left@6');
    expect(areTwo).toBe(true);
  });

  it('are all of a camera whose recordings were deleted', async () => {
    const whole = past([]);
    expect(lineOf(await whole.segments(stream, RANGE.fromMs, RANGE.toMs))).toBe(
      '| left@0 left@1 left@2 left@3 left@4 left@5 left@6',
    );
    const spans = await whole.spans(stream, RANGE.fromMs, RANGE.toMs, 0);
    expect(spans).toContainEqual({ startMs: START_MS, endMs: START_MS + 1_000 });
    expect((await whole.seek(stream, START_MS + 2_500))?.name).toBe('left');
    expect(await whole.hours(stream, RANGE.fromMs, RANGE.toMs)).toEqual([
      { startMs: START_MS, endMs: START_MS + 7_000 },
    ]);
  });
});
