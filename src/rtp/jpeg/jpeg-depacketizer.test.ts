import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import type { JpegPicture } from '../../codec/jpeg/baseline-jpeg.ts';
import { MAX_FRAME_BYTES } from '../frame-scratch.ts';
import { RtpPacket } from '../rtp-packet.ts';
import { JpegDepacketizer } from './jpeg-depacketizer.ts';
import { type JpegPayloadOptions, jpegPayloads, type ReadJpeg, readJpeg } from './jpeg-packetizer-fixture.ts';

const FRAME_TICKS = 3_600;
/** The packets that GStreamer 1.26's `rtpjpegpay` sent of two pictures by `jpegenc`, and the pictures. */
const GSTREAMER: Record<string, { jpegs: string[]; packets: string[] }> = JSON.parse(
  readFileSync(resolve(import.meta.dirname, 'fixtures/gstreamer_rtpjpegpay.json'), 'utf8'),
);

class Recorder {
  readonly pictures: (JpegPicture & { rtpTimestamp: number })[] = [];
  readonly dropped: string[] = [];
  readonly receiver: JpegDepacketizer;
  readonly #isMarking: boolean;

  constructor(describedSize: { widthPx: number; heightPx: number } | null = null, isMarking = true) {
    this.#isMarking = isMarking;
    this.receiver = new JpegDepacketizer(
      {
        onJpeg: (picture, rtpTimestamp) => this.pictures.push({ ...picture, rtpTimestamp }),
        onDropped: (frames, code) => this.dropped.push(...Array.from({ length: frames }, () => code)),
      },
      describedSize,
    );
  }

  /** `lost`: indexes of packets that did not come. */
  picture(number: number, payloads: readonly Buffer[], lost: readonly number[] = []): this {
    payloads.forEach((payload, index) => {
      if (lost.includes(index)) this.receiver.gap();
      else {
        const isMarked = this.#isMarking && index === payloads.length - 1;
        this.receiver.push(payload, 0, payload.length, number * FRAME_TICKS, isMarked, number);
      }
    });
    return this;
  }

  get outcome(): [pictures: number[], dropped: string[]] {
    return [this.pictures.map(({ rtpTimestamp }) => rtpTimestamp / FRAME_TICKS), this.dropped];
  }
}

const fixture = (name: string): Buffer => readFileSync(resolve(import.meta.dirname, 'fixtures', name));
/** 4:2:0 by ffmpeg 5.1 (`-huffman default`), without and with restart markers (`-slices 4`). GStreamer's have 4:2:2. */
const files = { '420': fixture('ffmpeg_420.jpg'), restarts: fixture('ffmpeg_restarts.jpg') };
const jpegs: Record<keyof typeof files, ReadJpeg> = {
  '420': readJpeg(files['420']),
  restarts: readJpeg(files.restarts),
};

const payloadsOf = (options: Partial<JpegPayloadOptions> = {}) =>
  jpegPayloads(jpegs['420'], { q: 255, ...options });
const pixelsOf = (jpeg: Buffer): Promise<Buffer> => sharp(jpeg, { failOn: 'warning' }).raw().toBuffer();

