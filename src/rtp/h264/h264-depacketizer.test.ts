import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { AccessUnitAssembler } from '../access-unit-assembler.ts';
import {
  FRAME_TICKS,
  RecordingReceiver,
  rtpPacket,
  SAMPLE_PPS,
  SAMPLE_SPS,
  slice,
  VIDEO_PT,
  VIDEO_TRACK_WITHOUT_SETS,
} from '../sample-stream-fixture.ts';
import { H264Depacketizer } from './h264-depacketizer.ts';
import { packetizeH264 } from './h264-packetizer.ts';
import { H264_SYNTAX } from './h264-syntax.ts';

const FU_A = 28;
const FU_START = 0x80;
const FU_END = 0x40;

/** A camera without parameter sets in its description, fed one payload per packet. */
class Camera {
  readonly recorder = new RecordingReceiver({ tracks: [VIDEO_TRACK_WITHOUT_SETS] });
  #sequence = 100;

  /** The last payload is marked. */
  picture(index: number, payloads: readonly Uint8Array[], isMarked = true): this {
    payloads.forEach((payload, piece) => {
      const isLast = isMarked && piece === payloads.length - 1;
      const packet = rtpPacket(VIDEO_PT, this.#sequence++, index * FRAME_TICKS, payload, isLast);
      const before = Buffer.from(packet);
      this.recorder.feed([packet]);
      expect(packet).toEqual(before);
    });
    return this;
  }

  /** A whole picture of the usual kind, which releases the one before it. */
  plain(index: number, text: string): this {
    return this.picture(index, [slice('reference', text)]);
  }

  get pictures(): string[] {
    return this.recorder.pictures;
  }
}

/** The output and the dropped pictures, without joining. */
function outcome({ recorder }: Camera) {
  return { pictures: recorder.pictures, dropped: recorder.dropped };
}

function stapA(...nalus: readonly Uint8Array[]): Buffer {
  const parts = nalus.flatMap((nalu) => [Buffer.from([nalu.length >> 8, nalu.length & 0xff]), nalu]);
  return Buffer.concat([Buffer.from([0x78]), ...parts]);
}

/** FU-A payloads of `nalu`, cut at the given offsets after its header. */
function fragments(nalu: Uint8Array, ...cuts: number[]): Buffer[] {
  const bounds = [1, ...cuts, nalu.length];
  return bounds.slice(1).map((end, piece) => {
    const bits = (piece === 0 ? FU_START : 0) | (piece === bounds.length - 2 ? FU_END : 0);
    const head = [(nalu[0]! & 0xe0) | FU_A, (nalu[0]! & 0x1f) | bits];
    return Buffer.concat([Buffer.from(head), nalu.subarray(bounds[piece], end)]);
  });
}

const LONG_CODE = Buffer.from([0, 0, 0, 1]);
const SHORT_CODE = Buffer.from([0, 0, 1]);

describe('H.264 as cameras packetize it', () => {
  it('STAP-A padded with zeros (gortsplib TestDecodeSTAPAWithPadding)', () => {
    for (const paddingBytes of [1, 2, 3, 4, 19]) {
      const key = stapA(SAMPLE_SPS, SAMPLE_PPS, slice('idr', 'a'));
      const camera = new Camera().picture(0, [Buffer.concat([key, Buffer.alloc(paddingBytes)])]);
      expect(outcome(camera.plain(1, 'b').plain(2, 'c'))).toEqual({ pictures: ['a', 'b', 'c'], dropped: [] });
    }
  });

  it.each([
    ['a length beyond the packet', Buffer.from([0x78, 0, 9, 0x65, 0x88])],
    [
      'a length of 0 before more',
      Buffer.concat([stapA(slice('idr', 'a')), Buffer.from([0, 0, 0, 2, 0x41, 0x9a])]),
    ],
    ['nothing but zeros', Buffer.from([0x78, 0, 0, 0, 0])],
    ['nothing', Buffer.from([0x78])],
  ])('STAP-A with %s is not a picture', (_title, payload) => {
    const camera = new Camera().picture(0, [stapA(SAMPLE_SPS, SAMPLE_PPS, slice('idr', 'a'))]).plain(1, 'b');
    camera.picture(2, [payload]).plain(3, 'd');
    expect(outcome(camera)).toEqual({
      pictures: ['a', 'b'],
      dropped: [
        ['RTP_BAD_PAYLOAD', 1],
        ['RTP_REFERENCE_LOST', 1],
      ],
    });
  });

  it('start codes between the NAL units of one packet (gortsplib issue 199)', () => {
    const key = [SAMPLE_SPS, SHORT_CODE, SAMPLE_PPS, LONG_CODE, slice('idr', 'a')];
    const camera = new Camera()
      .picture(0, [Buffer.concat(key)])
      .plain(1, 'b')
      .plain(2, 'c');
    expect(outcome(camera)).toEqual({ pictures: ['a', 'b', 'c'], dropped: [] });
  });

  it('start codes before every NAL unit of a packet (gortsplib TestDecodeAnnexB)', () => {
    const nalus = [SAMPLE_SPS, SAMPLE_PPS, slice('idr', 'a'), slice('idr', 'b', false)];
    const stream = Buffer.concat(nalus.flatMap((nalu) => [LONG_CODE, nalu]));
    const camera = new Camera().picture(0, [stream]).plain(1, 'b').plain(2, 'c');
    expect(outcome(camera)).toEqual({ pictures: ['a|b', 'b', 'c'], dropped: [] });
  });

  it('several NAL units in one FU-A, cut anywhere (V380, retina issue 68; an NVR, gortsplib 989)', () => {
    const key = [SAMPLE_SPS, LONG_CODE, SAMPLE_PPS, SHORT_CODE, slice('idr', 'a\0\0b')];
    const stream = Buffer.concat([...key, Buffer.from([0])]);
    for (let first = 2; first < stream.length; first++) {
      for (const second of [first, first + 1, first + 2, first + 3]) {
        if (second >= stream.length) continue;
        const camera = new Camera()
          .picture(0, fragments(stream, first, second))
          .plain(1, 'b')
          .plain(2, 'c');
        expect(outcome(camera)).toEqual({ pictures: ['a\0\0b', 'b', 'c'], dropped: [] });
      }
    }
  });

  it('an FU-A that takes the first byte of a start code for the NAL header (Amatek, gortsplib 989)', () => {
    for (const code of [SHORT_CODE, LONG_CODE]) {
      const key = [code, SAMPLE_SPS, SHORT_CODE, SAMPLE_PPS, SHORT_CODE, slice('idr', 'a')];
      const camera = new Camera()
        .picture(0, fragments(Buffer.concat(key), 20))
        .plain(1, 'b')
        .plain(2, 'c');
      expect(outcome(camera)).toEqual({ pictures: ['a', 'b', 'c'], dropped: [] });
    }
  });

  it('slices with start codes between them in one FU-A', () => {
    const slices = [slice('reference', 'c1'), SHORT_CODE, slice('reference', 'c2', false)];
    const camera = new Camera().picture(0, [stapA(SAMPLE_SPS, SAMPLE_PPS, slice('idr', 'a'))]).plain(1, 'b');
    camera.picture(2, fragments(Buffer.concat(slices), 4)).plain(3, 'd');
    expect(outcome(camera)).toEqual({ pictures: ['a', 'b', 'c1|c2', 'd'], dropped: [] });
  });

  it('a start code within the payload of an SEI stays in the SEI (ONVIF Media Signing, gortsplib 1157)', () => {
    const sei = Buffer.from([0x06, 0x05, 6, 0xaa, 0, 0, 1, 0x65, 0x88, 0x80]);
    const key = [SAMPLE_SPS, SHORT_CODE, SAMPLE_PPS, SHORT_CODE, sei, SHORT_CODE, slice('idr', 'a')];
    const camera = new Camera()
      .picture(0, [Buffer.concat(key)])
      .plain(1, 'b')
      .plain(2, 'c');
    expect(outcome(camera).dropped).toEqual([]);
    const { data } = camera.recorder.units[0]!;
    expect(Buffer.from(data.subarray(0, 14)).toString('hex')).toBe(`0000000a${sei.toString('hex')}`);
    expect(camera.recorder.units[0]!.texts.at(-1)).toBe('a');
  });

  it('an empty FU-A fragment (retina issue 115)', () => {
    const [first, last] = fragments(slice('idr', 'abcdef'), 5) as [Buffer, Buffer];
    const empty = Buffer.from([first[0]!, first[1]! & 0x1f]);
    const camera = new Camera().picture(0, [SAMPLE_SPS, SAMPLE_PPS, first, empty, last]);
    expect(outcome(camera.plain(1, 'b').plain(2, 'c'))).toEqual({
      pictures: ['abcdef', 'b', 'c'],
      dropped: [],
    });
  });

  it('an empty last fragment, which still ends the NAL unit', () => {
    const [first] = fragments(slice('idr', 'abcdef'), 9) as [Buffer];
    const end = Buffer.from([first[0]!, (first[1]! & 0x1f) | FU_END]);
    const camera = new Camera().picture(0, [SAMPLE_SPS, SAMPLE_PPS, first, end]);
    expect(outcome(camera.plain(1, 'b').plain(2, 'c'))).toEqual({
      pictures: ['abcdef', 'b', 'c'],
      dropped: [],
    });
  });

  it('a marker in place of the end bit (retina, FU-A with MARK and no END)', () => {
    const withoutEnd = (nalu: Buffer) =>
      fragments(nalu, 5).map((piece) => {
        piece[1]! &= ~FU_END;
        return piece;
      });
    const camera = new Camera().picture(0, [SAMPLE_SPS, SAMPLE_PPS, ...withoutEnd(slice('idr', 'abcdef'))]);
    camera
      .picture(1, withoutEnd(slice('reference', 'b12345')))
      .plain(2, 'c')
      .plain(3, 'd');
    expect(outcome(camera)).toEqual({ pictures: ['abcdef', 'b12345', 'c', 'd'], dropped: [] });
  });

  it('neither marker nor end bit: the picture is cut off', () => {
    const camera = new Camera().picture(0, [stapA(SAMPLE_SPS, SAMPLE_PPS, slice('idr', 'a'))]).plain(1, 'b');
    const [first] = fragments(slice('reference', 'abcdef'), 5) as [Buffer];
    camera.picture(2, [first], false).plain(3, 'd');
    expect(outcome(camera)).toEqual({
      pictures: ['a', 'b'],
      dropped: [
        ['RTP_BAD_PAYLOAD', 1],
        ['RTP_REFERENCE_LOST', 1],
      ],
    });
  });

  it('SPS, PPS and SEI each marked (H264DVR)', () => {
    const camera = new Camera();
    const sei = Buffer.from([0x06, 0x05, 0x01, 0x61, 0x80]);
    for (const index of [0, 2, 4]) {
      for (const nalu of [SAMPLE_SPS, SAMPLE_PPS, sei]) camera.picture(index, [nalu]);
      camera.picture(index, [slice('idr', `i${index}`)]).plain(index + 1, `p${index + 1}`);
    }
    camera.plain(6, 'p6');
    expect(camera.recorder.units.map(({ texts }) => texts.at(-1))).toEqual([
      'i0',
      'p1',
      'i2',
      'p3',
      'i4',
      'p5',
      'p6',
    ]);
    expect(camera.recorder.dropped).toEqual([]);
  });

  it('FU-A with the reserved bit set, and a single one with start and end (Longse, CostarHD)', () => {
    const key = fragments(slice('idr', 'abcdef'), 5);
    for (const piece of key) piece[1]! |= 0x20;
    const camera = new Camera().picture(0, [SAMPLE_SPS, SAMPLE_PPS, ...key]);
    camera.picture(1, fragments(slice('reference', 'b'))).plain(2, 'c');
    expect(outcome(camera)).toEqual({ pictures: ['abcdef', 'b', 'c'], dropped: [] });
  });

  it('one packet of thousands of start codes costs one picture', () => {
    const camera = new Camera().picture(0, [stapA(SAMPLE_SPS, SAMPLE_PPS, slice('idr', 'a'))]).plain(1, 'b');
    const codes = Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.from([0x41, 0x42, 0, 0, 1])));
    camera.picture(2, [codes]).plain(3, 'd');
    expect(outcome(camera)).toEqual({
      pictures: ['a', 'b'],
      dropped: [
        ['RTP_BAD_PAYLOAD', 1],
        ['RTP_REFERENCE_LOST', 1],
      ],
    });
  });
});

