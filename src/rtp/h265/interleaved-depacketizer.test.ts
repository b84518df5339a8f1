import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { SeededRandom } from '../../synthetic-camera/seeded-random.ts';
import { FRAME_TICKS, RecordingReceiver, rtpPacket, VIDEO_PT } from '../sample-stream-fixture.ts';
import { H265_TRACK, H265Camera, PPS, SETS, SPS, slice, VPS } from './h265-camera-fixture.ts';
import {
  accessUnitBlocks,
  aggregationPacket,
  fragmentPackets,
  interleavingFmtp,
  type NumberedNalu,
  type PacketBlock,
  shuffledWithin,
  singlePacket,
} from './interleaved-packets-fixture.ts';

const FMTP = new Map([
  ['sprop-max-don-diff', '2'],
  ['sprop-depack-buf-nalus', '2'],
  ['sprop-depack-buf-bytes', '100000'],
]);

const numbered = (firstDon: number, ...nalus: readonly Uint8Array[]): NumberedNalu[] =>
  nalus.map((nalu, index) => ({ nalu, absDon: firstDon + index }));
const single = (absDon: number, nalu: Uint8Array): Buffer => singlePacket({ nalu, absDon }).payloads[0]!;
/** VPS, SPS, PPS and the picture: four numbers. */
const key = (absDon: number, text: string): Buffer =>
  aggregationPacket(numbered(absDon, ...SETS, slice('idr', text))).payloads[0]!;
const plain = (absDon: number, text: string): Buffer => single(absDon, slice('reference', text));

describe('RFC 7798 §4.4, decoding order numbers', () => {
  it('are left out of single NAL units (§4.4.1), APs (§4.4.2) and FUs (§4.4.3), and wrap', () => {
    const fragmented = fragmentPackets({ nalu: slice('reference', 'bbbbbb'), absDon: 65_537 }, 8);
    expect(fragmented.payloads.length).toBeGreaterThan(1);
    const camera = new H265Camera(FMTP)
      .picture(0, [key(65_533, 'a')])
      .picture(1, [...fragmented.payloads])
      .picture(2, [plain(65_538, 'c')])
      .picture(3, [plain(65_539, 'd')]);
    camera.picture(4, [plain(65_540, 'e')]).picture(5, [plain(65_541, 'f')]);
    expect(camera.outcome).toEqual({ pictures: ['a', 'bbbbbb', 'c', 'd'], dropped: [] });
  });

  it('of an AP step by DOND + 1', () => {
    const [vps, sps, pps, idr] = [VPS, SPS, PPS, slice('idr', 'b')];
    const sets = [vps, sps, pps].map((nalu, index) => ({ nalu, absDon: 1_000 + index * 256 }));
    const fmtp = new Map([...FMTP, ['sprop-max-don-diff', '600']]);
    const camera = new H265Camera(fmtp).picture(0, [key(0, 'a')]).picture(1, [plain(100, 'skipped')]);
    // It is between the PPS and the SEI, both by their numbers alone.
    camera.picture(
      2,
      [single(1_600, Buffer.from([39 << 1, 1, 7])), ...aggregationPacket(sets).payloads],
      false,
    );
    camera
      .picture(2, [single(1_601, idr)])
      .picture(3, [plain(2_300, 'c')])
      .picture(4, [plain(4_000, 'd')]);
    expect(camera.outcome.pictures).toEqual(['(39)|b', 'c']);
  });
});

