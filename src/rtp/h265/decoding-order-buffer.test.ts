import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import {
  DecodingOrderBuffer,
  DISTINCT_AFTER,
  MAX_WAITING_BYTES,
  MAX_WAITING_MS,
  MAX_WAITING_NALUS,
} from './decoding-order-buffer.ts';
import { type DepacketizationBounds, depacketizationBounds } from './depacketization-bounds.ts';
import { boundsOf, shuffledWithin } from './interleaved-packets-fixture.ts';

const ANY = Number.POSITIVE_INFINITY;

/** One NAL unit per packet, named by its number; records the output. */
class Bench {
  readonly order: DecodingOrderBuffer;
  /** Numbers of the passed NAL units, `!` where something may be missing, and codes of NAL units that came too late. */
  readonly out: (number | string)[] = [];
  readonly ends: number[] = [];
  nowMonoMs = 1_000;

  constructor(bounds: Partial<DepacketizationBounds> = {}) {
    this.order = new DecodingOrderBuffer(
      { maxDonDiff: 32_767, maxNalus: ANY, maxBytes: ANY, ...bounds },
      {
        onOrdered: ({ bytes, absDon, isLast }) => {
          this.out.push(bytes.length >= 4 ? Buffer.from(bytes).readUInt32BE() : absDon);
          if (isLast) this.ends.push(this.out.length);
        },
        onMissing: (code) => this.out.push(code === 'RTP_PACKET_LOSS' ? '!' : `! ${code}`),
        onLate: (code) => this.out.push(code),
      },
    );
  }

  /** `dons`: not wrapped. */
  put(...dons: number[]): this {
    for (const don of dons) this.packet([don]);
    return this;
  }

  packet(dons: readonly number[], rtpTimestamp = 0, isMarked = false, sizeBytes = 4): this {
    for (const don of dons) {
      const bytes = Buffer.alloc(sizeBytes);
      bytes.writeUInt32BE(don);
      this.order.put(don & 0xffff, bytes, rtpTimestamp, this.nowMonoMs);
    }
    this.order.endPacket(rtpTimestamp, isMarked, this.nowMonoMs);
    return this;
  }

  /** The output, without the marks of possible losses. */
  get passed(): (number | string)[] {
    return this.out.filter((each) => each !== '!');
  }

  lose(): this {
    this.order.lose('RTP_PACKET_LOSS');
    return this;
  }
}

describe('RFC 7798 §4.5, AbsDon of one number after another', () => {
  /** The step as the five cases of §4.5 give it. */
  const CASES: readonly [from: number, to: number, step: number][] = [
    [7, 7, 0],
    [7, 8, 1],
    [0, 32_767, 32_767],
    [65_535, 0, 1],
    [65_000, 100, 636],
    [40_000, 7_232, 32_768],
    [7_232, 40_000, -32_768],
    [0, 65_535, -1],
    [100, 65_000, -636],
    [8, 7, -1],
  ];

  it.each(CASES)('%i and %i', (from, to, step) => {
    const steps: number[] = [];
    let first: number | null = null;
    const order = new DecodingOrderBuffer(
      { maxDonDiff: 40_000, maxNalus: 1, maxBytes: ANY },
      {
        onOrdered: ({ absDon, bytes }) => {
          if (bytes[0] === 1) first = absDon;
          else steps.push(absDon);
        },
        onMissing: () => undefined,
        onLate: () => undefined,
      },
    );
    order.put(from, Uint8Array.of(1), 0, 0);
    order.put(to, Uint8Array.of(2), 0, 0);
    order.endPacket(0, false, 0);
    // A third one, which lets the second go.
    order.put((to + 1) & 0xffff, Uint8Array.of(3), 0, 0);
    order.endPacket(0, false, 0);
    expect(steps[0]! - first!).toBe(step);
  });
});

