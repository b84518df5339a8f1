import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { AacDepacketizer } from './aac-depacketizer.ts';
import { packAacFrames, packetizeAac } from './aac-packetizer.ts';
import { aacPayloadFormat } from './aac-payload-format.ts';

const HBR = { mode: 'AAC-hbr', sizelength: '13', indexlength: '3', indexdeltalength: '3' };

function setup(fmtp: Record<string, string> = HBR) {
  const seen: string[] = [];
  const format = aacPayloadFormat(new Map(Object.entries(fmtp)))!;
  const depacketizer = new AacDepacketizer(format, {
    onFrame: (chunk, start, end, timestamp, index) =>
      seen.push(`${timestamp}.${index} ${Buffer.from(chunk.subarray(start, end)).toString('hex')}`),
    onDropped: (dropped, code) => seen.push(`dropped ${dropped} ${code}`),
  });
  const push = (payload: Uint8Array, timestamp = 0, isMarked = true): void => {
    const before = Buffer.from(payload);
    depacketizer.push(payload, 0, payload.length, timestamp, isMarked, 0);
    expect(Buffer.from(payload)).toEqual(before);
  };
  /** The last payload is marked. */
  const pushAll = (payloads: readonly Uint8Array[], timestamp: number): void => {
    for (const payload of payloads) push(payload, timestamp, payload === payloads.at(-1));
  };
  return { seen, depacketizer, push, pushAll };
}

/** With a header of 7 bytes, or 9 with a checksum. ISO/IEC 14496-3 §1.A.2.2. */
function adts(frame: Uint8Array, hasChecksum = false): Buffer {
  const headerBytes = hasChecksum ? 9 : 7;
  const length = headerBytes + frame.length;
  const header = [0xff, hasChecksum ? 0xf0 : 0xf1, 0x60, 0x40 | (length >> 11), (length >> 3) & 0xff];
  const tail = [((length & 7) << 5) | 0x1f, 0xfc, ...(hasChecksum ? [1, 2] : [])];
  return Buffer.concat([Buffer.from([...header, ...tail]), frame]);
}

/** One fragment with an AU header that has the fragment's size. */
function ownSizedPieces(frame: Uint8Array, pieceBytes: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < frame.length; at += pieceBytes)
    pieces.push(Buffer.from(packAacFrames([frame.subarray(at, at + pieceBytes)])));
  return pieces;
}

const hex = (text: string) => Buffer.from(text, 'hex');

