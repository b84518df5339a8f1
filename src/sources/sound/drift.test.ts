/** A sound card whose clock is off, for minutes: the sound stays in sync with the picture, with and without sender reports. */

import { expect, it } from 'vitest';
import { decodeFlac } from '../../codec/flac/flac-decoder-fixture.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import {
  AUDIO_PT,
  AUDIO_TRACK,
  RecordingReceiver,
  rtpPacket,
  SamplePackets,
  senderReport,
  slice,
  VIDEO_TRACK,
} from '../../rtp/sample-stream-fixture.ts';
import { FlacSound } from './flac-sound.ts';
import { pcmFormatOf } from './pcm-format.ts';

const RATE_HZ = 8_000;
const PACKET_SAMPLES = 160;
const PICTURE_SEC = 0.04;
const TEN_MINUTES_SEC = 600;
/** By then, the gateway knows a clock that is off by more than any quartz. */
const SETTLED_SEC = 60;
const CLICK_EVERY_SEC = 10;
const REPORT_EVERY_PACKETS = 250;
const SSRC = 0xa0d10;
const NTP_SEC = 4e9;
/** Longer than a FLAC frame without a click. */
const LOUD_BYTES = 30;
const MAX_OFF_MS = 80;
const HUM_HZ = 440;
const HUM = 9_000;

interface Listened {
  /** Media times of the FLAC frames, and their bytes. */
  readonly frames: readonly { readonly startSec: number; readonly data: Buffer }[];
  readonly samplesPerFrame: number;
}

/** `sampleAt`: the sample that a sound card that runs fast by `ppm` records at a time. */
function listen(
  ppm: number,
  seconds: number,
  hasReports: boolean,
  sampleAt: (sec: number, sampleSec: number) => number,
): Listened {
  const rateHz = RATE_HZ;
  const format = {
    payloadType: AUDIO_PT,
    encoding: 'l16',
    clockRateHz: rateHz,
    channelCount: 1,
    fmtp: new Map(),
  };
  const clock = new FakeClock();
  const frames: { startSec: number; data: Buffer }[] = [];
  const sound = new FlacSound(pcmFormatOf(format)!, clock, {
    onUnit: (ticks, data) => frames.push({ startSec: ticks / rateHz, data: Buffer.from(data) }),
    onWaiting: () => undefined,
  });
  const track = { ...AUDIO_TRACK, encoding: 'coded-sound', clockRateHz: rateHz, fmtp: new Map() } as const;
  const recorder = new RecordingReceiver({ tracks: [VIDEO_TRACK, track], sound });
  const packets = new SamplePackets(0);
  const realRateHz = rateHz * (1 + ppm / 1e6);
  let picture = 0;
  for (let packet = 0; packet * PACKET_SAMPLES < seconds * realRateHz; packet++) {
    const sec = (packet * PACKET_SAMPLES) / realRateHz;
    for (; picture * PICTURE_SEC <= sec; picture++) {
      const nalu = slice(picture % 25 === 0 ? 'idr' : 'reference', 'x');
      recorder.feed(packets.picture(1_000_000 + picture * 3_600, [nalu]), picture * PICTURE_SEC * 1_000);
    }
    const rtpTimestamp = 500_000 + packet * PACKET_SAMPLES;
    if (hasReports && packet % REPORT_EVERY_PACKETS === 0) {
      const video = senderReport(1, NTP_SEC + sec, 1_000_000 + Math.round(sec * 90_000));
      const audio = senderReport(2, NTP_SEC + sec, rtpTimestamp);
      recorder.receiver.rtcp(0, video, 0, video.length, sec * 1_000);
      recorder.receiver.rtcp(1, audio, 0, audio.length, sec * 1_000);
    }
    const payload = Buffer.alloc(2 * PACKET_SAMPLES);
    for (let index = 0; index < PACKET_SAMPLES; index++)
      payload.writeInt16BE(sampleAt(sec + index / realRateHz, 1 / realRateHz), 2 * index);
    const bytes = rtpPacket(AUDIO_PT, packet & 0xffff, rtpTimestamp, payload, false, SSRC);
    recorder.feed([bytes], sec * 1_000, 1);
    clock.advance(PACKET_SAMPLES / 8);
  }
  return { frames, samplesPerFrame: sound.track.samplesPerFrame };
}

function click(sec: number, sampleSec: number): number {
  const isClick = sec > 1 && sec % CLICK_EVERY_SEC < sampleSec;
  return isClick ? 30_000 : 0;
}

it.each([
  [300, TEN_MINUTES_SEC, true],
  [-300, TEN_MINUTES_SEC, true],
  [300, TEN_MINUTES_SEC, false],
  [-2_300, 180, false],
  [8_000, 180, true],
  [8_000, 180, false],
  [-20_000, 180, true],
  [-20_000, 180, false],
  [20_000, 180, false],
])(
  'a sound card that is off by %i ppm stays beside the picture for %i s, reports: %s',
  (ppm, seconds, hasReports) => {
    const { frames, samplesPerFrame } = listen(ppm, seconds, hasReports, click);
    const clicksSec = frames.filter(({ data }) => data.length > LOUD_BYTES).map(({ startSec }) => startSec);
    const frameSec = samplesPerFrame / RATE_HZ;
    const offMs = clicksSec
      .filter((startSec) => startSec > SETTLED_SEC)
      .map((startSec) => {
        const clickSec = Math.round((startSec + frameSec / 2) / CLICK_EVERY_SEC) * CLICK_EVERY_SEC;
        return Math.max(0, startSec - clickSec, clickSec - startSec - frameSec) * 1_000;
      });
    expect(offMs.length).toBeGreaterThanOrEqual((seconds - SETTLED_SEC) / CLICK_EVERY_SEC - 1);
    expect(Math.max(...offMs)).toBeLessThan(MAX_OFF_MS);
    // No hole and no overlap.
    const steps = frames
      .slice(1)
      .map(({ startSec }, index) => (startSec - frames[index]!.startSec) * RATE_HZ);
    expect(steps.filter((step) => Math.abs(step - samplesPerFrame) > 1e-6)).toEqual([]);
  },
);

it.each([8_000, -20_000, 20_000])('a hum stays a hum when its clock is off by %i ppm', (ppm) => {
  const { frames } = listen(ppm, 90, false, (sec) => Math.round(HUM * Math.sin(2 * Math.PI * HUM_HZ * sec)));
  const samples = decodeFlac(frames.filter(({ startSec }) => startSec > SETTLED_SEC).map(({ data }) => data));
  // The samples are a sine: each follows from the two before it. One left out, or heard twice, is off by up to 3,000.
  const twice = 2 * Math.cos((2 * Math.PI * HUM_HZ) / RATE_HZ);
  let worst = 0;
  for (let at = 2; at < samples.length; at++)
    worst = Math.max(worst, Math.abs(samples[at]! - twice * samples[at - 1]! + samples[at - 2]!));
  expect(samples.length).toBeGreaterThan(20 * RATE_HZ);
  expect(worst).toBeLessThan(HUM / 30);
});
