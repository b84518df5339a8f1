import { describe, expect, it } from 'vitest';
import { PPS, pictureOf, SPS } from '../../stream/pictures/picture-fixture.ts';
import { PictureMessages, writePictureMessage } from './picture-message.ts';

const START_CODE = [0, 0, 0, 1];

describe('writePictureMessage', () => {
  it('is a timestamp and a key frame behind its parameter sets, each NAL unit behind a start code', () => {
    const message = writePictureMessage(pictureOf(7, true));
    expect([...message.subarray(0, 4)]).toEqual([2, 0, 0, 8]);
    expect(message.readBigUInt64BE(4)).toBe(1_700_000_000_280n);
    const frame = [...START_CODE, ...SPS, ...START_CODE, ...PPS, ...START_CODE, 0x65, 7, 7, 7, 7];
    expect([...message.subarray(12, 16)]).toEqual([0, 0, 0, frame.length]);
    expect([...message.subarray(16)]).toEqual(frame);
  });

  it('has the VPS before the SPS in H.265', () => {
    const picture = pictureOf(7, true);
    const track = { ...picture.track, codec: 'h265', vps: [Uint8Array.of(0x40, 1, 9)] } as const;
    const message = writePictureMessage({ ...picture, track });
    expect([...message.subarray(16, 28)]).toEqual([...START_CODE, 0x40, 1, 9, ...START_CODE, SPS[0]]);
  });

  it('has no parameter sets before another frame', () => {
    const message = writePictureMessage(pictureOf(8, false));
    expect([...message.subarray(12)]).toEqual([1, 0, 0, 9, ...START_CODE, 0x41, 8, 8, 8, 8]);
  });

  it('has three bytes of length, and replaces the length of every NAL unit', () => {
    const large = pictureOf(1, false, 70_000);
    const message = writePictureMessage({ ...large, data: Buffer.concat([large.data, large.data]) });
    expect([...message.subarray(12, 16)]).toEqual([1, ...lengthOf(2 * 70_005)]);
    expect([...message.subarray(16, 21)]).toEqual([...START_CODE, 0x41]);
    expect([...message.subarray(16 + 70_005, 16 + 70_010)]).toEqual([...START_CODE, 0x41]);
  });

  it('leaves the access unit as it was', () => {
    const picture = pictureOf(3, true);
    const before = Buffer.from(picture.data);
    writePictureMessage(picture);
    expect(picture.data).toEqual(before);
  });

  it.each([0, 1, 3, 4, 6])('ends where NAL units are cut off after %d bytes', (bytes) => {
    const whole = pictureOf(3, false);
    const data = whole.data.subarray(0, bytes);
    expect(writePictureMessage({ ...whole, data })).toHaveLength(16 + bytes);
  });
});

describe('PictureMessages', () => {
  it('are made once for all viewers', () => {
    const messages = new PictureMessages();
    const picture = pictureOf(1, true);
    expect(messages.of(picture)).toBe(messages.of(picture));
    expect(messages.of(pictureOf(1, true))).not.toBe(messages.of(picture));
  });
});

function lengthOf(bytes: number): number[] {
  return [bytes >> 16, (bytes >> 8) & 0xff, bytes & 0xff];
}
