import { describe, expect, it } from 'vitest';
import { splitAdts, splitByteStream } from './elementary-streams.ts';

describe('splitByteStream', () => {
  it('finds NAL units behind three- and four-byte start codes and drops trailing zeros', () => {
    const stream = Buffer.from('000000016764000001680000000165aabb00', 'hex');
    expect(splitByteStream(stream).map((nalu) => nalu.toString('hex'))).toEqual(['6764', '68', '65aabb']);
  });

  it('finds nothing where no start code is', () => {
    expect(splitByteStream(Buffer.from('6742', 'hex'))).toEqual([]);
  });
});

describe('splitAdts', () => {
  /** AAC-LC, 48 kHz, mono, frames of the given payloads. */
  function adts(...payloads: string[]): Buffer {
    const frames = payloads.map((payload) => {
      const body = Buffer.from(payload, 'hex');
      const header = Buffer.from('fff14c4000001ffc', 'hex').subarray(0, 7);
      const length = body.length + 7;
      header[3] = (header[3]! & 0xfc) | (length >> 11);
      header[4] = (length >> 3) & 0xff;
      header[5] = ((length & 7) << 5) | 0x1f;
      return Buffer.concat([header, body]);
    });
    return Buffer.concat(frames);
  }

  it('gives raw frames and their configuration', () => {
    const stream = splitAdts(adts('0102', 'aabbcc'));
    expect(stream.frames.map((frame) => frame.toString('hex'))).toEqual(['0102', 'aabbcc']);
    expect([stream.sampleRateHz, stream.channelCount]).toEqual([48_000, 1]);
    expect(stream.audioSpecificConfig.toString('hex')).toBe('1188');
  });

  it('refuses a stream cut anywhere', () => {
    const whole = adts('0102', 'aabbcc');
    for (let length = 0; length < whole.length; length++) {
      if (length === 9) continue; // exactly one frame
      expect(() => splitAdts(whole.subarray(0, length))).toThrow(/cannot be read/);
    }
  });
});
