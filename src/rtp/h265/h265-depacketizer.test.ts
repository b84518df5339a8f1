import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { AccessUnitAssembler } from '../access-unit-assembler.ts';
import {
  ap,
  FU_END,
  fragments,
  H265Camera,
  LONG_CODE,
  nalu,
  PPS,
  SETS,
  SHORT_CODE,
  SPS,
  slice,
  VPS,
} from './h265-camera-fixture.ts';
import { H265Depacketizer } from './h265-depacketizer.ts';
import { packetizeH265 } from './h265-packetizer.ts';
import { H265Syntax } from './h265-syntax.ts';

const NOTHING_LOST = { pictures: ['a', 'b', 'c'], dropped: [] };
const LOST_AT_2 = {
  pictures: ['a', 'b'],
  dropped: [
    ['RTP_BAD_PAYLOAD', 1],
    ['RTP_REFERENCE_LOST', 1],
  ],
};

describe('H.265 as RFC 7798 packetizes it', () => {
  it('single NAL units, an AP and FUs', () => {
    const camera = new H265Camera()
      .picture(0, [ap(...SETS, slice('idr', 'a'))])
      .picture(1, fragments(slice('reference', 'bbbbbb'), 5, 6))
      .plain(2, 'c');
    expect(camera.outcome).toEqual({ pictures: ['a', 'bbbbbb', 'c'], dropped: [] });
    expect(camera.recorder.announced).toHaveLength(1);
    expect(camera.recorder.announced[0]).toMatchObject([
      { codec: 'h265', widthPx: 704, heightPx: 480, nominalFrameRateHz: 12, codecString: 'hvc1.1.6.L90.B0' },
    ]);
  });

  it('parameter sets only in the description (Dahua)', () => {
    const fmtp = new Map([
      ['sprop-vps', VPS.toString('base64')],
      ['sprop-sps', SPS.toString('base64')],
      ['sprop-pps', PPS.toString('base64')],
    ]);
    const camera = new H265Camera(fmtp)
      .picture(0, [slice('idr', 'a')])
      .plain(1, 'b')
      .plain(2, 'c');
    expect(camera.outcome).toEqual(NOTHING_LOST);
  });

  it('a key frame without parameter sets is not shown', () => {
    const camera = new H265Camera()
      .picture(0, [SPS, PPS, slice('idr', 'a')])
      .plain(1, 'b')
      .plain(2, 'c');
    expect(camera.outcome).toEqual({
      pictures: [],
      dropped: [
        ['RTP_PARAMETER_SETS_MISSING', 1],
        ['RTP_JOINING', 2],
      ],
    });
  });

  it('a PACI packet is refused, and types without a meaning are ignored', () => {
    const camera = new H265Camera().key(0, 'a').plain(1, 'b');
    camera.picture(2, [Buffer.from([63 << 1, 1, 7]), slice('reference', 'c')]);
    camera.picture(3, [Buffer.from([50 << 1, 1, 0, 0, 1])]).plain(4, 'e');
    expect(camera.outcome).toEqual({
      pictures: ['a', 'b', 'c'],
      dropped: [
        ['RTP_UNSUPPORTED_PAYLOAD', 1],
        ['RTP_REFERENCE_LOST', 1],
      ],
    });
  });

  it('an AP padded with zeros', () => {
    for (const paddingBytes of [1, 2, 3, 19]) {
      const key = Buffer.concat([ap(...SETS, slice('idr', 'a')), Buffer.alloc(paddingBytes)]);
      expect(new H265Camera().picture(0, [key]).plain(1, 'b').plain(2, 'c').outcome).toEqual(NOTHING_LOST);
    }
  });

  it.each([
    ['an AP with a length beyond the packet', Buffer.from([0x60, 1, 0, 9, 2, 1, 0xaf])],
    ['an AP with a length of 1', Buffer.from([0x60, 1, 0, 1, 2, 0, 3, 2, 1, 0xaf])],
    ['an AP of nothing', Buffer.from([0x60, 1])],
    ['half a header', Buffer.from([0x02])],
    ['a FU without its header', Buffer.from([0x62, 1])],
    ['an empty first fragment (retina)', Buffer.from([0x62, 1, 0x81])],
  ])('%s is not a picture', (_title, payload) => {
    const camera = new H265Camera().key(0, 'a').plain(1, 'b').picture(2, [payload]).plain(3, 'd');
    expect(camera.outcome).toEqual(LOST_AT_2);
  });

  it('access units that are truncated at any byte lose at most themselves and what follows', () => {
    const payloads = [ap(...SETS), ...fragments(slice('idr', 'aaaaaa'), 5)];
    for (const [index, payload] of payloads.entries()) {
      for (let length = 0; length < payload.length; length++) {
        const cut = payloads.map((each, at) => (at === index ? each.subarray(0, length) : each));
        const camera = new H265Camera().picture(0, cut).plain(1, 'b').key(2, 'c').plain(3, 'd');
        expect(camera.outcome.pictures.slice(-2)).toEqual(['c', 'd']);
      }
    }
  });
});

