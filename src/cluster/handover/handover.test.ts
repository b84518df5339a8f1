/** Two nodes read one camera: each frame is published once, in order, by the one or by the other. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { HOLD_MS } from '../local-stream/stream-cut.ts';
import { type Case, FRAME_MS, handOver, type Pull, USUAL } from './handover-fixture.ts';

type Fields = Partial<Omit<Case, 'giver' | 'heir'>> & {
  readonly giver?: Partial<Pull>;
  readonly heir?: Partial<Pull>;
};

const given = ({ giver, heir, ...fields }: Fields): Case => ({
  ...USUAL,
  ...fields,
  giver: { ...USUAL.giver, ...giver },
  heir: { ...USUAL.heir, ...heir },
});

const all = (frames: number) => Array.from({ length: frames }, (_, number) => number);
const sorted = (pictures: readonly number[]) => pictures.toSorted((one, other) => one - other);

/** An SEI message with the time at which the picture was sent, which is another one for each connection. */
const sentAt = (connection: number, header: readonly number[]) => (number: number) => [
  Uint8Array.of(...header, 5, 4, connection, 0, number >> 8, number & 0xff, 0x80),
];

describe('a stream that is handed over', () => {
  it.each<[string, Fields]>([
    ['frames arrive at both at once', {}],
    ['they arrive at the heir first', { giver: { lateMs: 150 } }],
    [
      'they arrive at the heir later, within the time that a key frame is held',
      { heir: { lateMs: 150 }, reportMs: 100 },
    ],
    ['they arrive at the heir much later', { heir: { lateMs: 900 }, groupFrames: 50 }],
    ['every frame is a key frame', { groupFrames: 1, heir: { from: 7 } }],
    ['groups are shorter than the time that a key frame is held', { groupFrames: 5, heir: { lateMs: 200 } }],
    ['many groups come before the heir may publish', { groupFrames: 5, leaseMs: 2_000 }],
    ['the heir begins in the middle of a group', { heir: { from: 33 } }],
    [
      'timestamps of the connections begin differently',
      { heir: { offsetMs: 7_123_456 }, giver: { offsetMs: 40 } },
    ],
    [
      'the sending time is in an SEI message, H.264',
      { giver: { before: sentAt(1, [6]) }, heir: { before: sentAt(2, [6]) } },
    ],
    [
      'the sending time is in an SEI message, H.265',
      { codec: 'h265', giver: { before: sentAt(1, [0x4e, 1]) }, heir: { before: sentAt(2, [0x4e, 1]) } },
    ],
    [
      'one connection gets delimiters, parameter sets and filler, H.264',
      {
        heir: {
          before: () =>
            [
              [9, 0xf0],
              [0x67, 1],
              [0x68, 1],
              [12, 0xff],
            ].map((nalu) => Uint8Array.from(nalu)),
        },
      },
    ],
    [
      'one connection gets delimiters and parameter sets, H.265',
      {
        codec: 'h265',
        heir: {
          before: () =>
            [
              [0x46, 1, 0x50],
              [0x40, 1],
              [0x42, 1],
              [0x44, 1],
            ].map((nalu) => Uint8Array.from(nalu)),
        },
      },
    ],
    [
      'the sending time differs, and the connection here is 2.4 s late',
      {
        giver: { lateMs: 2_420, before: sentAt(1, [6]) },
        heir: { before: sentAt(2, [6]) },
        armMs: 4_000,
      },
    ],
    [
      'pictures are shown in another order than they are coded',
      {
        order: [0, 3, 1, 2],
        groupFrames: 24,
        giver: { before: sentAt(1, [6]) },
        heir: { before: sentAt(2, [6]) },
      },
    ],
  ])('each frame once: %s', (_name, fields) => {
    const used = given(fields);
    const { giver, heir, point, gapMs } = handOver(used);
    expect(point).toMatchObject({ by: 'frame' });
    expect(gapMs).toBe(0);
    expect(heir.length).toBeGreaterThan(0);
    expect(sorted([...giver, ...heir])).toEqual(all(used.frames));
    expect(heir[0]! % used.groupFrames).toBe(0);
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
      fc.property(cases, ({ giverLateMs, heirLateMs, heirFrom, ...fields }) => {
        const used = given({
          ...fields,
          giver: { lateMs: giverLateMs, before: sentAt(1, [6]) },
          heir: { lateMs: heirLateMs, from: heirFrom, before: sentAt(2, [6]) },
        });
        const { giver, heir, point } = handOver(used);
        expect(point).toMatchObject({ by: 'frame' });
        expect([...giver, ...heir]).toEqual(all(used.frames));
      }),
      randomRuns(100),
    );
  });

  describe('whose picture stands still, so that groups have the same bytes', () => {
    // Key frames have idr_pic_id 0 and 1 in turn, the others their frame_num.
    const still = (number: number) => (number % 25 === 0 ? [(number / 25) % 2] : [7, number % 25]);

    it.each<[string, Fields]>([
      ['all groups', { slices: (number) => [number % 25] }],
      ['every second group', { slices: still }],
      ['groups of a fifth of a second', { groupFrames: 5, slices: (number) => [number % 5] }],
      [
        'the heir gets the last group again at the start',
        { slices: (number) => [number % 25], armMs: 800, heir: { from: 3 } },
      ],
      [
        'the camera’s clock says which it is, and the connection here is 1.5 s late',
        { slices: still, giver: { lateMs: 1_500, reportAt: 1 }, heir: { reportAt: 1 }, armMs: 2_000 },
      ],
    ])('each frame once: %s', (_name, fields) => {
      const used = given(fields);
      const { giver, heir, point, gapMs } = handOver(used);
      expect(point).toMatchObject({ by: 'frame' });
      expect(gapMs).toBe(0);
      expect([...giver, ...heir]).toEqual(all(used.frames));
    });
  });

  describe('of a camera that encodes for each connection', () => {
    const APART: Fields = { heir: { encoder: 1, keysAfter: 12 } };
    const withClock = ({ giver, heir, ...fields }: Fields): Fields => ({
      ...fields,
      giver: { reportAt: 1, ...giver },
      heir: { ...APART.heir, reportAt: 1, ...heir },
    });

    it.each<[string, Fields]>([
      ['both are as late', {}],
      ['the connection here is 2 s late', { giver: { lateMs: 2_000 }, armMs: 3_000 }],
      ['the heir’s is 700 ms later', { heir: { lateMs: 700 } }],
      ['key frames come together', { heir: { keysAfter: 0 } }],
      ['timestamps begin differently', { heir: { offsetMs: 12_345_678 } }],
      ['pictures of the heir were taken 13 ms later', { heir: { phaseMs: 13 } }],
      ['pictures of the heir were taken 27 ms later', { heir: { phaseMs: 27 } }],
      ['there is little time, as at a stop', { limitMs: 3_000, armMs: 1_000 }],
      ['the heir’s reports of the time come late', { heir: { reportAt: 60 } }],
    ])('each moment once, by the camera’s clock: %s', (_name, fields) => {
      const used = given(withClock(fields));
      const { giver, heir, point, gapMs } = handOver(used);
      expect(point).toMatchObject({ by: 'clock' });
      expect(giver).toEqual(all(giver.length));
      expect(heir).toEqual(all(used.frames).slice(Math.round(heir[0]!)));
      const betweenMs = (heir[0]! - giver.length) * FRAME_MS + used.heir.phaseMs;
      expect(gapMs).toBeCloseTo(betweenMs, 5);
      expect(Math.abs(betweenMs)).toBeLessThanOrEqual(FRAME_MS / 2);
    });

    it('pictures are shown in another order: at most those between are missing, and it says how many', () => {
      const used = given(withClock({ order: [0, 3, 1, 2], groupFrames: 24 }));
      const { giver, heir, gapMs } = handOver(used);
      const missing = all(used.frames).filter((number) => !giver.includes(number) && !heir.includes(number));
      expect(missing.length).toBeLessThanOrEqual(2);
      expect(gapMs).toBe(missing.length * FRAME_MS);
    });

    it('without its clock, what arrives at the same time is the same moment', () => {
      const { giver, heir, point, gapMs } = handOver(given(APART));
      expect(point).toMatchObject({ by: 'arrival' });
      expect(giver).toEqual(all(giver.length));
      expect(heir).toEqual(all(USUAL.frames).slice(heir[0]!));
      expect(Math.abs(heir[0]! - giver.length)).toBeLessThanOrEqual(1);
      expect(Math.abs(gapMs!)).toBeLessThanOrEqual(FRAME_MS / 2);
    });

    it.each([3_600_000, -3_600_000])(
      'a clock that is another one for each connection, by %i ms, is not used',
      (wrongMs) => {
        const { giver, heir, point } = handOver(given(withClock({ heir: { wrongMs } })));
        expect(point).toMatchObject({ by: 'arrival' });
        expect(Math.abs(heir[0]! - giver.length)).toBeLessThanOrEqual(1);
      },
    );
  });

  it('when the time is over, the heir begins with its next group, and says how much is missing', () => {
    const used = given({
      groupFrames: 100,
      armMs: 100,
      limitMs: 2_900,
      giver: { before: sentAt(1, [6]) },
      heir: { from: 20, keysAfter: 25, encoder: 1 },
    });
    const { giver, heir, point, gapMs } = handOver(used);
    expect(point).toMatchObject({ by: 'limit' });
    expect([giver.at(-1), heir[0]]).toEqual([74, 125]);
    // Without a clock, as precise as reports are fast.
    expect(Math.abs(gapMs! - 50 * FRAME_MS)).toBeLessThanOrEqual(used.reportMs);
  });

  it('nothing is lost if the heir reports nothing, or its reports come too late', () => {
    const none = handOver(given({ heir: { from: USUAL.frames } }));
    expect(none).toEqual({ giver: all(USUAL.frames), heir: [], point: null, gapMs: null });
    const { giver } = handOver(given({ frames: 60, reportMs: 1_900 }));
    expect(giver).toEqual(all(60));
  });
});