describe('JPEG as RFC 2435 packetizes it', () => {
  it.each(['420', 'restarts'] as const)('becomes a file with the same pixels (%s)', async (kind) => {
    expect(jpegs.restarts.restartInterval).toBeGreaterThan(0);
    const recorder = new Recorder().picture(0, jpegPayloads(jpegs[kind], { q: 255 }));
    expect(recorder.outcome).toEqual([[0], []]);
    const [picture] = recorder.pictures;
    expect(picture).toMatchObject({ widthPx: 96, heightPx: 64 });
    expect((await pixelsOf(picture!.bytes)).equals(await pixelsOf(files[kind]))).toBe(true);
  });

  it.each(Object.keys(GSTREAMER))('by GStreamer (%s)', async (kind) => {
    const { jpegs: originals, packets } = GSTREAMER[kind]!;
    const recorder = new Recorder();
    const packet = new RtpPacket();
    for (const bytes of packets.map((text) => Buffer.from(text, 'base64'))) {
      expect(packet.read(bytes, 0, bytes.length)).toBe(true);
      const { payloadStart, payloadEnd, rtpTimestamp, isMarked } = packet;
      recorder.receiver.push(bytes, payloadStart, payloadEnd, rtpTimestamp, isMarked, 0);
    }
    expect(recorder.dropped).toEqual([]);
    expect(recorder.pictures).toHaveLength(originals.length);
    for (const [index, text] of originals.entries()) {
      const original = Buffer.from(text, 'base64');
      const { bytes } = recorder.pictures[index]!;
      expect(readJpeg(bytes).scan.equals(readJpeg(original).scan)).toBe(true);
      expect((await pixelsOf(bytes)).equals(await pixelsOf(original))).toBe(true);
    }
  });

  /** RFC 2435 appendix A, coded order: the first eight of each table. */
  it.each([
    [1, [255, 255, 255, 255, 255, 255, 255, 255], [255, 255, 255, 255, 255, 255, 255, 255]],
    [25, [32, 22, 24, 28, 24, 20, 32, 28], [34, 36, 36, 48, 42, 48, 94, 52]],
    [50, [16, 11, 12, 14, 12, 10, 16, 14], [17, 18, 18, 24, 21, 24, 47, 26]],
    [75, [8, 6, 6, 7, 6, 5, 8, 7], [9, 9, 9, 12, 11, 12, 24, 13]],
    [99, [1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1]],
  ])('with the tables of Q %i', (q, luminance, chrominance) => {
    const recorder = new Recorder().picture(0, payloadsOf({ q }));
    const { quantizers } = readJpeg(recorder.pictures[0]!.bytes);
    expect([...quantizers.subarray(0, 8)]).toEqual(luminance);
    expect([...quantizers.subarray(64, 72)]).toEqual(chrominance);
  });

  it('with tables that are sent once, for each Q from 128 to 254', () => {
    const none = Buffer.alloc(0);
    const recorder = new Recorder()
      .picture(0, payloadsOf({ q: 200, tables: none }))
      .picture(1, payloadsOf({ q: 200, tables: Buffer.alloc(128, 7) }))
      .picture(2, payloadsOf({ q: 200, tables: none }))
      .picture(3, payloadsOf({ q: 201, tables: none }));
    expect(recorder.outcome).toEqual([
      [1, 2],
      ['RTP_BAD_PAYLOAD', 'RTP_BAD_PAYLOAD'],
    ]);
    for (const { bytes } of recorder.pictures) {
      expect([...new Set(readJpeg(bytes).quantizers)]).toEqual([7]);
    }
  });

  it('with Q 255, whose tables are never those of another picture', () => {
    const recorder = new Recorder()
      .picture(0, payloadsOf())
      .picture(1, payloadsOf({ tables: Buffer.alloc(0) }));
    expect(recorder.outcome).toEqual([[0], ['RTP_BAD_PAYLOAD']]);
  });

  it('with one table for everything', () => {
    const recorder = new Recorder().picture(0, payloadsOf({ tables: Buffer.alloc(64, 9) }));
    expect([...new Set(readJpeg(recorder.pictures[0]!.bytes).quantizers)]).toEqual([9]);
  });

  it.each([
    ['a reserved Q', { q: 0 }],
    ['a Q without a meaning', { q: 100 }],
    ['tables that are cut off', { q: 255, tables: Buffer.alloc(63, 1) }],
    ['a table with a zero', { q: 255, tables: Buffer.alloc(128, 0) }],
  ] as const)('%s: the picture is dropped', (_what, options) => {
    expect(new Recorder().picture(0, payloadsOf(options)).outcome).toEqual([[], ['RTP_BAD_PAYLOAD']]);
  });

  it('without a marker: the next picture ends it', () => {
    const recorder = new Recorder(null, false);
    for (const number of [0, 1, 2]) recorder.picture(number, payloadsOf());
    expect(recorder.outcome).toEqual([[0, 1], []]);
  });

  it('with an EOI and padding behind the blocks', () => {
    const scan = Buffer.concat([jpegs['420'].scan, Buffer.from([0xff, 0xd9, 0, 0])]);
    const recorder = new Recorder().picture(0, jpegPayloads({ ...jpegs['420'], scan }, { q: 255 }));
    expect(readJpeg(recorder.pictures[0]!.bytes).scan.equals(jpegs['420'].scan)).toBe(true);
  });

  it('of more than 2,040 pixels, as the description says', () => {
    const described = { widthPx: 2_592, heightPx: 1_944 };
    const payloads = payloadsOf({ sizeInBlocks: [0, 0] });
    expect(new Recorder(described).picture(0, payloads).pictures[0]).toMatchObject(described);
    expect(new Recorder().picture(0, payloads).outcome).toEqual([[], ['RTP_UNSUPPORTED_PAYLOAD']]);
  });

  it('of more than 2,040 pixels, as ONVIF says it in a header extension', () => {
    const dri = [0xff, 0xdd, 0, 4, 0, 0];
    const sof = [0xff, 0xc0, 0, 17, 8, 0x07, 0x98, 0x0a, 0x20, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1];
    const segments = [...dri, ...sof, 0xff, 0xff, 0xff];
    const extension = Buffer.from([0xff, 0xd8, 0, segments.length / 4, ...segments]);
    const recorder = new Recorder();
    recorder.receiver.extension(extension, 0, extension.length);
    recorder.picture(0, payloadsOf({ sizeInBlocks: [0, 0] }));
    expect(recorder.pictures[0]).toMatchObject({ widthPx: 2_592, heightPx: 1_944 });
    // It is of that picture alone.
    recorder.picture(1, payloadsOf());
    expect(recorder.pictures[1]).toMatchObject({ widthPx: 96, heightPx: 64 });
    for (let bytes = 0; bytes < extension.length; bytes++) recorder.receiver.extension(extension, 0, bytes);
    expect(recorder.outcome).toEqual([[0, 1], []]);
  });

  it('of interlaced pictures the first fields are shown', () => {
    const recorder = new Recorder()
      .picture(0, payloadsOf({ typeSpecific: 1 }))
      .picture(1, payloadsOf({ typeSpecific: 2 }))
      .picture(2, payloadsOf({ typeSpecific: 1 }));
    expect(recorder.outcome).toEqual([[0, 2], []]);
  });
});

