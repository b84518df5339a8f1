import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { LatmDepacketizer } from './latm-depacketizer.ts';
import { latmPayloadFormat } from './latm-payload-format.ts';

/** From RFC 6416 §7.3: AAC-LC, 24 kHz, stereo, frames that include their length. */
const CONFIG = '400026203fc0';

const fmtp = (config: string, cpresent = '0') =>
  new Map([
    ['config', config],
    ['cpresent', cpresent],
  ]);

describe('latmPayloadFormat', () => {
  it('reads an AAC-LC session description', () => {
    expect(latmPayloadFormat(fmtp(CONFIG))).toMatchObject({
      frames: 1,
      track: { codecString: 'mp4a.40.2', sampleRateHz: 24_000, channelCount: 2 },
    });
  });

  it.each([
    ['a configuration in band', fmtp(CONFIG, '1')],
    ['no configuration', new Map([['cpresent', '0']])],
    ['not hexadecimal', fmtp('xyz')],
    ['a truncated configuration', fmtp('4000')],
    ['another version', fmtp('c00026203fc0')],
    ['two programs', fmtp('401026203fc0')],
    ['low delay', fmtp('4001ce203fc0')],
  ])('refuses %s', (_title, parameters) => {
    expect(latmPayloadFormat(parameters)).toBeNull();
  });

  it('never throws on a configuration', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        latmPayloadFormat(fmtp(Buffer.from(bytes).toString('hex')));
      }),
      randomRuns(20_000),
    );
  });
});

describe('LatmDepacketizer', () => {
  function setup(frames = 1) {
    const seen: string[] = [];
    const depacketizer = new LatmDepacketizer(frames, {
      onFrame: (chunk, start, end, timestamp, index) =>
        seen.push(`${timestamp}.${index} ${end - start} ${chunk[start]}`),
      onDropped: (dropped, code) => seen.push(`dropped ${dropped} ${code}`),
    });
    const push = (payload: Uint8Array, timestamp: number, isMarked = true) =>
      depacketizer.push(payload, 0, payload.length, timestamp, isMarked, 0);
    return { seen, depacketizer, push };
  }

  /** PayloadLengthInfo and PayloadMux. */
  function element(...frames: Uint8Array[]): Buffer {
    const parts = frames.flatMap((frame) => {
      const lengths = [...Array(Math.floor(frame.length / 255)).fill(255), frame.length % 255];
      return [Buffer.from(lengths), frame];
    });
    return Buffer.concat(parts);
  }

  const frame = (length: number, fill: number) => new Uint8Array(length).fill(fill);

  it.each([1, 254, 255, 256, 510, 700])('emits a frame of %i bytes', (length) => {
    const { seen, push } = setup();
    push(element(frame(length, 7)), 1_024);
    expect(seen).toEqual([`1024.0 ${length} 7`]);
  });

  it('emits the frames of an element in order', () => {
    const { seen, push } = setup(3);
    push(element(frame(10, 1), frame(300, 2), frame(20, 3)), 0);
    expect(seen).toEqual(['0.0 10 1', '0.1 300 2', '0.2 20 3']);
  });

  it('joins an element split at any byte', () => {
    const whole = element(frame(600, 9));
    for (let at = 1; at < whole.length; at++) {
      const { seen, push } = setup();
      push(whole.subarray(0, at), 5, false);
      push(whole.subarray(at), 5);
      expect(seen).toEqual(['5.0 600 9']);
    }
  });

  it('drops a truncated or broken element, and continues with the next', () => {
    const whole = element(frame(600, 9));
    for (let length = 0; length < whole.length; length++) {
      const { seen, push } = setup();
      push(whole.subarray(0, length), 5);
      push(whole, 6);
      expect(seen).toEqual(['dropped 1 RTP_BAD_PAYLOAD', '6.0 600 9']);
    }
    const { seen, push, depacketizer } = setup();
    push(whole.subarray(0, 100), 5, false);
    depacketizer.gap();
    push(whole.subarray(300), 5);
    push(whole, 6);
    push(whole.subarray(0, 100), 7, false);
    push(whole, 8);
    expect(seen).toEqual([
      'dropped 1 RTP_PACKET_LOSS',
      '6.0 600 9',
      'dropped 1 RTP_BAD_PAYLOAD',
      '8.0 600 9',
    ]);
  });

  it('limits the size of an element', () => {
    const { seen, push } = setup();
    for (let i = 0; i < 1_000; i++) push(frame(1_400, 255), 5, false);
    expect(seen).toEqual(['dropped 1 RTP_FRAME_TOO_LARGE']);
    push(element(frame(3, 1)), 6);
    expect(seen.at(-1)).toBe('6.0 3 1');
  });
});
