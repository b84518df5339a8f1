/** Real H.265 with lost packets, judged by ffmpeg's decoder, which reports everything it conceals. */

import { beforeAll, describe, expect, it } from 'vitest';
import { type DecodedVideo, decodeNalus, decodeReceived } from '../../../test/support/decoded-video.ts';
import {
  encodeH265,
  h265Packets,
  interleavedH265Packets,
  shownAt,
} from '../../../test/support/h265-streams.ts';
import type { AnnexBAccessUnit } from '../../codec/byte-stream.ts';
import { isRasl, isVcl, NAL_CRA, nalHeader, nalType } from '../../codec/h265/nal-unit.ts';
import { PacketLoss } from '../../synthetic-camera/packet-loss.ts';
import { FRAME_TICKS, RecordingReceiver } from '../sample-stream-fixture.ts';
import { H265_TRACK } from './h265-camera-fixture.ts';

const GOP = 20;
const PICTURES = 4 * GOP;

/** Typical camera streams, and what other encoders do. */
const ENCODERS: Record<string, string> = {
  'P only': 'bframes=0:no-open-gop=1',
  'four slices': 'bframes=0:no-open-gop=1:slices=4',
  'three references': 'bframes=0:no-open-gop=1:ref=3',
  'B-frames': 'bframes=3:b-pyramid=1:no-open-gop=1',
  'open groups of pictures': 'bframes=3:b-pyramid=1:open-gop=1',
  'temporal layers': 'bframes=3:b-pyramid=1:no-open-gop=1:temporal-layers=1',
};

interface Stream {
  readonly units: readonly AnnexBAccessUnit[];
  readonly shown: readonly number[];
  readonly original: DecodedVideo;
}

const streams = new Map<string, Stream>();

beforeAll(() => {
  for (const [name, x265] of Object.entries(ENCODERS)) {
    const units = encodeH265(PICTURES, GOP, x265);
    const original = decodeNalus(
      'h265',
      units.flatMap(({ nalus }) => nalus),
    );
    expect(original.complaints).toBe('');
    expect(original.luma).toHaveLength(PICTURES);
    streams.set(name, { units, shown: shownAt(units, GOP), original });
  }
}, 120_000);

function receive(pictures: readonly (readonly Buffer[])[]): RecordingReceiver {
  const recorder = new RecordingReceiver({ tracks: [H265_TRACK] });
  for (const [index, packets] of pictures.entries()) recorder.feed(packets, index * 40);
  return recorder;
}

/** Which pictures came out, as numbers in the order in which they are shown. `first`: the number of the first one. */
function numbersOf(recorder: RecordingReceiver, first: number): number[] {
  const start = recorder.units[0]!.ptsTicks;
  return recorder.units.map(({ ptsTicks }) => first + (ptsTicks - start) / FRAME_TICKS).sort((a, b) => a - b);
}

/** Everything that came out is as it was sent. */
function expectOriginals(recorder: RecordingReceiver, { original }: Stream, first: number): void {
  const decoded = decodeReceived(recorder);
  const numbers = numbersOf(recorder, first);
  expect(decoded.complaints).toBe('');
  expect(decoded.luma).toHaveLength(numbers.length);
  for (const [at, number] of numbers.entries()) {
    expect(decoded.luma[at]!.equals(original.luma[number]!), `picture ${number}`).toBe(true);
  }
}

function typeOf({ nalus }: AnnexBAccessUnit): number {
  return nalus.map((nalu) => nalType(nalHeader(nalu))).find(isVcl)!;
}

