/** AAC whose clock runs fast or slow, from its packets to parts: when viewers hear a frame, and which frames are left out or put in. */

import { describe, expect, it } from 'vitest';
import { packAacFrames } from '../rtp/aac/aac-packetizer.ts';
import { MediaReceiver } from '../rtp/media-receiver.ts';
import {
  AUDIO_PT,
  AUDIO_TRACK,
  rtpPacket,
  SamplePackets,
  slice,
  VIDEO_TRACK,
} from '../rtp/sample-stream-fixture.ts';
import { FRAME_SAMPLES, type HeardFrame, HeardSound, numberedAacFrame } from './heard-sound-fixture.ts';

const PICTURE_MS = 40;
const SETTLED_MS = 60_000;
const MAX_OFF_MS = 100;

/**
 * Plays `seconds` of a camera whose sound card runs fast by `rate`. `gainAt`: how loud a frame is. `isMeasured`: its timestamps are
 * those of a right clock, not of the samples that were counted.
 */
function listen(
  rate: number,
  sampleRateHz: number,
  seconds: number,
  gainAt = (_ms: number) => 120,
  isMeasured = false,
): HeardFrame[] {
  const sound = new HeardSound(sampleRateHz);
  const { config, segmenter } = sound;
  const fmtp = new Map([...AUDIO_TRACK.fmtp, ['config', Buffer.from(config).toString('hex')]]);
  const receiver = new MediaReceiver({
    tracks: [VIDEO_TRACK, { ...AUDIO_TRACK, clockRateHz: sampleRateHz, channelCount: 1, fmtp }],
    transport: 'tcp',
    localSsrc: 1,
    events: {
      onTracks: (tracks) => segmenter.setTracks(tracks),
      onAccessUnit: (unit) => segmenter.push(unit),
      onDropped: () => undefined,
    },
  });
  const packets = new SamplePackets(0);
  const frameMs = (FRAME_SAMPLES * 1_000) / (sampleRateHz * (1 + rate));
  let frame = 0;
  for (let picture = 0; picture * PICTURE_MS < seconds * 1_000; picture++) {
    const nowMs = picture * PICTURE_MS;
    for (; (frame + 1) * frameMs <= nowMs; frame++) {
      const payload = packAacFrames([numberedAacFrame(frame, gainAt(frame * frameMs))]);
      const stampedFrameSamples = isMeasured ? FRAME_SAMPLES / (1 + rate) : FRAME_SAMPLES;
      const stamp = Math.round(frame * stampedFrameSamples);
      const packet = rtpPacket(AUDIO_PT, frame & 0xffff, stamp, payload, true, 2);
      receiver.rtp(1, packet, 0, packet.length, (frame + 1) * frameMs);
    }
    const kind = picture % 25 === 0 ? 'idr' : 'reference';
    for (const packet of packets.picture(picture * PICTURE_MS * 90, [slice(kind, `${picture}`)]))
      receiver.rtp(0, packet, 0, packet.length, nowMs);
  }
  return sound.heard();
}

/** After the first minute. */
function expectInPlace(heard: readonly HeardFrame[], rate: number, sampleRateHz: number): void {
  const frameMs = (FRAME_SAMPLES * 1_000) / (sampleRateHz * (1 + rate));
  const settled = heard.filter(({ startMs, frame }) => startMs > SETTLED_MS && frame !== null);
  expect(settled.length).toBeGreaterThan(500);
  // A frame arrives when its last sample was recorded, and its arrival places it.
  const offsMs = settled.map(({ startMs, frame }) => startMs - (frame! + 1) * frameMs);
  expect(Math.min(...offsMs)).toBeGreaterThan(-MAX_OFF_MS);
  expect(Math.max(...offsMs)).toBeLessThan(MAX_OFF_MS);
}

describe('AAC of a wrong sampling rate', () => {
  const rates = [-0.02, -0.008, -0.0023, 0.008, 0.01, 0.02];
  const cases = [8_000, 16_000, 48_000].flatMap((hz) => rates.map((rate) => [hz, rate] as const));

  it.each(cases)('of %i Hz is heard beside its picture, at %d', (sampleRateHz, rate) => {
    expectInPlace(listen(rate, sampleRateHz, 150), rate, sampleRateHz);
  });

  it.each(cases)(
    'of %i Hz is heard beside its picture, at %d, if timestamps say so',
    (sampleRateHz, rate) => {
      const heard = listen(rate, sampleRateHz, 150, undefined, true);
      expectInPlace(heard, rate, sampleRateHz);
    },
  );

  it.each(rates.flatMap((rate) => [false, true].map((isMeasured) => [rate, isMeasured] as const)))(
    'costs as many frames as it must, and no silence, at %d, timestamps measured: %s',
    (rate, isMeasured) => {
      const all = listen(rate, 48_000, 150, undefined, isMeasured);
      const heard = all.filter(({ startMs }) => startMs > SETTLED_MS);
      const frames = heard.map(({ frame }) => frame);
      expect(frames).not.toContain(null);
      const steps = frames.slice(1).map((frame, index) => frame! - frames[index]!);
      const changed = steps.filter((step) => step !== 1);
      // Each is one frame, and all in the same direction.
      expect(new Set(changed)).toEqual(new Set([rate < 0 ? 0 : 2]));
      const needed = Math.abs(rate) * heard.length;
      expect(Math.abs(changed.length - needed)).toBeLessThan(needed * 0.1 + 2);
    },
  );

  it.each([-0.008, 0.008])('loses or repeats frames where it is quiet, at %d', (rate) => {
    // Someone who speaks, with pauses of 0.3 s.
    const gainAt = (ms: number) => (ms % 1_500 < 300 ? 100 : 140 + (ms % 7));
    const heard = listen(rate, 48_000, 150, gainAt).filter(({ startMs }) => startMs > SETTLED_MS);
    const frameMs = (FRAME_SAMPLES * 1_000) / (48_000 * (1 + rate));
    const changed = heard.filter(({ frame }, index) => index > 0 && frame! - heard[index - 1]!.frame! !== 1);
    expect(changed.length).toBeGreaterThan(20);
    const loud = changed.filter(({ frame }) => gainAt((frame! - (rate > 0 ? 1 : 0)) * frameMs) > 100);
    expect(loud).toEqual([]);
  });
});