describe('AAC as cameras pack it', () => {
  it('access units with ADTS headers inside (gortsplib TestDecodeADTS, go2rtc)', () => {
    const { seen, push } = setup();
    push(packAacFrames([hex('fff14c80013ffcaabb')]), 1);
    push(packAacFrames([adts(hex('2101')), adts(hex('2102'), true), hex('2103')]), 2);
    expect(seen).toEqual(['1.0 aabb', '2.0 2101', '2.1 2102', '2.2 2103']);
  });

  it.each([
    ['a frame longer than the access unit', [adts(hex('2101')).subarray(0, -1)]],
    ['shorter', [Buffer.concat([adts(hex('2101')), hex('00')])]],
    ['without a frame', [adts(hex(''))]],
    ['cut', [hex('fff16040')]],
  ])('an ADTS header %s is not a frame', (_title, units) => {
    const { seen, push } = setup();
    push(packAacFrames(units));
    expect(seen).toEqual(['dropped 1 RTP_BAD_PAYLOAD']);
  });

  it('ADTS frames without AU headers (Anjvision: go2rtc issue 1328, mpv issue 5669)', () => {
    const { seen, push } = setup();
    push(adts(hex('2101')), 1);
    push(Buffer.concat([adts(hex('2102')), adts(hex('2103'), true)]), 2, false);
    expect(seen).toEqual(['1.0 2101', '2.0 2102', '2.1 2103']);
  });

  it('half an ADTS frame without AU headers is not a frame', () => {
    const { seen, push } = setup();
    push(adts(Buffer.alloc(40, 1)).subarray(0, 30), 1);
    expect(seen).toEqual(['dropped 1 RTP_BAD_PAYLOAD']);
  });

  it('sizeLength=13 without indexLength (AMS32, gortsplib issue 118)', () => {
    const { seen, push } = setup({ mode: 'AAC-hbr', sizelength: '13' });
    // 13 bits: a frame of 2 bytes.
    push(hex('000d0010aabb'), 1);
    // 26 bits: frames of 2 and 1 bytes.
    push(hex('001a00100040aabbcc'), 2);
    expect(seen).toEqual(['1.0 aabb', '2.0 aabb', '2.1 cc']);
  });

  it('sizeLength=13 without indexLength, but with headers of 16 bits', () => {
    const { seen, push } = setup({ mode: 'AAC-hbr', sizelength: '13' });
    push(packAacFrames([hex('aabb'), hex('cc')]), 1);
    expect(seen).toEqual(['1.0 aabb', '1.1 cc']);
  });

  it('headers that fit no lengths remain an error', () => {
    for (const fmtp of [HBR, { mode: 'AAC-hbr', sizelength: '13' }]) {
      const { seen, push } = setup(fmtp);
      push(hex('000e0010aabb'), 1);
      expect(seen).toEqual(['dropped 1 RTP_BAD_PAYLOAD']);
    }
  });

  it('mode=AAC_lbr means AAC-lbr', () => {
    expect(aacPayloadFormat(new Map([['mode', 'AAC_lbr']]))).toMatchObject({ sizeBits: 6, indexBits: 2 });
  });

  it('fragments whose AU-size is the size of the fragment, joined up to the marker (gortsplib, MediaMTX as a camera)', () => {
    const { seen, push, pushAll } = setup();
    const frame = Buffer.from(Array.from({ length: 250 }, (_, index) => index));
    push(packAacFrames([hex('2101')]), 0);
    pushAll(ownSizedPieces(frame, 100), 1);
    push(packAacFrames([hex('2102')]), 2);
    expect(seen).toEqual(['0.0 2101', `1.0 ${frame.toString('hex')}`, '2.0 2102']);
  });

  it('such fragments at the very beginning', () => {
    const { seen, pushAll } = setup();
    const frame = Buffer.alloc(250, 7);
    pushAll(ownSizedPieces(frame, 100), 1);
    expect(seen).toEqual([`1.0 ${frame.toString('hex')}`]);
  });

  it('when one such fragment is missing, one frame is lost', () => {
    const { seen, depacketizer, push } = setup();
    const pieces = ownSizedPieces(Buffer.alloc(350, 7), 100);
    push(packAacFrames([hex('2101')]), 0);
    push(pieces[0]!, 1, false);
    depacketizer.gap();
    push(pieces[2]!, 1, false);
    push(pieces[3]!, 1, true);
    push(packAacFrames([hex('2102')]), 2);
    expect(seen).toEqual(['0.0 2101', 'dropped 1 RTP_PACKET_LOSS', '2.0 2102']);
  });

  it('frames of a camera that never sets the marker, or only on the first packet', () => {
    for (const firstMarker of [false, true]) {
      const { seen, push } = setup();
      for (let index = 0; index < 5; index++)
        push(packAacFrames([Buffer.of(0x21, index)]), index, index === 0 && firstMarker);
      expect(seen).toEqual(['0.0 2100', '1.0 2101', '2.0 2102', '3.0 2103', '4.0 2104']);
    }
  });

  it('fragments with the size of the whole frame, as the standard says, marked or not', () => {
    const { seen, push, pushAll } = setup();
    const frame = Buffer.alloc(250, 9);
    for (const piece of packetizeAac(frame, 104)) push(piece, 1, false);
    pushAll(packetizeAac(frame, 104), 2);
    expect(seen).toEqual([`1.0 ${frame.toString('hex')}`, `2.0 ${frame.toString('hex')}`]);
  });

  it('fragments without an end are dropped at a limit', () => {
    const { seen, push } = setup();
    for (let index = 0; index < 100; index++) push(packAacFrames([Buffer.alloc(1_000)]), 1, false);
    push(packAacFrames([hex('2101')]), 2);
    expect(seen).toEqual(['dropped 1 RTP_FRAME_TOO_LARGE', '2.0 2101']);
  });

  it('survives any bytes, and emits nothing beyond them', () => {
    const packet = fc.tuple(fc.uint8Array({ maxLength: 60 }), fc.nat(3), fc.boolean());
    const property = fc.property(
      fc.array(packet, { maxLength: 30 }),
      fc.constantFrom(HBR, { mode: 'AAC-hbr', sizelength: '13' }, { mode: 'AAC_lbr' }),
      (packets, fmtp) => {
        const { seen, push } = setup(fmtp as Record<string, string>);
        let bytes = 0;
        for (const [payload, timestamp, isMarked] of packets) {
          push(payload, timestamp, isMarked);
          bytes += payload.length;
        }
        const out = seen
          .filter((line) => !line.startsWith('dropped'))
          .map((line) => line.split(' ')[1]!.length / 2);
        expect(out.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(bytes);
        expect(out.every((length) => length > 0)).toBe(true);
      },
    );
    fc.assert(property, randomRuns(1_000));
  });
});