describe('RFC 7798 §6', () => {
  it('initial buffering ends by condition A: numbers sprop-max-don-diff apart', () => {
    const bench = new Bench({ maxDonDiff: 4 }).put(2, 1, 3, 4);
    expect(bench.out).toEqual([]);
    expect(bench.put(5).out).toEqual([1]);
  });

  it('initial buffering ends by condition B: more than sprop-depack-buf-nalus wait', () => {
    const bench = new Bench({ maxNalus: 2 }).put(20, 0);
    expect(bench.out).toEqual([]);
    expect(bench.put(10).passed).toEqual([0]);
    expect(bench.put(30).passed).toEqual([0, 10]);
  });

  it('after it, both conditions release the smallest until neither holds', () => {
    const byA = new Bench({ maxDonDiff: 10 }).put(0, 10, 4, 14, 8, 40);
    expect(byA.passed).toEqual([0, 4, 8, 10, 14]);
    const byB = new Bench({ maxNalus: 1 }).put(0, 10, 4, 14, 12);
    expect(byB.passed).toEqual([0, 4, 10, 12]);
  });

  it('sprop-depack-buf-bytes is as much as waits', () => {
    const bench = new Bench({ maxBytes: 100 });
    for (const don of [9, 3, 6]) bench.packet([don], 0, false, 40);
    expect(bench.out).toEqual([3]);
    expect(bench.order.waitingBytes).toBe(80);
  });

  it('numbers may be left out: nothing is missing where nothing was lost', () => {
    const bench = new Bench({ maxDonDiff: 6 }).put(0, 6, 3, 12, 9, 18, 15, 99);
    // Up to 6, units sent before the first packet may be.
    expect(bench.out).toEqual([0, '!', 3, '!', 6, 9, 12, 15, 18]);
  });

  it('a stream in decoding order waits for nothing once it has begun', () => {
    const numbers = Array.from({ length: DISTINCT_AFTER }, (_, index) => index);
    const bench = new Bench({ maxDonDiff: 3 }).put(...numbers.slice(0, -1));
    expect(bench.order.waitingNalus).toBe(3);
    bench.put(numbers.at(-1)!);
    expect([bench.out, bench.order.waitingNalus]).toEqual([numbers, 0]);
    expect(bench.put(64).out.at(-1)).toBe(64);
    // Two with one number: from now on, each may have another one.
    expect(bench.put(64, 65, 65, 66).out.slice(-2)).toEqual([64, 64]);
  });

  it('equal numbers go out as they came', () => {
    const bench = new Bench({ maxDonDiff: 2 });
    bench.order.put(1, Buffer.from([0, 0, 0, 11]), 0, 0);
    bench.order.put(1, Buffer.from([0, 0, 0, 12]), 0, 0);
    bench.order.put(0, Buffer.from([0, 0, 0, 10]), 0, 0);
    expect(bench.put(3).out.slice(0, 3)).toEqual([10, 11, 12]);
  });

  it('goes over the wrap of the numbers', () => {
    const dons = [65_533, 65_535, 65_534, 65_537, 65_536, 65_540, 65_538, 65_539, 65_600];
    const sorted = dons.toSorted((a, b) => a - b).slice(0, -1);
    expect(new Bench({ maxDonDiff: 2 }).put(...dons).out).toEqual(sorted);
  });
});

describe('the end of an access unit', () => {
  /** Up to 9: by then, nothing that was sent before the first packet can come. */
  const begun = () => new Bench({ maxDonDiff: 3 }).put(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);

  it('is the last of its NAL units in decoding order, once its marked packet has come', () => {
    const bench = begun().packet([13], 2).packet([12], 2, true).packet([11], 1).packet([10], 1, true);
    bench.packet([17], 3, true);
    expect(bench.out).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(bench.ends).toEqual([12, 14]);
  });

  it('is not said if something may be missing of it', () => {
    const bench = begun().packet([10], 1, true).lose().packet([12], 2, true);
    for (const don of [13, 14, 15, 16, 17, 18]) bench.packet([don], don);
    bench.packet([19], 3, true).packet([20], 4).packet([21], 5).packet([22], 6);
    expect(bench.out).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, '!', 12, 13, 14, 15, 16, 17, 18, 19]);
    expect(bench.ends).toEqual([11, 20]);
  });
});