describe('H.265 as cameras packetize it', () => {
  it('VPS, SPS, PPS and SEI each marked (go2rtc issue 244)', () => {
    const camera = new H265Camera();
    for (const index of [0, 2, 4]) {
      for (const each of [...SETS, nalu(39, 1, 1, 0x80)]) camera.picture(index, [each]);
      camera.picture(index, [slice('idr', `i${index}`)]).plain(index + 1, `p${index + 1}`);
    }
    camera.plain(6, 'p6');
    expect(camera.outcome).toEqual({
      pictures: ['(39)|i0', 'p1', '(39)|i2', 'p3', '(39)|i4', 'p5', 'p6'],
      dropped: [],
    });
  });

  it('a FU whose later fragments have another type (retina)', () => {
    const key = fragments(slice('idr', 'aaaaaa'), 4, 6);
    key[1]![2] = 38;
    key[2]![2] = FU_END | 38;
    const camera = new H265Camera()
      .picture(0, [...SETS, ...key])
      .plain(1, 'b')
      .plain(2, 'c');
    expect(camera.outcome).toEqual({ pictures: ['aaaaaa', 'b', 'c'], dropped: [] });
  });

  it('a FU of a single fragment, and an empty fragment within one (retina)', () => {
    const [first, last] = fragments(slice('reference', 'bbbbbb'), 5) as [Buffer, Buffer];
    const empty = Buffer.from([0x62, 1, 1]);
    const camera = new H265Camera()
      .picture(0, [...SETS, ...fragments(slice('idr', 'a'))])
      .picture(1, [first, empty, last])
      .plain(2, 'c');
    expect(camera.outcome).toEqual({ pictures: ['a', 'bbbbbb', 'c'], dropped: [] });
  });

  it('a FU without an end, whose last packet is marked', () => {
    const key = fragments(slice('idr', 'a'), 3);
    key.at(-1)![2]! &= ~FU_END;
    const camera = new H265Camera()
      .picture(0, [...SETS, ...key])
      .plain(1, 'b')
      .plain(2, 'c');
    expect(camera.outcome).toEqual(NOTHING_LOST);
  });

  it('start codes before and between the NAL units of one packet', () => {
    const nalus = [...SETS, slice('idr', 'a'), slice('idr', 'b', false)];
    const between = Buffer.concat(nalus.flatMap((each) => [LONG_CODE, each])).subarray(4);
    const before = Buffer.concat(nalus.flatMap((each) => [LONG_CODE, each]));
    for (const stream of [between, before]) {
      const camera = new H265Camera().picture(0, [stream]).plain(1, 'b').plain(2, 'c');
      expect(camera.outcome).toEqual({ pictures: ['a|b', 'b', 'c'], dropped: [] });
    }
  });

  it('several NAL units in one FU, cut anywhere (Amatek, gortsplib issue 989)', () => {
    const whole = [VPS, LONG_CODE, SPS, SHORT_CODE, PPS, LONG_CODE, slice('idr', 'aaaa')];
    for (const stream of [Buffer.concat(whole), Buffer.concat([LONG_CODE, ...whole])]) {
      for (let cut = 3; cut < stream.length - 1; cut++) {
        const camera = new H265Camera().picture(0, fragments(stream, cut)).plain(1, 'b').plain(2, 'c');
        expect(camera.outcome).toEqual({ pictures: ['aaaa', 'b', 'c'], dropped: [] });
      }
    }
  });

  it('an SEI with start codes in its payload (ONVIF Media Signing)', () => {
    const sei = nalu(39, 5, 6, 0, 0, 1, 0x26, 1, 0xaf, 0x80);
    const camera = new H265Camera()
      .picture(0, [...SETS, sei, slice('idr', 'a')])
      .plain(1, 'b')
      .plain(2, 'c');
    expect(camera.outcome).toEqual({ pictures: ['(39)|a', 'b', 'c'], dropped: [] });
  });

  it('never marked, or marked at every slice', () => {
    const never = new H265Camera();
    const always = new H265Camera();
    for (const index of [0, 1, 2]) {
      const kind = index === 0 ? 'idr' : 'reference';
      const slices = [slice(kind, `${index}a`), slice(kind, `${index}b`, false)];
      never.picture(index, index === 0 ? [...SETS, ...slices] : slices, false);
      if (index === 0) always.picture(0, SETS);
      for (const each of slices) always.picture(index, [each]);
    }
    expect(never.plain(3, 'c').outcome).toEqual({ pictures: ['0a|0b', '1a|1b', '2a|2b'], dropped: [] });
    expect(always.plain(3, 'c').outcome.pictures).toEqual(['0a|0b', '1a|1b', '2a|2b']);
  });

  it('several pictures with one timestamp', () => {
    const camera = new H265Camera();
    camera.picture(0, [...SETS, slice('idr', 'a'), slice('reference', 'b'), nalu(35, 0x50)], false);
    camera.picture(0, [slice('reference', 'c')], false).plain(1, 'd');
    expect(camera.outcome).toEqual({ pictures: ['a', 'b', 'c'], dropped: [] });
  });

  it('slices of other layers are left out, suffix SEI stays, delimiters and filler do not', () => {
    const layer = slice('reference', 'x', true, 1);
    const camera = new H265Camera()
      .picture(0, [...SETS, nalu(35, 0x10), slice('idr', 'a'), layer, nalu(40, 1, 1, 0x80), nalu(38, 0xff)])
      .picture(1, [slice('reference', 'b'), layer])
      .plain(2, 'c');
    expect(camera.outcome).toEqual({ pictures: ['a|(40)', 'b', 'c'], dropped: [] });
  });

  it('one packet of thousands of start codes costs one picture', () => {
    const camera = new H265Camera().key(0, 'a').plain(1, 'b');
    const codes = Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.from([2, 1, 0x42, 0, 0, 1])));
    camera.picture(2, [codes]).plain(3, 'd');
    expect(camera.outcome).toEqual(LOST_AT_2);
  });
});

