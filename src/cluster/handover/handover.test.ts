/** Two nodes read one camera: each frame is published once, in order, by the one or by the other. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import type { Source } from '../../stream/source.ts';
import { SourceSink } from '../../stream/source-sink.ts';
import { LocalStream } from './local-stream.ts';
import { type CutPoint, HOLD_MS, StreamCut } from './stream-cut.ts';

const FRAME_MS = 40;
const TRACKS: readonly Track[] = [
  {
    ...{ kind: 'video', codec: 'h264', codecString: 'avc1.64001f', timescaleHz: 1_000 },
    ...{ sps: [], pps: [], widthPx: 320, heightPx: 180, nominalFrameRateHz: 25 },
  },
];

interface Case {
  /** Frames from one key frame to the next. */
  readonly groupFrames: number;
  /** How late frames arrive at the one that gives the camera away, and at its heir. */
  readonly giverLateMs: number;
  readonly heirLateMs: number;
  /** How late a report of the heir arrives. */
  readonly reportMs: number;
  /** From the cut to the moment at which the heir may publish. */
  readonly leaseMs: number;
  /** The first frame that the heir gets. */
  readonly heirFrom: number;
  readonly frames: number;
  /** The camera encodes for each connection: the heir's key frames are other ones, this many frames later. */
  readonly otherKeysAfter?: number;
}

const USUAL: Case = {
  ...{ groupFrames: 25, giverLateMs: 20, heirLateMs: 20, reportMs: 5, leaseMs: 60 },
  ...{ heirFrom: 20, frames: 200 },
};

class NumberedSource implements Source {
  readonly engine = 'direct';
  sink: SourceSink | null = null;

  open(sink: SourceSink) {
    this.sink = sink;
    return { close: async () => sink.close() };
  }
}

/** Notes the numbers of the frames that are published. */
class Publisher {
  readonly numbers: number[] = [];
  readonly sink = new SourceSink({
    onTracks: () => undefined,
    onAccessUnit: ({ data }) =>
      void this.numbers.push(new DataView(data.buffer, data.byteOffset).getUint32(0)),
    onDropped: () => undefined,
    onEnded: () => undefined,
  });
}

function frame(number: number, encoder: number, isKey: boolean, arrivalMonoMs: number): AccessUnit {
  const data = new Uint8Array(8);
  new DataView(data.buffer).setUint32(0, number);
  new DataView(data.buffer).setUint32(4, encoder);
  return { trackIndex: 0, data, ptsTicks: number * 40, dtsTicks: number * 40, isKey, arrivalMonoMs };
}

function handOver(given: Case) {
  const {
    groupFrames,
    giverLateMs,
    heirLateMs,
    reportMs,
    leaseMs,
    heirFrom,
    frames,
    otherKeysAfter = 0,
  } = given;
  const clock = new FakeClock();
  const [giver, heir] = [new Publisher(), new Publisher()];
  const [giverSource, heirSource] = [new NumberedSource(), new NumberedSource()];
  const local = LocalStream.open(giverSource, giver.sink, clock);
  let point: CutPoint | null = null;
  const prepared = LocalStream.prepare(
    heirSource,
    {
      onKey: (digest) => void clock.after(reportMs, () => cut.reported(digest)),
      onFailed: () => expect.unreachable(),
    },
    clock,
  );
  const cut = new StreamCut({
    clock,
    pass: (unit) => local.pass(unit),
    onCut: (made) => {
      point = made;
      prepared.beginAt(made.digest);
      clock.after(leaseMs, () => prepared.passTo(heir.sink));
    },
  });
  giverSource.sink!.onTracks(TRACKS);
  heirSource.sink!.onTracks(TRACKS);
  local.setCut(cut);
  cut.arm();
  for (let number = 0; number < frames; number++) {
    const isKey = number % groupFrames === 0;
    clock.after(number * FRAME_MS + giverLateMs, () =>
      giverSource.sink!.onAccessUnit(frame(number, 0, isKey, clock.monoMs())),
    );
    const isHeirKey = (number - otherKeysAfter) % groupFrames === 0;
    if (number < heirFrom) continue;
    clock.after(number * FRAME_MS + heirLateMs, () =>
      heirSource.sink!.onAccessUnit(frame(number, otherKeysAfter, isHeirKey, clock.monoMs())),
    );
  }
  clock.advance(frames * FRAME_MS + 10_000);
  return { giver: giver.numbers, heir: heir.numbers, point: point as CutPoint | null };
}

const all = (frames: number) => Array.from({ length: frames }, (_, number) => number);

describe('a stream that is handed over', () => {
  it.each<[string, Partial<Case>]>([
    ['frames arrive at both at once', {}],
    ['they arrive at the heir first', { giverLateMs: 150 }],
    [
      'they arrive at the heir later, within the time that a key frame is held',
      { heirLateMs: 150, reportMs: 100 },
    ],
    ['every frame is a key frame', { groupFrames: 1, heirFrom: 7 }],
    ['groups are shorter than the time that a key frame is held', { groupFrames: 5, heirLateMs: 200 }],
    ['many groups come before the heir may publish', { groupFrames: 5, leaseMs: 2_000 }],
    ['the heir begins in the middle of a group', { heirFrom: 33 }],
  ])('each frame once: %s', (_name, fields) => {
    const given = { ...USUAL, ...fields };
    const { giver, heir, point } = handOver(given);
    expect(point).toMatchObject({ by: 'frame' });
    expect(heir.length).toBeGreaterThan(0);
    expect([...giver, ...heir]).toEqual(all(given.frames));
    expect(heir[0]! % given.groupFrames).toBe(0);
  });

  it('each frame once, whatever the delays', () => {
    const delay = (max: number) => fc.integer({ min: 0, max });
    const cases = fc.record({
      groupFrames: fc.integer({ min: 1, max: 60 }),
      giverLateMs: delay(400),
      heirLateMs: delay(HOLD_MS / 2),
      reportMs: delay(HOLD_MS / 2 - 1),
      leaseMs: delay(3_000),
      heirFrom: fc.integer({ min: 0, max: 70 }),
      frames: fc.constant(250),
    });
    fc.assert(
      fc.property(cases, (given) => {
        const { giver, heir, point } = handOver(given);
        expect(point).toMatchObject({ by: 'frame' });
        expect([...giver, ...heir]).toEqual(all(given.frames));
      }),
      randomRuns(100),
    );
  });

  it('a camera that encodes for each connection is cut when the next group of the heir arrives', () => {
    const { giver, heir, point } = handOver({ ...USUAL, otherKeysAfter: 12, reportMs: 5 });
    expect(point).toMatchObject({ by: 'arrival' });
    expect(giver).toEqual(all(giver.length));
    expect(heir[0]! % USUAL.groupFrames).toBe(12);
    expect(heir).toEqual(all(USUAL.frames).slice(heir[0]!));
    // The report was under way for less than a frame.
    expect(Math.abs(heir[0]! - giver.length)).toBeLessThanOrEqual(1);
  });

  it('nothing is lost if the heir reports nothing, or its reports come too late', () => {
    const none = handOver({ ...USUAL, heirFrom: USUAL.frames });
    expect(none).toEqual({ giver: all(USUAL.frames), heir: [], point: null });
    const { giver } = handOver({ ...USUAL, frames: 60, reportMs: 700 });
    expect(giver).toEqual(all(60));
  });
});
