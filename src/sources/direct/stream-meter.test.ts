import { describe, expect, it } from 'vitest';
import type { AacTrack, AccessUnit, H264Track } from '../../codec/track.ts';
import { StreamMeter } from './stream-meter.ts';

const VIDEO: H264Track = {
  kind: 'video',
  codec: 'h264',
  timescaleHz: 90_000,
  sps: [],
  pps: [],
  widthPx: 16,
  heightPx: 16,
  nominalFrameRateHz: null,
  codecString: 'avc1.42c00a',
};
const AUDIO: AacTrack = {
  kind: 'audio',
  codec: 'aac',
  timescaleHz: 16_000,
  audioSpecificConfig: new Uint8Array(2),
  sampleRateHz: 16_000,
  channelCount: 1,
  samplesPerFrame: 1_024,
  codecString: 'mp4a.40.2',
};
const NOW_EPOCH_MS = Date.UTC(2026, 0, 1);

function unit(trackIndex: number, dtsTicks: number, isKey: boolean): AccessUnit {
  return { trackIndex, dtsTicks, ptsTicks: dtsTicks, isKey, data: new Uint8Array(0), arrivalMonoMs: 0 };
}

/** Frames 25 times per second for `seconds`; their timestamps advance by `ticks` each. */
function arriving(seconds: number, ticks: number): StreamMeter {
  const meter = new StreamMeter(() => NOW_EPOCH_MS);
  meter.tracks([AUDIO, VIDEO]);
  for (let index = 0; index <= seconds * 25; index++) {
    meter.accessUnit({ ...unit(1, index * ticks, index % 25 === 0), arrivalMonoMs: index * 40 });
  }
  return meter;
}

function meterOf(pictures: number, gop: number): StreamMeter {
  const meter = new StreamMeter(() => NOW_EPOCH_MS);
  meter.tracks([AUDIO, VIDEO]);
  for (let index = 0; index < pictures; index++) {
    meter.accessUnit(unit(1, index * 3_000, index % gop === 0));
    meter.accessUnit(unit(0, index * 512, true));
  }
  return meter;
}

/** A sender report from a camera whose clock is `offsetMs` ahead. */
function senderReport(offsetMs: number): Buffer {
  const report = Buffer.alloc(28);
  report.writeUInt32BE(0x80c80006, 0);
  const ntpMs = NOW_EPOCH_MS + offsetMs + 2_208_988_800_000;
  report.writeUInt32BE(Math.floor(ntpMs / 1_000), 8);
  report.writeUInt32BE(Math.floor(((ntpMs % 1_000) / 1_000) * 2 ** 32), 12);
  return report;
}

describe('StreamMeter', () => {
  it('detects frozen video, and does not count it as measured', () => {
    expect([arriving(2, 0).isFrozen, arriving(4, 0).isFrozen, arriving(4, 1).isFrozen]).toEqual([
      false,
      true,
      true,
    ]);
    expect([arriving(2, 0).isComplete, arriving(4, 3_600).isComplete]).toEqual([false, true]);
    expect(arriving(4, 3_600).isFrozen).toBe(false);
  });

  it('measures the group of pictures and the frame rate from the video alone', () => {
    const meter = meterOf(61, 60);
    expect([meter.gopMs, meter.frameRateHz, meter.isComplete]).toEqual([2_000, 30, true]);
  });

  it('knows neither before a second key frame and enough frames', () => {
    const meter = meterOf(5, 60);
    expect([meter.gopMs, meter.frameRateHz, meter.isComplete, meter.hasFrames]).toEqual([
      null,
      null,
      false,
      true,
    ]);
  });

  it('starts over with new tracks', () => {
    const meter = meterOf(20, 60);
    meter.tracks([VIDEO]);
    expect([meter.frameRateHz, meter.hasFrames]).toEqual([null, false]);
  });

  it.each([0, 1_500, -86_400_000])('detects that the camera is %i ms ahead', (offsetMs) => {
    const meter = new StreamMeter(() => NOW_EPOCH_MS);
    const bytes = Buffer.concat([Buffer.from('xx'), senderReport(offsetMs)]);
    meter.rtcp(bytes, 2, bytes.length);
    expect(Math.abs(meter.clockOffsetMs! - offsetMs)).toBeLessThanOrEqual(1);
  });

  it('takes no clock from other packets, short packets or a camera without a clock', () => {
    const meter = new StreamMeter(() => NOW_EPOCH_MS);
    const report = senderReport(0);
    meter.rtcp(report, 0, 27);
    meter.rtcp(Buffer.concat([Buffer.from([0x80, 201]), report.subarray(2)]), 0, 28);
    meter.rtcp(Buffer.alloc(28).fill(report.subarray(0, 4), 0, 4), 0, 28);
    expect(meter.clockOffsetMs).toBeNull();
  });
});