describe('H265Depacketizer', () => {
  /** NAL units of the pictures from payloads of one timestamp. */
  function joined(payloads: readonly Uint8Array[]): { pictures: Buffer[]; damaged: string[] } {
    const pictures: Buffer[] = [];
    const damaged: string[] = [];
    const assembler = new AccessUnitAssembler(new H265Syntax(), {
      mayHaveFields: false,
      onPicture: (picture) => pictures.push(Buffer.from(picture.data)),
      onDamagedPicture: (_isReference, _isKey, code) => damaged.push(code),
      onReferenceLost: () => undefined,
      onSequenceEnd: () => undefined,
      onParameterSet: () => undefined,
    });
    const depacketizer = new H265Depacketizer(assembler);
    for (const payload of payloads) depacketizer.push(payload, 0, payload.length, 0, false, 0);
    depacketizer.push(slice('idr', ''), 0, 3, 1, false, 0);
    return { pictures, damaged };
  }

  const prefixed = (whole: Uint8Array) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(whole.length);
    return Buffer.concat([length, whole]);
  };

  it('returns what was packed, with start codes between the NAL units or without', () => {
    const naluBytes = fc
      .array(fc.integer({ min: 1, max: 255 }), { minLength: 1, maxLength: 60 })
      .map((bytes) => Buffer.from([0x02, 0x01, 0xaf, ...bytes]));
    const property = fc.property(
      fc.array(naluBytes, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 6, max: 40 }),
      fc.boolean(),
      fc.boolean(),
      (nalus, maxBytes, isAnnexB, isAggregated) => {
        // Later slices do not begin a picture.
        for (const [index, each] of nalus.entries()) each[2] = index === 0 ? 0xaf : 0x2f;
        const units = isAnnexB
          ? [Buffer.concat(nalus.flatMap((each) => [each, LONG_CODE])).subarray(0, -4)]
          : nalus;
        const { pictures, damaged } = joined(packetizeH265(units, maxBytes, isAggregated ? 'ap' : 'none'));
        expect(damaged).toEqual([]);
        expect(pictures).toEqual([Buffer.concat(nalus.map(prefixed))]);
      },
    );
    fc.assert(property, randomRuns(1_000));
  });

  it('emits NAL units of the base layer without start codes, whatever the payloads hold', () => {
    const byte = fc.oneof(fc.constantFrom(0, 1, 2, 0x26, 0x2a, 0x60, 0x62, 0x80, 0x93), fc.nat(255));
    const payload = fc.array(byte, { maxLength: 40 }).map((bytes) => Buffer.from(bytes));
    const property = fc.property(fc.array(payload, { maxLength: 12 }), (payloads) => {
      for (const data of joined(payloads).pictures) {
        for (let at = 0; at < data.length; ) {
          const end = at + 4 + data.readUInt32BE(at);
          expect(end).toBeLessThanOrEqual(data.length);
          const each = data.subarray(at + 4, end);
          expect(each.length).toBeGreaterThanOrEqual(2);
          const type = (each[0]! >> 1) & 0x3f;
          expect(((each[0]! & 1) << 5) | (each[1]! >> 3)).toBe(0);
          expect(type <= 9 || (type >= 16 && type <= 21) || [36, 39, 40].includes(type)).toBe(true);
          if (type !== 39 && type !== 40) expect(each.indexOf(SHORT_CODE)).toBe(-1);
          at = end;
        }
      }
    });
    fc.assert(property, randomRuns(3_000));
  });
});