describe.each(Object.keys(ENCODERS))('H265Receiver: %s', (name) => {
  it('passes on every picture at its time', () => {
    const stream = streams.get(name)!;
    const recorder = receive(h265Packets(stream.units, stream.shown));
    // The marker of the first picture is not trusted yet, and the last picture ends with its marker.
    expect(recorder.dropped).toEqual([]);
    expect(recorder.units).toHaveLength(PICTURES);
    expect(recorder.units.every(({ dtsTicks, ptsTicks }) => dtsTicks <= ptsTicks)).toBe(true);
    expectOriginals(recorder, stream, 0);
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'passes on nothing that refers to what was lost at random (seed %i)',
    (seed) => {
      const stream = streams.get(name)!;
      const loss = new PacketLoss({ share: 0.01, seed });
      const packets = h265Packets(stream.units, stream.shown);
      const sent = packets.map((picture, index) =>
        index === 0 ? picture : picture.filter(() => !loss.takesNext()),
      );
      const recorder = receive(sent);
      const lost = packets.flat().length - sent.flat().length;
      if (lost > 0) expect(recorder.dropped).not.toEqual([]);
      expectOriginals(recorder, stream, 0);
    },
  );
});

describe('H265Receiver, NAL units in another order than that of decoding', () => {
  const DEPTH = 12;
  /** The first key frame, and more. */
  const SPARED_PACKETS = 100;

  /** `share`: of the packets that are lost. */
  function receiveInterleaved(name: string, seed: number, share: number) {
    const stream = streams.get(name)!;
    const { packets, fmtp } = interleavedH265Packets(stream.units, stream.shown, DEPTH, seed);
    const loss = new PacketLoss({ share, seed });
    const arrived = packets.filter((_, index) => index < SPARED_PACKETS || !loss.takesNext());
    const recorder = new RecordingReceiver({ tracks: [{ ...H265_TRACK, fmtp }] });
    recorder.feed(arrived);
    return { stream, recorder, lost: packets.length - arrived.length };
  }

  it.each(Object.keys(ENCODERS))('passes on every picture of %s in decoding order', (name) => {
    const { stream, recorder } = receiveInterleaved(name, 1, 0);
    expect(recorder.dropped).toEqual([]);
    expect(recorder.units.length).toBeGreaterThan(PICTURES - DEPTH - 4);
    expectOriginals(recorder, stream, 0);
  });

  it.each([1, 2, 3, 4])('passes on nothing that refers to what was lost (seed %i)', (seed) => {
    const { stream, recorder, lost } = receiveInterleaved('three references', seed, 0.02);
    expect(lost).toBeGreaterThan(0);
    expect(recorder.dropped).not.toEqual([]);
    expectOriginals(recorder, stream, 0);
  });
});

describe('H265Receiver', () => {
  it('joins at a CRA picture, and leaves out the pictures that refer to what was before it', () => {
    const stream = streams.get('open groups of pictures')!;
    const at = stream.units.findIndex((unit, index) => index > 0 && typeOf(unit) === NAL_CRA);
    const rasl = stream.units.slice(at).findIndex((unit, index) => index > 0 && !isRasl(typeOf(unit))) - 1;
    expect(rasl).toBeGreaterThan(0);
    const recorder = receive(h265Packets(stream.units, stream.shown).slice(at));
    expect(recorder.dropped).toEqual([['RTP_JOINING', rasl]]);
    expectOriginals(recorder, stream, stream.shown[at]!);
  });

  it('does not need a key frame after the loss of a picture that none refers to', () => {
    const stream = streams.get('B-frames')!;
    const isDisposable = (unit: AnnexBAccessUnit) => typeOf(unit) === 0;
    const at = stream.units.findIndex((unit, index) => index > 4 && isDisposable(unit));
    const packets = h265Packets(stream.units, stream.shown);
    packets[at]!.splice(packets[at]!.length > 1 ? 1 : 0, 1);
    const recorder = receive(packets);
    if (packets[at]!.length > 0) {
      expect(recorder.dropped).toEqual([['RTP_PACKET_LOSS', 1]]);
      expect(recorder.units).toHaveLength(PICTURES - 1);
    }
    expectOriginals(recorder, stream, 0);
  });
});
