import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { LatmDepacketizer } from './latm-depacketizer.ts';
import { type LatmPayloadFormat, latmPayloadFormat } from './latm-payload-format.ts';

/** Taken from RFC 6416 §7.3: AAC-LC, 24 kHz, stereo, frames that include their length. */
const CONFIG = '400026203fc0';

const CLOCK = { clockRateHz: 24_000, channelCount: 2 };

const fmtp = (config: string, cpresent = '0') =>
  new Map([
    ['config', config],
    ['cpresent', cpresent],
  ]);

const formatOf = (parameters: ReadonlyMap<string, string>, clock = CLOCK) =>
  latmPayloadFormat(parameters, clock);

describe('latmPayloadFormat', () => {
  it('reads an AAC-LC session description', () => {
    expect(formatOf(fmtp(CONFIG))).toMatchObject({
      mux: { frames: 1, otherDataBits: 0 },
      isInBand: false,
      track: { codecString: 'mp4a.40.2', sampleRateHz: 24_000, channelCount: 2 },
    });
  });

  it.each([
    ['no configuration', new Map([['cpresent', '0']])],
    ['not hexadecimal', fmtp('xyz')],
    ['a truncated configuration', fmtp('4000')],
    ['another version', fmtp('c00026203fc0')],
    ['two programs', fmtp('401026203fc0')],
    ['low delay', fmtp('4001ce203fc0')],
  ])('refuses %s', (_title, parameters) => {
    expect(formatOf(parameters)).toBeNull();
  });

  it.each([
    ['by the clock rate', new Map(), CLOCK, [24_000, 2]],
    [
      'at 48 kHz if that is 90 kHz',
      new Map([['cpresent', '1']]),
      { clockRateHz: 90_000, channelCount: 1 },
      [48_000, 1],
    ],
    [
      'by a configuration that it has, too',
      fmtp(CONFIG, '1'),
      { clockRateHz: 90_000, channelCount: 1 },
      [24_000, 2],
    ],
  ])(
    'guesses the audio of a configuration in band %s',
    (_title, parameters, clock, [sampleRateHz, channelCount]) => {
      expect(formatOf(parameters, clock)).toMatchObject({
        isInBand: true,
        track: { sampleRateHz, channelCount },
      });
    },
  );

  it('never throws on a configuration', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        formatOf(fmtp(Buffer.from(bytes).toString('hex')));
      }),
      randomRuns(20_000),
    );
  });
});

function described(frames: number): LatmPayloadFormat {
  const format = formatOf(fmtp(CONFIG))!;
  return { ...format, mux: { ...format.mux!, frames } };
}

/** An audioMuxElement with its configuration in band; `mux`: null if it is the one before. ISO/IEC 14496-3 table 1.41. */
function inBand(mux: string | null, frames: readonly Uint8Array[], otherDataBits = 0): Buffer {
  const byte = (value: number) => value.toString(2).padStart(8, '0');
  const lengths = (size: number) => byte(255).repeat(Math.floor(size / 255)) + byte(size % 255);
  const body = frames.map((frame) => lengths(frame.length) + [...frame].map(byte).join(''));
  const bits = (mux === null ? '1' : `0${mux}`) + body.join('') + '1'.repeat(otherDataBits);
  const octets = bits.match(/.{1,8}/g)!.map((octet) => Number.parseInt(octet.padEnd(8, '0'), 2));
  return Buffer.from(octets);
}

/** AudioSpecificConfig of AAC-LC: rate index, channels. */
const config = (rateIndex: number, channels: number) =>
  `00010${rateIndex.toString(2).padStart(4, '0')}${channels.toString(2).padStart(4, '0')}000`;
/** StreamMuxConfig, version 0: frames of an element less one; the buffer, no other data, no CRC. */
const muxOf = (asc: string, more = 0) => `01${more.toString(2).padStart(6, '0')}0000000${asc}0001111111100`;
const MUX = muxOf(config(6, 2));