describe('a loss', () => {
  it('is where a number is missing, not where packets were', () => {
    // Sent: 0 2 1 (4 3 lost) 6 5 8 7 …
    const bench = new Bench({ maxDonDiff: 2 }).put(0, 2, 1).lose().put(6, 5, 8, 7, 10, 9, 12);
    expect(bench.out).toEqual([0, 1, 2, '!', 5, 6, 7, 8, 9, 10]);
  });

  it('may be at each step within sprop-max-don-diff, if numbers are left out', () => {
    const bench = new Bench({ maxDonDiff: 6 }).put(0, 6, 3).lose().put(15, 12, 21, 18, 27, 24, 33, 30, 39);
    expect(bench.out).toEqual([0, '!', 3, '!', 6, '!', 12, '!', 15, '!', 18, 21, 24, 27, 30, 33]);
  });

  it('that no step shows is reported all the same', () => {
    const bench = new Bench({ maxDonDiff: 2 }).put(0, 1, 2).lose().put(3, 4, 5, 6, 7);
    expect(bench.out).toEqual([0, 1, 2, 3, 4, '!', 5]);
  });
});

describe('what the description rules out', () => {
  it('comes too late, is dropped, and says so', () => {
    const bench = new Bench({ maxDonDiff: 10, maxNalus: 1 }).put(0, 5, 9, 3, 10, 11);
    expect(bench.passed).toEqual([0, 5, 'RTP_DECODING_ORDER', 9, 10]);
  });

  it('is a new numbering, if it is further back than sprop-max-don-diff', () => {
    const bench = new Bench({ maxDonDiff: 4 }).put(1_000, 1_002, 1_001, 1_004, 1_003).put(50, 52, 51, 54, 53);
    expect(bench.out).toEqual([1_000, 1_001, 1_002, 1_003, 1_004, '! RTP_DECODING_ORDER', 50]);
  });

  it('is a new numbering, if one after another comes too late', () => {
    const bench = new Bench({ maxDonDiff: 30_000, maxNalus: 1 }).put(20_000, 20_001, 20_002);
    const again = Array.from({ length: 40 }, (_, index) => 100 + index);
    bench.put(...again);
    const late = bench.out.filter((each) => each === 'RTP_DECODING_ORDER');
    expect(late).toHaveLength(16);
    expect(bench.out.slice(-23)).toEqual(again.slice(16, -1));
  });
});

describe('limits, whatever the description says', () => {
  it('hold for the number of NAL units that wait', () => {
    const bench = new Bench();
    for (let don = 0; don <= 2 * MAX_WAITING_NALUS; don += 2) bench.put(don);
    expect(bench.order.waitingNalus).toBe(MAX_WAITING_NALUS);
    expect(bench.put(2 * MAX_WAITING_NALUS + 2).passed).toEqual([0, 2]);
    expect(bench.put(1).out.at(-1)).toBe('RTP_REORDER_LIMIT');
  });

  it('hold for their number within one packet', () => {
    const bench = new Bench();
    bench.packet(Array.from({ length: 5_000 }, (_, index) => index * 2));
    expect(bench.order.waitingNalus).toBe(MAX_WAITING_NALUS);
  });

  it('hold for their bytes', () => {
    const bench = new Bench();
    const sizeBytes = MAX_WAITING_BYTES / 4;
    for (const don of [0, 2, 4, 6, 8]) bench.packet([don], 0, false, sizeBytes);
    expect([bench.out, bench.order.waitingBytes]).toEqual([[0], MAX_WAITING_BYTES]);
  });

  it('hold for the time that the next one waits', () => {
    const bench = new Bench().put(4, 2);
    bench.nowMonoMs += MAX_WAITING_MS - 1;
    expect(bench.put(6).out).toEqual([]);
    bench.nowMonoMs += 1;
    expect(bench.put(8).passed).toEqual([2, 4]);
    expect(bench.put(3).out.at(-1)).toBe('RTP_REORDER_LIMIT');
  });

  it('hold for whatever comes', () => {
    const step = fc.record({
      don: fc.oneof(fc.nat(65_535), fc.nat(40)),
      sizeBytes: fc.oneof(fc.constant(4), fc.nat(60), fc.constant(MAX_WAITING_BYTES / 3)),
      afterMs: fc.oneof(fc.constant(0), fc.nat(3_000)),
      isMarked: fc.boolean(),
      isLost: fc.boolean(),
    });
    const bounds = fc.record({
      maxDonDiff: fc.integer({ min: 1, max: 32_767 }),
      maxNalus: fc.oneof(fc.constant(ANY), fc.integer({ min: 1, max: 32_767 })),
      maxBytes: fc.oneof(fc.constant(ANY), fc.integer({ min: 1, max: 2 ** 32 - 1 })),
    });
    const property = fc.property(fc.array(step, { maxLength: 80 }), bounds, (steps, said) => {
      const bench = new Bench(said);
      // Too small for its number: shared, so that the test holds no more than the buffer does.
      const shared = Buffer.alloc(MAX_WAITING_BYTES / 3);
      for (const { don, sizeBytes, afterMs, isMarked, isLost } of steps) {
        bench.nowMonoMs += afterMs;
        if (isLost) bench.lose();
        bench.order.put(don, shared.subarray(0, sizeBytes), don, bench.nowMonoMs);
        bench.order.endPacket(don, isMarked, bench.nowMonoMs);
        expect(bench.order.waitingBytes).toBeLessThanOrEqual(Math.min(MAX_WAITING_BYTES, said.maxBytes));
        expect(bench.order.waitingNalus).toBeLessThanOrEqual(Math.min(MAX_WAITING_NALUS, said.maxNalus));
      }
      const passed = bench.out.filter((each) => typeof each === 'number').length;
      const late = bench.out.filter((each) => typeof each === 'string' && each.startsWith('RTP_')).length;
      expect(passed + late + bench.order.waitingNalus).toBe(steps.length);
    });
    fc.assert(property, randomRuns(500));
  });
});