describe('RFC 7798 §6, pictures that come in another order', () => {
  it('leave in decoding order, each with its own time', () => {
    const camera = new H265Camera(FMTP).picture(0, [key(0, 'a')]);
    camera.picture(2, [plain(5, 'c')]).picture(1, [plain(4, 'b')]);
    camera.picture(4, [plain(7, 'e')]).picture(3, [plain(6, 'd')]);
    camera.picture(6, [plain(9, 'g')]).picture(5, [plain(8, 'f')]);
    camera.picture(8, [plain(11, 'i')]);
    expect(camera.outcome).toEqual({ pictures: ['a', 'b', 'c', 'd', 'e', 'f', 'g'], dropped: [] });
    const { units } = camera.recorder;
    expect(units.map(({ ptsTicks }) => ptsTicks - units[0]!.ptsTicks)).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((index) => index * FRAME_TICKS),
    );
  });

  it('may be mixed, slice by slice', () => {
    const camera = new H265Camera(FMTP).picture(0, [key(0, 'a')]);
    camera.picture(1, [plain(4, 'b1')], false).picture(2, [plain(6, 'c1')], false);
    camera.picture(1, [single(5, slice('reference', 'b2', false))]);
    camera.picture(2, [single(7, slice('reference', 'c2', false))]);
    camera
      .picture(3, [plain(8, 'd')])
      .picture(4, [plain(9, 'e')])
      .picture(5, [plain(10, 'f')]);
    expect(camera.outcome).toEqual({ pictures: ['a', 'b1|b2', 'c1|c2', 'd'], dropped: [] });
  });

  it('end with their last packet, wherever it is in decoding order', () => {
    const camera = new H265Camera(FMTP).picture(0, [key(0, 'a')]).picture(1, [plain(4, 'b')]);
    // Slices the other way round; the marker is on the first one.
    camera.picture(2, [single(6, slice('reference', 'c2', false)), plain(5, 'c1')]);
    camera.picture(3, [single(8, slice('reference', 'd2', false)), plain(7, 'd1')]);
    camera.picture(4, [plain(9, 'e')]).picture(5, [plain(10, 'f')]);
    expect(camera.outcome).toEqual({ pictures: ['a', 'b', 'c1|c2', 'd1|d2'], dropped: [] });
  });
});

