import { describe, expect, it } from 'vitest';
import { FAKE_VIDEO } from '../../cmaf/fake-camera.ts';
import { GatewayError } from '../../core/errors.ts';
import { cameraFaultOf } from '../../stream/source/camera-fault.ts';
import { adviceFor } from '../../stream/source/camera-fault-advice.ts';
import { KEY_WAIT_MS, SETS_WAIT_MS } from './in-band-sets.ts';
import { Push } from './pushed-media-fixture.ts';

const START_CODE = Buffer.of(0, 0, 0, 1);
const [SPS, PPS] = [FAKE_VIDEO.sps[0]!, FAKE_VIDEO.pps[0]!];
const IDR = Buffer.of(0x65, 0x88, 0x84);
const SLICE = Buffer.of(0x41, 0x9a, 0x02);
/** Geovision. */
const HEVC_SETS = [
  '40010c01ffff01400000030000030000030000030099ac09',
  '42010101400000030000030000030000030099a00150200601f1396bb91b06b9544dc04040410000030001000003001e08',
  '4401c073c04c90',
].map((hex) => Buffer.from(hex, 'hex'));
const HEVC_IDR = Buffer.of(0x26, 0x01, 0xaf, 0x08);

/** NAL units after lengths, or after start codes. */
function nalus(units: readonly Uint8Array[], separator: 'lengths' | 'start codes' = 'lengths'): Buffer {
  const pieces = units.flatMap((unit) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(unit.length);
    return [separator === 'lengths' ? length : START_CODE, unit];
  });
  return Buffer.concat(pieces);
}

/** A message of H.264, or of H.265 with number 12. `packet`: 0 for a sequence header, 1 for a frame. */
function message(isKey: boolean, data: Buffer, packet = 1, codec = 7): Buffer {
  return Buffer.concat([Buffer.of(((isKey ? 1 : 2) << 4) | codec, packet, 0, 0, 0), data]);
}

/** A device without a sequence header, with a picture every 40 ms and a key frame every second. */
function pushed(push: Push, seconds: number, keyOf: (index: number) => Buffer): Push {
  for (let index = 0; index < seconds * 25; index++) {
    const isKey = index % 25 === 0;
    const payload = isKey ? keyOf(index) : message(false, nalus([SLICE]));
    push.feed([{ kind: 'video', timestampMs: index * 40, payload }]);
    push.clock.advance(40);
  }
  return push;
}

function failureOf(run: () => unknown): GatewayError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
  return expect.unreachable();
}

describe('a device that sends no sequence header', () => {
  it.each([
    ['parameter sets before each key frame', () => message(true, nalus([SPS, PPS, IDR]))],
    ['start codes', () => message(true, nalus([SPS, PPS, IDR], 'start codes'))],
    [
      'parameter sets before the second one',
      (index: number) => message(true, nalus(index === 0 ? [IDR] : [SPS, PPS, IDR])),
    ],
  ])('plays by %s', (_title, keyOf) => {
    const { seen } = pushed(new Push('off').attach(), 3, keyOf);
    expect(seen.announcements).toMatchObject([[{ codec: 'h264', widthPx: 640, heightPx: 360 }]]);
    const units = seen.of('video');
    expect(units.length).toBeGreaterThanOrEqual(50);
    expect([units[0]!.isKey, Buffer.from(units[0]!.data)]).toEqual([true, nalus([IDR])]);
  });

  it('plays by parameter sets in a message of their own, before anyone watches', () => {
    const push = new Push('off');
    push.media.video(0, message(true, nalus([SPS, PPS])), 0);
    const { seen } = pushed(push.attach(), 2, () => message(true, nalus([IDR])));
    expect(seen.announcements).toMatchObject([[{ codec: 'h264', widthPx: 640 }]]);
    expect(seen.of('video')).toHaveLength(50);
  });

  it('plays by parameter sets behind start codes in place of the header', () => {
    const push = new Push('off').attach();
    push.media.video(0, message(true, nalus([SPS, PPS], 'start codes'), 0), 0);
    expect(pushed(push, 2, () => message(true, nalus([IDR]))).seen.of('video')).toHaveLength(50);
  });

  it('plays H.265', () => {
    const push = new Push('off').attach();
    for (let index = 0; index < 30; index++) {
      push.media.video(index * 40, message(true, nalus([...HEVC_SETS, HEVC_IDR]), 1, 12), index * 40);
    }
    expect(push.seen.announcements).toMatchObject([[{ codec: 'h265', widthPx: 2688, heightPx: 1520 }]]);
    expect(push.seen.of('video')).toHaveLength(30);
  });

  it('fails with advice about RTMP if the sets do not come: nothing can decode it', () => {
    const push = new Push('off').attach();
    const error = failureOf(() => pushed(push, 30, () => message(true, nalus([IDR]))));
    expect(error).toMatchObject({ code: 'RTMP_NO_PARAMETER_SETS', context: { encoding: 'h264' } });
    expect(push.clock.monoMs()).toBe(SETS_WAIT_MS);
    const fault = cameraFaultOf(error);
    expect([fault.reason, adviceFor(fault)]).toEqual(['unsupported', expect.stringContaining('SPS')]);
    expect(adviceFor(fault)).not.toMatch(/rtsp|tcp/i);
  });

  it('may stamp two pictures alike: each is shown for half of the distance', () => {
    const push = new Push('off');
    for (let index = 0; index < 60; index++) {
      if (index === 0) push.attach();
      const payload = message(index % 30 === 0, nalus(index % 30 === 0 ? [SPS, PPS, IDR] : [SLICE]));
      push.feed([{ kind: 'video', timestampMs: (index >> 1) * 80, payload }]);
      push.clock.advance(40);
    }
    const times = push.seen.of('video').map(({ dtsTicks }) => dtsTicks);
    // Before the second timestamp, 25 pictures a second are assumed.
    expect(times.slice(0, 4)).toEqual([0, 1_800, 7_200, 10_800]);
    for (let index = 3; index < 60; index++) expect(times[index]! - times[index - 1]!).toBe(3_600);
  });

  it('has longer if it was joined within a group of pictures', () => {
    const push = new Push('off').attach();
    const error = failureOf(() => pushed(push, 30, () => message(false, nalus([SLICE]))));
    expect([error.code, push.clock.monoMs()]).toEqual(['RTMP_NO_PARAMETER_SETS', KEY_WAIT_MS]);
  });
});

describe('PushedMedia', () => {
  it.each([
    ['AV1', Buffer.concat([Buffer.of(0x90), Buffer.from('av01')]), 'av01'],
    ['VP9', Buffer.concat([Buffer.of(0x91), Buffer.from('vp09')]), 'vp09'],
    ['AV1 with a number of its own', Buffer.from('1d00000000', 'hex'), 'AV1'],
  ])('refuses %s with its name', (_title, payload, encoding) => {
    const push = new Push().attach();
    let error: unknown;
    try {
      push.media.video(0, payload, 0);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'RTMP_UNSUPPORTED_VIDEO', context: { encoding } });
  });
});
