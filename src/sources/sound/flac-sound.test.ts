import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { decodeFlac } from '../../codec/flac/flac-decoder-fixture.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import { FlacSound } from './flac-sound.ts';
import { pcmFormatOf } from './pcm-format.ts';

const RATE_HZ = 8_000;
const BLOCK = 320;

function format(encoding: string, clockRateHz = RATE_HZ, channelCount = 1): MediaFormat {
  return { payloadType: 97, encoding, clockRateHz, channelCount, fmtp: new Map() };
}

interface Unit {
  readonly ticks: number;
  readonly data: Buffer;
}

function setup(of = format('l16')) {
  const clock = new FakeClock();
  const units: Unit[] = [];
  const sound = new FlacSound(pcmFormatOf(of)!, clock, {
    onUnit: (ticks, data) => units.push({ ticks, data: Buffer.from(data) }),
    onWaiting: () => expect.unreachable(),
  });
  const push = (payload: Buffer, ticks: number): void => {
    // In the middle of a chunk that ends with the payload.
    const chunk = Buffer.concat([Buffer.alloc(12, 0xee), payload]);
    sound.push(chunk, 12, chunk.length, ticks);
  };
  return { clock, units, sound, push };
}

/** L16 of a function of the sample's position. */
function l16(from: number, count: number, sample: (at: number) => number): Buffer {
  const payload = Buffer.alloc(2 * count);
  for (let index = 0; index < count; index++) payload.writeInt16BE(sample(from + index), 2 * index);
  return payload;
}

function decoded(units: readonly Unit[]): Int16Array {
  return decodeFlac(units.map(({ data }) => data));
}

const ticksOf = (units: readonly Unit[]) => units.map(({ ticks }) => ticks);
const wave = (at: number): number => Math.round(9_000 * Math.sin(at / 5) + (at % 100));