describe('what cannot be read', () => {
  const CASES: readonly [title: string, payloads: readonly Buffer[], code: string][] = [
    ['half a header', [Buffer.from([2])], 'RTP_BAD_PAYLOAD'],
    ['half a DON', [Buffer.from([2, 1, 0])], 'RTP_BAD_PAYLOAD'],
    ['an AP of nothing', [Buffer.from([0x60, 1, 0, 5])], 'RTP_BAD_PAYLOAD'],
    [
      'an AP with a length beyond the packet',
      [Buffer.from([0x60, 1, 0, 5, 0, 9, 2, 1, 0xaf])],
      'RTP_BAD_PAYLOAD',
    ],
    ['a FU without its header', [Buffer.from([0x62, 1])], 'RTP_BAD_PAYLOAD'],
    ['a first fragment without its DON', [Buffer.from([0x62, 1, 0x81, 0])], 'RTP_BAD_PAYLOAD'],
    ['a first fragment of nothing', [Buffer.from([0x62, 1, 0x81, 0, 5])], 'RTP_BAD_PAYLOAD'],
    ['a FU without its beginning', [Buffer.from([0x62, 1, 0x41, 7])], 'RTP_PACKET_LOSS'],
    ['a FU without its end', [Buffer.from([0x62, 1, 0x81, 0, 5, 0xaf, 7])], 'RTP_BAD_PAYLOAD'],
    ['a PACI packet', [Buffer.from([50 << 1, 1, 0, 0, 1])], 'RTP_UNSUPPORTED_PAYLOAD'],
  ];

  it.each(CASES)('%s counts as lost, where a number is missing', (_title, payloads, code) => {
    const camera = new H265Camera(FMTP).picture(0, [key(0, 'a')]).picture(1, [plain(4, 'b')]);
    camera.picture(2, [plain(5, 'c')]).picture(3, [plain(6, 'd')]);
    camera
      .picture(4, payloads)
      .picture(5, [plain(8, 'f')])
      .picture(6, [plain(9, 'g')]);
    camera
      .picture(7, [key(10, 'h')])
      .picture(8, [plain(14, 'i')])
      .picture(9, [plain(15, 'j')]);
    camera.picture(10, [plain(16, 'k')]);
    expect(camera.outcome).toEqual({
      pictures: ['a', 'b', 'c', 'd', 'h', 'i'],
      dropped: [
        [code, 1],
        ['RTP_REFERENCE_LOST', 2],
      ],
    });
  });

  it('a type without a meaning is ignored, and so is an empty payload', () => {
    const camera = new H265Camera(FMTP).picture(0, [key(0, 'a')]).picture(1, [plain(4, 'b')]);
    camera.picture(1, [Buffer.from([63 << 1, 1, 7]), Buffer.alloc(0)], false);
    camera
      .picture(2, [plain(5, 'c')])
      .picture(3, [plain(6, 'd')])
      .picture(4, [plain(7, 'e')]);
    expect(camera.outcome).toEqual({ pictures: ['a', 'b'], dropped: [] });
  });

  it('a NAL unit that came too late costs its picture, and what refers to it', () => {
    const fmtp = new Map([...FMTP, ['sprop-max-don-diff', '10'], ['sprop-depack-buf-nalus', '1']]);
    const camera = new H265Camera(fmtp).picture(0, [key(0, 'a')]);
    for (let index = 1; index < 10; index++) camera.picture(index, [plain(3 + index, `${index}`)]);
    // Two that follow it come before it, although the description says that only one does.
    camera
      .picture(11, [plain(14, '11')])
      .picture(12, [plain(15, '12')])
      .picture(10, [plain(13, 'late')]);
    camera.picture(13, [plain(16, '13')]).picture(14, [key(17, 'k')]);
    camera
      .picture(15, [plain(21, 'l')])
      .picture(16, [plain(22, 'm')])
      .picture(17, [plain(23, 'n')]);
    const { pictures, dropped } = camera.outcome;
    expect(dropped).toEqual([
      ['RTP_DECODING_ORDER', 1],
      ['RTP_REFERENCE_LOST', 2],
    ]);
    expect(pictures.slice(9)).toEqual(['9', '11', 'k', 'l', 'm']);
  });

  it('whatever the payloads hold, nothing but NAL units of the base layer comes out', () => {
    const byte = fc.oneof(fc.constantFrom(0, 1, 2, 0x26, 0x2a, 0x60, 0x62, 0x80, 0x93), fc.nat(255));
    const payload = fc.array(byte, { maxLength: 40 }).map((bytes) => Buffer.from(bytes));
    const property = fc.property(fc.array(payload, { maxLength: 30 }), fc.nat(40), (payloads, diff) => {
      const fmtp = new Map([...withSets(FMTP), ['sprop-max-don-diff', String(diff + 1)]]);
      const camera = new H265Camera(fmtp).picture(0, [key(0, 'a')]).picture(1, payloads);
      for (const { data } of camera.recorder.units) {
        const bytes = Buffer.from(data);
        for (let at = 0; at < bytes.length; ) {
          const end = at + 4 + bytes.readUInt32BE(at);
          expect(end).toBeLessThanOrEqual(bytes.length);
          const type = (bytes[at + 4]! >> 1) & 0x3f;
          expect(type <= 9 || (type >= 16 && type <= 21) || [36, 39, 40].includes(type)).toBe(true);
          at = end;
        }
      }
    });
    fc.assert(property, randomRuns(1_000));
  });
});

function withSets(fmtp: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([
    ...fmtp,
    ['sprop-vps', VPS.toString('base64')],
    ['sprop-sps', SPS.toString('base64')],
    ['sprop-pps', PPS.toString('base64')],
  ]);
}