describe('H264Depacketizer', () => {
  /** Bytes without a start code, as an encoder writes them. */
  const naluBytes = fc
    .array(fc.integer({ min: 1, max: 255 }), { minLength: 2, maxLength: 60 })
    .map((bytes) => Buffer.from([0x41, 0x9a, ...bytes]));

  /** NAL units of the pictures from payloads of one timestamp. */
  function joined(payloads: readonly Uint8Array[]): { pictures: Buffer[]; damaged: string[] } {
    const pictures: Buffer[] = [];
    const damaged: string[] = [];
    const assembler = new AccessUnitAssembler(H264_SYNTAX, {
      mayHaveFields: false,
      onPicture: (picture) => pictures.push(Buffer.from(picture.data)),
      onDamagedPicture: (_isReference, _isKey, code) => damaged.push(code),
      onReferenceLost: () => undefined,
      onSequenceEnd: () => undefined,
      onParameterSet: () => undefined,
    });
    const depacketizer = new H264Depacketizer(assembler);
    for (const payload of payloads) depacketizer.push(payload, 0, payload.length, 0, false, 0);
    depacketizer.push(slice('idr', ''), 0, 3, 1, false, 0);
    return { pictures, damaged };
  }

  const prefixed = (nalu: Uint8Array) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(nalu.length);
    return Buffer.concat([length, nalu]);
  };

  it('returns what was packed, with start codes between the NAL units or without', () => {
    const property = fc.property(
      fc.array(naluBytes, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 5, max: 40 }),
      fc.boolean(),
      fc.boolean(),
      (nalus, maxBytes, isAnnexB, isAggregated) => {
        // Later slices do not begin a picture.
        for (const [index, nalu] of nalus.entries()) nalu[1] = index === 0 ? 0x9a : 0x42;
        const units = isAnnexB
          ? [Buffer.concat(nalus.flatMap((nalu) => [nalu, LONG_CODE])).subarray(0, -4)]
          : nalus;
        const { pictures, damaged } = joined(
          packetizeH264(units, maxBytes, isAggregated ? 'stap-a' : 'none'),
        );
        expect(damaged).toEqual([]);
        expect(pictures).toEqual([Buffer.concat(nalus.map(prefixed))]);
      },
    );
    fc.assert(property, randomRuns(1_000));
  });

  it('emits NAL units without start codes, whatever the payloads hold', () => {
    const byte = fc.oneof(fc.constantFrom(0, 1, 0x65, 0x41, 0x78, 0x7c, 0x80, 0xc5), fc.nat(255));
    const payload = fc.array(byte, { maxLength: 40 }).map((bytes) => Buffer.from(bytes));
    const property = fc.property(fc.array(payload, { maxLength: 12 }), (payloads) => {
      for (const data of joined(payloads).pictures) {
        for (let at = 0; at < data.length; ) {
          const end = at + 4 + data.readUInt32BE(at);
          expect(end).toBeLessThanOrEqual(data.length);
          const nalu = data.subarray(at + 4, end);
          expect(nalu.length).toBeGreaterThan(0);
          if ((nalu[0]! & 0x1f) !== 6) expect(nalu.indexOf(SHORT_CODE)).toBe(-1);
          at = end;
        }
      }
    });
    fc.assert(property, randomRuns(2_000));
  });
});