describe('LatmDepacketizer with the configuration in band (cpresent=1, RFC 6416 §6.1)', () => {
  function setup(parameters: ReadonlyMap<string, string> = new Map(), clock = CLOCK) {
    const seen: string[] = [];
    const depacketizer = new LatmDepacketizer(formatOf(parameters, clock)!, {
      onAudioTrack: ({ sampleRateHz, channelCount }) => seen.push(`track ${sampleRateHz} ${channelCount}`),
      onFrame: (chunk, start, end, timestamp, index) =>
        seen.push(`${timestamp}.${index} ${Buffer.from(chunk.subarray(start, end)).toString('hex')}`),
      onDropped: (dropped, code) => seen.push(`dropped ${dropped} ${code}`),
    });
    const push = (payload: Uint8Array, timestamp: number, isMarked = true) =>
      depacketizer.push(payload, 0, payload.length, timestamp, isMarked, 0);
    return { seen, push };
  }

  const [A, B] = [Uint8Array.of(0x21, 0x10, 0xff), Uint8Array.of(0x21, 0x45)];

  it('reads frames that begin at any bit, with a configuration and without', () => {
    const { seen, push } = setup();
    push(inBand(MUX, [A]), 0);
    push(inBand(null, [B]), 1_024);
    push(inBand(MUX, [A]), 2_048);
    expect(seen).toEqual(['0.0 2110ff', '1024.0 2145', '2048.0 2110ff']);
  });

  it('reads several frames, other data, and version 1', () => {
    const { seen, push } = setup();
    push(inBand(muxOf(config(6, 2), 1), [A, B]), 0);
    // taraBufferFullness, the length of the configuration, 12 bits of other data.
    const tara = '0011111111';
    const head = `10${tara}10000000000000` + `0000010000${config(6, 2)}`;
    push(inBand(`${head}00011111111100000011000`, [B], 12), 9);
    expect(seen).toEqual(['0.0 2110ff', '0.1 2145', '9.0 2145']);
  });

  it('says what the audio is, if it is not what the description made likely', () => {
    const { seen, push } = setup(new Map(), { clockRateHz: 90_000, channelCount: 1 });
    push(inBand(MUX, [A]), 0);
    push(inBand(null, [A]), 1);
    push(inBand(muxOf(config(8, 1)), [B]), 2);
    expect(seen).toEqual(['track 24000 2', '0.0 2110ff', '1.0 2110ff', 'track 16000 1', '2.0 2145']);
  });

  it('joins fragments', () => {
    const whole = inBand(MUX, [A]);
    for (let at = 1; at < whole.length; at++) {
      const { seen, push } = setup();
      push(whole.subarray(0, at), 5, false);
      push(whole.subarray(at), 5);
      expect(seen).toEqual(['5.0 2110ff']);
    }
  });

  it('waits for the first configuration', () => {
    const { seen, push } = setup();
    push(inBand(null, [A]), 0);
    push(inBand(MUX, [A]), 1);
    expect(seen).toEqual(['dropped 1 RTP_BAD_PAYLOAD', '1.0 2110ff']);
  });

  it('begins with the configuration of the description', () => {
    const { seen, push } = setup(fmtp(CONFIG, '1'));
    push(inBand(null, [A]), 0);
    expect(seen).toEqual(['0.0 2110ff']);
  });

  it('drops what is cut, or has another coder or several streams', () => {
    const whole = inBand(MUX, [A]);
    const lowDelay = inBand(muxOf(`10111${config(6, 2).slice(5)}`), [A]);
    const programs = inBand(`01${'000000'}0001000${config(6, 2)}0001111111100`, [A]);
    for (const bad of [lowDelay, programs, ...Array.from(whole, (_, at) => whole.subarray(0, at))]) {
      const { seen, push } = setup();
      push(bad, 0);
      push(whole, 1);
      expect(seen).toEqual(['dropped 1 RTP_BAD_PAYLOAD', '1.0 2110ff']);
    }
  });

  it('reads elements without, where the description only left cpresent out', () => {
    for (const size of [2, 127, 128, 254, 300]) {
      const { seen, push } = setup(new Map([['config', CONFIG]]));
      const frame = new Uint8Array(size).fill(0x5a);
      push(Buffer.concat([Buffer.from(size < 255 ? [size] : [255, size - 255]), frame]), 0);
      expect(seen).toEqual([`0.0 ${Buffer.from(frame).toString('hex')}`]);
    }
  });

  it('follows a bounded number of changes', () => {
    const { seen, push } = setup();
    for (let index = 0; index < 100; index++) push(inBand(muxOf(config(3 + (index % 4), 2)), [A]), index);
    expect(seen.filter((line) => line.startsWith('track'))).toHaveLength(4);
  });

  it('never throws, and emits no more than it gets', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 }), (payloads) => {
        const { seen, push } = setup();
        push(inBand(MUX, [A]), 0);
        for (const [index, payload] of payloads.entries()) push(payload, index + 1);
        const bytes = seen.slice(1).map((line) => (/ ([0-9a-f]*)$/.exec(line)?.[1]?.length ?? 0) / 2);
        const sent = payloads.reduce((sum, { length }) => sum + length, 0);
        expect(bytes.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(sent);
      }),
      randomRuns(2_000),
    );
  });
});

describe('LatmDepacketizer', () => {
  function setup(frames = 1) {
    const seen: string[] = [];
    const depacketizer = new LatmDepacketizer(described(frames), {
      onAudioTrack: () => expect.unreachable(),
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