describe('a stream in a random order', () => {
  const GOP = 6;
  const PICTURES = 40;

  interface RandomStream {
    /** The text that each picture shows. */
    readonly texts: readonly string[];
    readonly fmtp: Map<string, string>;
    readonly packets: readonly Buffer[];
  }

  /** Pictures of one to three slices in single NAL units, APs and FUs, sent at most about `depth` places too early. */
  function randomStream(
    random: SeededRandom,
    depth: number,
    maxStep: number,
    isMarked: boolean,
  ): RandomStream {
    let absDon = Math.floor(random.next() * 65_536);
    const texts: string[] = [];
    const blocks: (PacketBlock & { readonly index: number })[] = [];
    for (let index = 0; index < PICTURES; index++) {
      const kind = index % GOP === 0 ? 'idr' : 'reference';
      const names = ['a', 'b', 'c'].slice(0, 1 + Math.floor(random.next() * 3));
      const slices = names.map((name) => `${index}${name}${'x'.repeat(Math.floor(random.next() * 40))}`);
      texts.push(slices.join('|'));
      const nalus = slices.map((text, at) => {
        absDon += 1 + Math.floor(random.next() * maxStep);
        return { nalu: slice(kind, text, at === 0), absDon };
      });
      for (const block of accessUnitBlocks(nalus, 40)) blocks.push({ ...block, index });
    }
    const sent = shuffledWithin(blocks, depth, () => random.next());
    const left = new Map<number, number>();
    for (const { index } of sent) left.set(index, (left.get(index) ?? 0) + 1);
    let sequence = 65_000;
    const packets = sent.flatMap(({ index, payloads }) => {
      left.set(index, left.get(index)! - 1);
      return payloads.map((payload, at) => {
        const isLast = isMarked && left.get(index) === 0 && at === payloads.length - 1;
        return rtpPacket(VIDEO_PT, sequence++ & 0xffff, index * FRAME_TICKS, payload, isLast);
      });
    });
    const fmtp = withSets(interleavingFmtp(sent.flatMap(({ absDons }) => absDons)));
    return { texts, fmtp, packets };
  }

  function receive({ fmtp }: RandomStream, packets: readonly Buffer[]) {
    const recorder = new RecordingReceiver({ tracks: [{ ...H265_TRACK, fmtp }] });
    recorder.feed(packets);
    return {
      pictures: recorder.units.map(({ data }) => textOf(Buffer.from(data))),
      dropped: recorder.dropped,
    };
  }

  const anyStream = fc.record({
    streamSeed: fc.nat(),
    depth: fc.nat(10),
    maxStep: fc.constantFrom(1, 1, 3),
    isMarked: fc.boolean(),
  });

  /** In order, each as it was sent, and none whose reference is missing. Returns their indexes. */
  function expectDecodable(pictures: readonly string[], { texts }: RandomStream): number[] {
    let before = -1;
    return pictures.map((text) => {
      const index = Number.parseInt(text, 10);
      expect(text).toBe(texts[index]);
      expect(index).toBeGreaterThan(before);
      if (index !== before + 1) expect(index % GOP).toBe(0);
      before = index;
      return index;
    });
  }

  it('comes out in decoding order, each picture as it was', () => {
    const property = fc.property(anyStream, ({ streamSeed, depth, maxStep, isMarked }) => {
      const stream = randomStream(new SeededRandom(streamSeed), depth, maxStep, isMarked);
      const { pictures, dropped } = receive(stream, stream.packets);
      const indexes = expectDecodable(pictures, stream);
      // With numbers left out, units sent before the first packet may be missing in the first frames.
      const isWholeFrom = maxStep === 1 ? 0 : 3 * GOP;
      const whole = indexes.filter((index) => index >= isWholeFrom);
      expect(whole).toEqual(whole.map((_, at) => isWholeFrom + at));
      expect(whole.length).toBeGreaterThan(PICTURES - isWholeFrom - 2 * GOP);
      if (maxStep === 1) expect(dropped).toEqual([]);
    });
    fc.assert(property, randomRuns(300));
  });

  it('with losses, has no damaged picture and none that refers to a lost one', () => {
    const property = fc.property(anyStream, ({ streamSeed, depth, maxStep, isMarked }) => {
      const random = new SeededRandom(streamSeed);
      const stream = randomStream(random, depth, maxStep, isMarked);
      const arrived = stream.packets.filter(() => random.next() >= 0.04);
      expectDecodable(receive(stream, arrived).pictures, stream);
    });
    fc.assert(property, randomRuns(300));
  });
});

/** Texts of the slices. */
function textOf(data: Buffer): string {
  const texts: string[] = [];
  for (let at = 0; at < data.length; ) {
    const end = at + 4 + data.readUInt32BE(at);
    texts.push(data.toString('latin1', at + 7, end));
    at = end;
  }
  return texts.join('|');
}