describe('FlacSound', () => {
  it.each([80, 160, 320, 480, 1_000, 1_280])(
    'payloads of %i samples become the same samples in blocks of 40 ms',
    (size) => {
      const { clock, units, push } = setup();
      for (let at = 0; at < 2 * RATE_HZ; at += size) {
        push(l16(at, size, wave), 5_000 + at);
        clock.advance(size / 8);
      }
      expect(ticksOf(units)).toEqual(units.map((_, index) => 5_000 + index * BLOCK));
      const samples = decoded(units);
      expect(samples).toEqual(Int16Array.from(samples, (_, at) => wave(at)));
      expect(samples.length).toBeGreaterThan(2 * RATE_HZ - BLOCK - size);
    },
  );

  it('both channels of 44.1 kHz arrive', () => {
    const { units, sound } = setup(format('l16', 44_100, 2));
    const payload = l16(0, 2 * 4_410, (at) => (at % 2 === 0 ? at : -at));
    sound.push(payload, 0, payload.length, 0);
    expect(sound.track).toMatchObject({ sampleRateHz: 44_100, channelCount: 2, samplesPerFrame: 1_792 });
    expect(ticksOf(units)).toEqual([0, 1_792]);
    const samples = decoded(units);
    expect(samples).toEqual(Int16Array.from(samples, (_, at) => (at % 2 === 0 ? at : -at)));
  });

  it('a lost packet is silent for as long as it was', () => {
    const { units, sound, push } = setup();
    for (let packet = 0; packet < 20; packet++) {
      if (packet === 9) sound.gap();
      else
        push(
          l16(packet * 160, 160, () => 1_000 + packet),
          packet * 160,
        );
    }
    expect(ticksOf(units)).toEqual(units.map((_, index) => index * BLOCK));
    const samples = decoded(units);
    for (let packet = 0; packet < 20; packet++)
      expect(samples[packet * 160 + 80]).toBe(packet === 9 ? 0 : 1_000 + packet);
  });

  it('a microphone that stops comes back at its time, and nothing is invented in between', () => {
    const { units, push } = setup();
    for (let at = 0; at < 400; at += 160) push(l16(at, 160, wave), at);
    for (let at = 80_000; at < 80_960; at += 160) push(l16(at, 160, wave), at);
    // The second block is completed with silence when the sound is back.
    expect(ticksOf(units)).toEqual([0, BLOCK, 80_000, 80_320, 80_640]);
  });

  it('samples for time that already has its samples are left out', () => {
    const { units, push } = setup();
    for (let at = 0; at < 1_600; at += 160) push(l16(at, 160, wave), at);
    // A second earlier: the camera repeats itself.
    for (let at = 800; at < 3_200; at += 160) push(l16(at, 160, wave), at);
    expect(ticksOf(units)).toEqual(units.map((_, index) => index * BLOCK));
    const samples = decoded(units);
    expect(samples).toEqual(Int16Array.from(samples, (_, at) => wave(at)));
  });

  it('uneven timestamps change nothing', () => {
    const { units, push } = setup();
    for (let packet = 0; packet < 500; packet++)
      push(l16(packet * 160, 160, wave), packet * 160 + (packet === 0 ? 0 : ((packet * 7_919) % 97) - 48));
    const samples = decoded(units);
    expect(ticksOf(units)).toEqual(units.map((_, index) => units[0]!.ticks + index * BLOCK));
    expect(samples).toEqual(Int16Array.from(samples, (_, at) => wave(at)));
  });

  it.each([300, -300])(
    'a clock that is off by %i ppm stays within 5 ms for 10 minutes, without a hole',
    (ppm) => {
      const { clock, units, push } = setup();
      const packets = 30_000;
      let worstMs = 0;
      for (let packet = 0; packet < packets; packet++) {
        // Every 10 s, a click marks a time in the camera's samples.
        const stamped = Math.round(packet * 160 * (1 + ppm / 1e6));
        push(
          l16(packet * 160, 160, (at) => (at % 80_000 === 40_000 ? 30_000 : 0)),
          stamped,
        );
        clock.advance(20);
      }
      expect(ticksOf(units)).toEqual(units.map((_, index) => index * BLOCK));
      const loud = units.filter(({ data }) => data.length > 20).map(({ ticks }) => ticks);
      expect(loud.length).toBe(60);
      loud.forEach((ticks, index) => {
        const saidTicks = (40_000 + index * 80_000) * (1 + ppm / 1e6);
        const early = ticks - saidTicks;
        const late = saidTicks - (ticks + BLOCK);
        worstMs = Math.max(worstMs, early / 8, late / 8);
      });
      expect(worstMs).toBeLessThan(5);
    },
  );

  it('does not encode more than a multiple of real time for a camera that invents timestamps', () => {
    const { clock, units, sound } = setup(format('g726-16'));
    const payload = Buffer.alloc(60_000, 0x5a);
    for (let packet = 0; packet < 50; packet++) sound.push(payload, 0, payload.length, packet * 240_000);
    expect(units.length * BLOCK).toBeLessThanOrEqual(16 * RATE_HZ);
    const { length } = units;
    clock.advance(1_000);
    sound.push(payload, 0, 1_000, 20_000_000);
    expect(units.length).toBeGreaterThan(length);
  });

  it('nothing comes out for time before the timeline, or after the end', async () => {
    const { units, sound, push } = setup();
    for (let at = -640; at < 640; at += 160) push(l16(at, 160, wave), at);
    expect(ticksOf(units)).toEqual([0, 320]);
    await sound.close();
    push(l16(640, 640, wave), 640);
    expect(units).toHaveLength(2);
  });

  it('any payloads at any times come out in order, in frames that decode', () => {
    const encodings = ['pcmu', 'pcma', 'l16', 'l8', 'g726-24', 'aal2-g726-40'];
    fc.assert(
      fc.property(
        fc.constantFrom(...encodings),
        fc.constantFrom(1, 2),
        fc.array(
          fc.record({
            bytes: fc.uint8Array({ maxLength: 3_000 }),
            stepTicks: fc.integer({ min: -9_000, max: 9_000 }),
            isGap: fc.boolean(),
          }),
          { maxLength: 30 },
        ),
        (encoding, channels, payloads) => {
          const { units, sound, push } = setup(format(encoding, RATE_HZ, channels));
          let ticks = 0;
          for (const { bytes, stepTicks, isGap } of payloads) {
            if (isGap) sound.gap();
            push(Buffer.from(bytes), ticks);
            ticks += stepTicks;
          }
          for (const [index, unit] of units.entries()) {
            expect(unit.data.readUInt16BE(0)).toBe(0xfff8);
            if (index > 0) expect(unit.ticks).toBeGreaterThanOrEqual(units[index - 1]!.ticks + BLOCK);
          }
        },
      ),
      randomRuns(500),
    );
  });
});
