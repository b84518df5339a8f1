/** A sound card whose clock is off, over 10 minutes: sender reports tell, and the sound stays beside the picture. */

import { expect, it } from 'vitest';
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
} from '../../rtp/sample-stream.ts';
import { FlacSound } from './flac-sound.ts';
import { pcmFormatOf } from './pcm-format.ts';

const RATE_HZ = 8_000;
const PACKET_SAMPLES = 160;
const TEN_MINUTES_SEC = 600;
const CLICK_EVERY_SEC = 10;
const REPORT_EVERY_PACKETS = 250;
const SSRC = 0xa0d10;
const NTP_SEC = 4e9;
/** Longer than a FLAC frame without a click. */
const LOUD_BYTES = 20;
const MAX_OFF_MS = 80;

it.each([300, -300])(
  'a sound card that is off by %i ppm stays within 80 ms of the picture for 10 minutes',
  (ppm) => {
    const format = {
      payloadType: AUDIO_PT,
      encoding: 'pcmu',
      clockRateHz: RATE_HZ,
      channelCount: 1,
      fmtp: new Map(),
    };
    const clock = new FakeClock();
    const clicksSec: number[] = [];
    const starts: number[] = [];
    const sound = new FlacSound(pcmFormatOf(format)!, clock, {
      onUnit: (ticks, data) => {
        starts.push(ticks);
        if (data.length > LOUD_BYTES) clicksSec.push(ticks / RATE_HZ);
      },
      onWaiting: () => undefined,
    });
    const track = { ...AUDIO_TRACK, encoding: 'coded-sound', clockRateHz: RATE_HZ, fmtp: new Map() } as const;
    const recorder = new RecordingReceiver({ tracks: [VIDEO_TRACK, track], sound });
    const packets = new SamplePackets(0);
    recorder.feed(packets.picture(1_000_000, [slice('idr', 'a')]), 0);
    recorder.feed(packets.picture(1_003_600, [slice('reference', 'b')]), 0);
    const realRateHz = RATE_HZ * (1 + ppm / 1e6);
    for (let packet = 0; packet * PACKET_SAMPLES < TEN_MINUTES_SEC * realRateHz; packet++) {
      const sec = (packet * PACKET_SAMPLES) / realRateHz;
      const rtpTimestamp = 500_000 + packet * PACKET_SAMPLES;
      if (packet % REPORT_EVERY_PACKETS === 0) {
        const video = senderReport(1, NTP_SEC + sec, 1_000_000 + Math.round(sec * 90_000));
        const audio = senderReport(2, NTP_SEC + sec, rtpTimestamp);
        recorder.receiver.rtcp(0, video, 0, video.length, sec * 1_000);
        recorder.receiver.rtcp(1, audio, 0, audio.length, sec * 1_000);
      }
      const payload = Buffer.alloc(PACKET_SAMPLES, 0xff);
      const clickAt =
        Math.round(Math.ceil(sec / CLICK_EVERY_SEC) * CLICK_EVERY_SEC * realRateHz) - packet * PACKET_SAMPLES;
      if (packet > 0 && clickAt < PACKET_SAMPLES) payload[clickAt] = 0x80;
      recorder.feed(
        [rtpPacket(AUDIO_PT, packet & 0xffff, rtpTimestamp, payload, false, SSRC)],
        sec * 1_000,
        1,
      );
      clock.advance(PACKET_SAMPLES / 8);
    }
    expect(clicksSec.length).toBe(TEN_MINUTES_SEC / CLICK_EVERY_SEC - 1);
    const frameSec = sound.track.samplesPerFrame / RATE_HZ;
    const offMs = clicksSec.map((startSec, index) => {
      const clickSec = (index + 1) * CLICK_EVERY_SEC;
      return Math.max(0, startSec - clickSec, clickSec - startSec - frameSec) * 1_000;
    });
    process.stdout.write(`${ppm} ppm: at most ${Math.max(...offMs).toFixed(1)} ms off\n`);
    expect(Math.max(...offMs)).toBeLessThan(MAX_OFF_MS);
    // No hole and no overlap.
    expect(
      starts.every(
        (ticks, index) => index === 0 || ticks - starts[index - 1]! === sound.track.samplesPerFrame,
      ),
    ).toBe(true);
  },
);
