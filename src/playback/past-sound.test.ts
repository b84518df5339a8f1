import { beforeEach, describe, expect, it } from 'vitest';
import { silentOpusPacket } from '../codec/opus/opus-packet.ts';
import { opusTrackOf } from '../codec/opus/opus-track.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { BoxWriter } from '../isobmff/box-writer.ts';
import { MDAT_HEADER_BYTES, mdatHeader, moof, moofBytes } from '../isobmff/fragment-boxes.ts';
import { writeInitSegment } from '../isobmff/init-segment.ts';
import { PastSound, parsePastSoundName } from './past-sound.ts';
import type { PastSegment, PastTimeline } from './past-timeline.ts';

const START_MS = 1_700_000_000_000;
const PACKET_TICKS = 960;
const HZ = 48_000;
const SILENCE = Buffer.from(silentOpusPacket(PACKET_TICKS, 1)!);
/** Says nothing else than which one it is. */
const packetOf = (index: number) => Buffer.of(0xf8, 0xff, index);

/** Packets `index` on, 20 ms each, as a fragment. */
function fragment(index: number, count: number): Buffer {
  const data = Array.from({ length: count }, (_, at) => packetOf(index + at));
  const dataBytes = data.reduce((sum, { length }) => sum + length, 0);
  const samples = {
    sizesBytes: Uint32Array.from(data, ({ length }) => length),
    durationsTicks: new Uint32Array(count).fill(PACKET_TICKS),
    compositionOffsetsTicks: new Uint32Array(count),
    keys: new Uint8Array(count).fill(1),
  };
  const run = { trackId: 1, startTicks: index * PACKET_TICKS, samples, sampleCount: count, dataBytes };
  const writer = new BoxWriter(Buffer.alloc(moofBytes([run]) + MDAT_HEADER_BYTES + dataBytes));
  moof(writer, 1, [run]);
  mdatHeader(writer, dataBytes);
  for (const each of data) writer.put(each);
  return writer.bytes;
}

interface Recorded {
  readonly index: number;
  readonly count: number;
}

let segments: Recorded[];
let released: number;
let hasTrack: boolean;

beforeEach(() => {
  [segments, released, hasTrack] = [[], 0, true];
});

/** What is heard in a piece of a range of five seconds: the indexes of packets, and `-` for silence. */
async function heard(number: number, shown = [{ fromMs: 0, toMs: Number.POSITIVE_INFINITY }]) {
  const sound = new PastSound({
    playback: {
      init: async () => (hasTrack ? writeInitSegment([opusTrackOf(1, 0)]) : null),
      segment: async ({ number: at }) => {
        const { index, count } = segments[at - 1]!;
        return { bytes: fragment(index, count), release: () => void released++ };
      },
    },
    encoderOf: () => null,
    clock: new FakeClock(),
  });
  const run = { number: 1 };
  const timeline = {
    range: { fromMs: START_MS, toMs: START_MS + 5_000 },
    camera: { recordedUuid: newRuuid() },
    segments: segments.map(({ index, count }, at) => {
      const ticks = {
        startTicks: index * PACKET_TICKS,
        durationTicks: count * PACKET_TICKS,
        timescaleHz: HZ,
      };
      return { number: at + 1, run, media: { epochMs: START_MS + index * 20, ...ticks } } as PastSegment;
    }),
  } as unknown as PastTimeline;
  const piece = await sound.piece(timeline, shown, number);
  if (piece === null) return null;
  const packets: string[] = [];
  for (let at = 8; at < piece.length; ) {
    const end = at + 2 + piece.readUInt16BE(at);
    const packet = piece.subarray(at + 2, end);
    packets.push(packet.equals(SILENCE) ? '-' : String(packet[2]));
    at = end;
  }
  return { startMs: Number(piece.readBigUInt64BE()) - START_MS, packets };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => String(from + at));
const silence = (count: number) => Array.from({ length: count }, () => '-');

describe('PastSound', () => {
  it('cuts the recorded packets into pieces of two seconds, the last one shorter', async () => {
    segments = [
      { index: 0, count: 120 },
      { index: 120, count: 130 },
    ];
    expect(await heard(1)).toEqual({ startMs: 0, packets: numbers(0, 100) });
    expect(await heard(2)).toEqual({ startMs: 2_000, packets: numbers(100, 200) });
    expect(await heard(3)).toEqual({ startMs: 4_000, packets: numbers(200, 250) });
    expect(await heard(4)).toBeNull();
    expect(released).toBe(4);
  });

  it('has silence where nothing was recorded', async () => {
    segments = [
      { index: 10, count: 20 },
      { index: 50, count: 50 },
    ];
    const packets = [...silence(10), ...numbers(10, 30), ...silence(20), ...numbers(50, 100)];
    expect(await heard(1)).toEqual({ startMs: 0, packets });
    expect(await heard(2)).toBeNull();
  });

  it('has nothing of what is not shown, and of recordings without sound', async () => {
    segments = [{ index: 0, count: 100 }];
    expect(await heard(1, [{ fromMs: START_MS + 1, toMs: START_MS + 9_000 }])).toBeNull();
    hasTrack = false;
    expect(await heard(1)).toBeNull();
  });
});

it.each([
  ['seg_1.mpd', 1],
  ['seg_120.mpd', 120],
  ['seg_0.mpd', null],
  ['seg_01.mpd', null],
  ['seg_1.m4v', null],
  ['file.mpd', null],
])('parsePastSoundName: %s', (name, number) => {
  expect(parsePastSoundName(name)).toBe(number);
});