describe('lost packets of JPEG', () => {
  it('cost their picture and no other, wherever they are missing', () => {
    const payloads = payloadsOf();
    expect(payloads.length).toBeGreaterThan(4);
    for (const at of payloads.keys()) {
      const recorder = new Recorder().picture(0, payloads).picture(1, payloads, [at]).picture(2, payloads);
      expect(recorder.outcome, `packet ${at}`).toEqual([[0, 2], ['RTP_PACKET_LOSS']]);
    }
  });

  it('from one picture to the next cost both', () => {
    const payloads = payloadsOf();
    const recorder = new Recorder()
      .picture(0, payloads, [payloads.length - 1])
      .picture(1, payloads, [0])
      .picture(2, payloads);
    expect(recorder.outcome).toEqual([[2], ['RTP_PACKET_LOSS', 'RTP_PACKET_LOSS']]);
  });
});

describe('what a hostile camera sends instead of blocks', () => {
  it.each([
    ['another picture', [0xff, 0xd8, 0xff, 0xe0]],
    ['a comment', [0xff, 0xfe, 0, 4, 0x3c, 0x21]],
    ['restart markers that no header announces', [0xff, 0xd0]],
    ['a marker without an end', [1, 0xff]],
  ])('%s: the picture is dropped', (_what, bytes) => {
    const scan = Buffer.concat([jpegs['420'].scan.subarray(0, 40), Buffer.from(bytes)]);
    const recorder = new Recorder().picture(0, jpegPayloads({ ...jpegs['420'], scan }, { q: 255 }));
    expect(recorder.outcome).toEqual([[], ['RTP_BAD_PAYLOAD']]);
  });

  it('nothing: the picture is dropped', () => {
    const [first] = payloadsOf();
    const head = first!.subarray(0, 8 + 4 + 128);
    expect(new Recorder().picture(0, [head]).outcome).toEqual([[], ['RTP_BAD_PAYLOAD']]);
  });

  it('a picture without end costs it, and a bounded amount of memory', () => {
    const scan = Buffer.alloc(MAX_FRAME_BYTES + 1, 1);
    const recorder = new Recorder().picture(
      0,
      jpegPayloads({ ...jpegs['420'], scan }, { q: 50, scanBytes: 60_000 }),
    );
    expect(recorder.outcome).toEqual([[], ['RTP_FRAME_TOO_LARGE']]);
    expect(recorder.picture(1, payloadsOf()).outcome[0]).toEqual([1]);
  });

  it('never throws, and what comes out has one header and one end, both ours', () => {
    const valid = [
      ...payloadsOf({ scanBytes: 300 }),
      ...jpegPayloads(jpegs.restarts, { q: 255, scanBytes: 300 }),
    ];
    const step = fc.record({
      index: fc.nat(valid.length - 1),
      flips: fc.array(fc.tuple(fc.nat(400), fc.oneof(fc.constantFrom(0, 0xd8, 0xd9, 0xff), fc.nat(255))), {
        maxLength: 3,
      }),
      cutBytes: fc.oneof(fc.constant(0), fc.nat(300)),
      isNew: fc.boolean(),
      isMarked: fc.boolean(),
      isAfterGap: fc.boolean(),
    });
    const property = fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const recorder = new Recorder();
      let timestamp = 0;
      for (const { index, flips, cutBytes, isNew, isMarked, isAfterGap } of steps) {
        const payload = Buffer.from(valid[index]!);
        for (const [at, value] of flips) payload[at % payload.length] = value;
        const sent = Buffer.from(payload);
        if (isNew) timestamp += FRAME_TICKS;
        if (isAfterGap) recorder.receiver.gap();
        recorder.receiver.push(payload, 0, Math.max(0, payload.length - cutBytes), timestamp, isMarked, 0);
        expect(payload.equals(sent)).toBe(true);
      }
      for (const { bytes } of recorder.pictures) {
        const { scan, restartInterval } = readJpeg(bytes);
        const markers = [...scan.keys()].filter((at) => scan[at] === 0xff).map((at) => scan[at + 1]!);
        const isAllowed = (next: number) =>
          next === 0 || (restartInterval > 0 && next >= 0xd0 && next <= 0xd7);
        expect(markers.every(isAllowed)).toBe(true);
        expect(bytes.subarray(-2).toString('hex')).toBe('ffd9');
      }
    });
    fc.assert(property, randomRuns(2_000));
  });
});