describe('any order within the bounds', () => {
  it('comes out in decoding order, and holds back no more than the bounds', () => {
    const property = fc.property(
      fc.array(fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(1)), { minLength: 2, maxLength: 120 }),
      fc.nat(65_535),
      fc.nat(12),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      (steps, firstDon, depth, stream) => {
        let absDon = firstDon;
        const sorted = steps.map((step) => {
          absDon += step;
          return absDon;
        });
        const sent = shuffledWithin(sorted, depth, () => stream.next().value as number);
        const { donDiff, nalus } = boundsOf(sent);
        const bounds = { maxDonDiff: Math.max(1, donDiff), maxNalus: Math.max(1, nalus), maxBytes: ANY };
        const bench = new Bench(bounds).put(...sent);
        expect(bench.passed).toEqual(sorted.slice(0, bench.passed.length));
        expect(bench.order.waitingNalus).toBe(sent.length - bench.passed.length);
        // Nothing is missing but what may have been sent before the first packet.
        const lastMissing = bench.out[bench.out.lastIndexOf('!') - 1] ?? 0;
        expect(lastMissing).toBeLessThan(sent[0]! + bounds.maxDonDiff);
        expect(bench.order.waitingNalus).toBeLessThanOrEqual(bounds.maxNalus);
      },
    );
    fc.assert(property, randomRuns(2_000));
  });
});

describe('the bounds of a session description, RFC 7798 §7.1', () => {
  const CASES: readonly [title: string, fmtp: Record<string, string>, bounds: unknown][] = [
    ['nothing said', {}, null],
    ['0: decoding order', { 'sprop-max-don-diff': '0', 'sprop-depack-buf-nalus': '3' }, null],
    [
      'all of them',
      { 'sprop-max-don-diff': '8', 'sprop-depack-buf-nalus': '4', 'sprop-depack-buf-bytes': '9000' },
      { maxDonDiff: 8, maxNalus: 4, maxBytes: 9_000 },
    ],
    [
      'the buffer not said, or 0',
      { 'sprop-max-don-diff': '8', 'sprop-depack-buf-nalus': '0' },
      { maxDonDiff: 8, maxNalus: ANY, maxBytes: ANY },
    ],
    [
      'more than the range',
      { 'sprop-max-don-diff': '99999' },
      { maxDonDiff: 32_767, maxNalus: ANY, maxBytes: ANY },
    ],
    ['no number', { 'sprop-max-don-diff': '-1' }, null],
    ['no number', { 'sprop-max-don-diff': '1e9' }, null],
    [
      'no number for the buffer',
      {
        'sprop-max-don-diff': '1',
        'sprop-depack-buf-nalus': 'many',
        'sprop-depack-buf-bytes': '99999999999',
      },
      { maxDonDiff: 1, maxNalus: ANY, maxBytes: ANY },
    ],
  ];

  it.each(CASES)('%s: %j', (_title, fmtp, bounds) => {
    expect(depacketizationBounds(new Map(Object.entries(fmtp)))).toEqual(bounds);
  });
});
