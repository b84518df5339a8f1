import { describe, expect, it } from 'vitest';
import { aacTrackOf, buildAudioSpecificConfig } from '../codec/aac/audio-specific-config.ts';
import { flacTrackOf, writeStreamInfo } from '../codec/flac/stream-info.ts';
import { packAacFrames, packetizeAac } from './aac/aac-packetizer.ts';
import type { ClockReading } from './camera-clock.ts';
import { MediaReceiver } from './media-receiver.ts';
import {
  AUDIO_PT,
  AUDIO_TRACK,
  RecordingReceiver,
  rtpPacket,
  SamplePackets,
  senderReport,
  slice,
  VIDEO_TRACK,
} from './sample-stream-fixture.ts';

/** A frame's payload of one byte, which identifies it. */
function audioPacket(sequence: number, rtpTimestamp: number, ...frames: number[]): Buffer {
  const payload = packAacFrames(frames.map((byte) => Uint8Array.of(byte)));
  return rtpPacket(AUDIO_PT, sequence, rtpTimestamp, payload, true, 0xa0d10);
}

describe('MediaReceiver, audio', () => {
  const tracks = [VIDEO_TRACK, AUDIO_TRACK];

  /** Two pictures, so that the first one is out. */
  function startVideo(recorder: RecordingReceiver, arrivalMonoMs: number): SamplePackets {
    const packets = new SamplePackets(0);
    recorder.feed(packets.picture(1_000_000, [slice('idr', 'a')]), arrivalMonoMs);
    recorder.feed(packets.picture(1_003_600, [slice('reference', 'b')]), arrivalMonoMs);
    return packets;
  }

  function audioUnits(recorder: RecordingReceiver) {
    return recorder.units.filter((unit) => unit.trackIndex === 1);
  }

  it('discards what comes before the first key frame', () => {
    const recorder = new RecordingReceiver({ tracks });
    recorder.feed([audioPacket(1, 0, 1), audioPacket(2, 1_024, 2)], 0, 1);
    startVideo(recorder, 20);
    recorder.feed([audioPacket(3, 2_048, 3)], 30, 1);
    expect(recorder.announced[0]!.map((track) => track.kind)).toEqual(['video', 'audio']);
    expect(audioUnits(recorder).map((unit) => [...unit.data])).toEqual([[3]]);
    expect(recorder.dropped).toEqual([['RTP_JOINING', 2]]);
  });

  it('takes several frames from one packet and joins fragments', () => {
    const recorder = new RecordingReceiver({ tracks });
    startVideo(recorder, 0);
    recorder.feed([audioPacket(1, 9_000, 1, 2, 3)], 0, 1);
    const large = new Uint8Array(3_000).fill(7);
    packetizeAac(large, 1_400).forEach((payload, index) => {
      recorder.feed([rtpPacket(AUDIO_PT, 2 + index, 9_000 + 3_072, payload, index === 2, 0xa0d10)], 0, 1);
    });
    const units = audioUnits(recorder);
    expect(units.map((unit) => unit.data.length)).toEqual([1, 1, 1, 3_000]);
    expect(units.map((unit) => unit.dtsTicks)).toEqual([0, 1_024, 2_048, 3_072]);
    expect(units.every((unit) => unit.isKey && unit.ptsTicks === unit.dtsTicks)).toBe(true);
  });

  it('aligns by sender reports when both tracks have one', () => {
    const recorder = new RecordingReceiver({ tracks });
    const [video, audio] = [senderReport(1, 4e9 + 10, 1_000_000), senderReport(2, 4e9 + 10, 500_000)];
    recorder.receiver.rtcp(0, video, 0, video.length, 0);
    recorder.receiver.rtcp(1, audio, 0, audio.length, 0);
    startVideo(recorder, 100);
    // Sampled 0.25 s after the picture, though it arrives at the same time.
    recorder.feed([audioPacket(1, 512_000, 1)], 100, 1);
    expect(audioUnits(recorder)[0]!.dtsTicks).toBe(12_000);
  });

  it('aligns by RTP-Info when there are no reports', () => {
    const recorder = new RecordingReceiver({ tracks });
    recorder.receiver.applyRtpInfo(0, { seq: 0, rtpTime: 1_000_000 });
    recorder.receiver.applyRtpInfo(1, { seq: 0, rtpTime: 500_000 });
    startVideo(recorder, 100);
    recorder.feed([audioPacket(1, 524_000, 1)], 100, 1);
    expect(audioUnits(recorder)[0]!.dtsTicks).toBe(24_000);
  });

  it('aligns by arrival when RTP-Info and reports are nonsense', () => {
    const recorder = new RecordingReceiver({ tracks });
    const [video, audio] = [senderReport(1, 4e9, 1_000_000), senderReport(2, 1e9, 500_000)];
    recorder.receiver.rtcp(0, video, 0, video.length, 0);
    recorder.receiver.rtcp(1, audio, 0, audio.length, 0);
    recorder.receiver.applyRtpInfo(0, { seq: 0, rtpTime: 0 });
    recorder.receiver.applyRtpInfo(1, { seq: 0, rtpTime: 0 });
    startVideo(recorder, 100);
    recorder.feed([audioPacket(1, 7_777_777, 1)], 150, 1);
    expect(audioUnits(recorder)[0]!.dtsTicks).toBe(2_400);
  });

  it.each([
    ['behind', -1_900],
    ['far behind', -500_000],
    ['far ahead', 2_500],
  ])('does not believe reports that put audio %s the pictures it arrived with', (_title, offMs) => {
    const recorder = new RecordingReceiver({ tracks });
    const [video, audio] = [
      senderReport(1, 4e9 + 10, 1_000_000),
      senderReport(2, 4e9 + 10 + offMs / 1_000, 500_000),
    ];
    recorder.receiver.rtcp(0, video, 0, video.length, 0);
    recorder.receiver.rtcp(1, audio, 0, audio.length, 0);
    startVideo(recorder, 0);
    for (let index = 0; index < 50; index++)
      recorder.feed([audioPacket(1 + index, 500_000 + index * 1_024, 1)], (index * 1_024) / 48, 1);
    const times = audioUnits(recorder).map((unit) => unit.dtsTicks);
    expect(times).toEqual(Array.from({ length: 50 }, (_, index) => index * 1_024));
  });

  it.each([
    ['behind', -1_900],
    ['far ahead', 2_500],
    ['in another epoch', 1e6],
  ])('neither loses nor moves audio when reports jump %s in mid-stream', (_title, jumpMs) => {
    const recorder = new RecordingReceiver({ tracks });
    startVideo(recorder, 0);
    const count = 500;
    for (let index = 0; index < count; index++) {
      const sec = (index * 1_024) / 48_000;
      if (index % 100 === 50) {
        const offSec = index > 250 ? jumpMs / 1_000 : 0;
        const video = senderReport(1, 4e9 + sec, 1_000_000 + Math.round(sec * 90_000));
        const audio = senderReport(2, 4e9 + sec + offSec, 500_000 + index * 1_024);
        recorder.receiver.rtcp(0, video, 0, video.length, sec * 1_000);
        recorder.receiver.rtcp(1, audio, 0, audio.length, sec * 1_000);
      }
      recorder.feed([audioPacket(1 + index, 500_000 + index * 1_024, 1)], sec * 1_000, 1);
    }
    const times = audioUnits(recorder).map((unit) => unit.dtsTicks);
    expect(times).toEqual(Array.from({ length: count }, (_, index) => index * 1_024));
    expect(recorder.dropped).toEqual([]);
  });

  it('passes coded audio on with its time, and announces the resulting track', () => {
    const pcmu = { ...AUDIO_TRACK, encoding: 'coded-sound', clockRateHz: 8_000, fmtp: new Map() } as const;
    const payloads: [text: string, ticks: number][] = [];
    const recorder = new RecordingReceiver({
      tracks: [VIDEO_TRACK, pcmu],
      sound: {
        track: aacTrackOf(buildAudioSpecificConfig(48_000, 1))!,
        push: (chunk, start, end, ticks) =>
          payloads.push([Buffer.from(chunk.subarray(start, end)).toString(), ticks]),
        gap: () => payloads.push(['gap', -1]),
      },
    });
    const packet = (sequence: number, rtpTimestamp: number, text: string) =>
      rtpPacket(AUDIO_PT, sequence, rtpTimestamp, Buffer.from(text), false, 0xa0d10);
    recorder.feed([packet(1, 0, 'early')], 0, 1);
    startVideo(recorder, 100);
    recorder.feed([packet(2, 4_000, 'first'), packet(3, 4_160, 'second')], 200, 1);
    recorder.feed([packet(5, 4_480, 'fourth')], 240, 1);
    expect(recorder.announced[0]!.map((track) => track.codecString)).toEqual(['avc1.64000d', 'mp4a.40.2']);
    expect(payloads).toEqual([
      ['first', 800],
      ['second', 960],
      ['gap', -1],
      ['fourth', 1_280],
    ]);
  });

  it('extracts AAC from LATM', () => {
    const config = new Map([
      ['cpresent', '0'],
      ['config', '400026203fc0'],
    ]);
    const latm = { ...AUDIO_TRACK, encoding: 'aac-latm', clockRateHz: 24_000, fmtp: config } as const;
    const recorder = new RecordingReceiver({ tracks: [VIDEO_TRACK, latm] });
    startVideo(recorder, 0);
    for (let index = 0; index < 3; index++) {
      const packet = rtpPacket(AUDIO_PT, index, index * 1_024, Buffer.from([2, 0x21, index]), true, 0xa0d10);
      recorder.feed([packet], 0, 1);
    }
    expect(recorder.announced[0]![1]).toMatchObject({ sampleRateHz: 24_000, channelCount: 2 });
    expect(audioUnits(recorder).map(({ dtsTicks, data }) => [dtsTicks, ...data])).toEqual([
      [0, 0x21, 0],
      [1_024, 0x21, 1],
      [2_048, 0x21, 2],
    ]);
  });

  it('extracts AAC from LATM that has its configuration in band, which ffmpeg does not read', () => {
    const latm = { ...AUDIO_TRACK, encoding: 'aac-latm', clockRateHz: 90_000, fmtp: new Map() } as const;
    const recorder = new RecordingReceiver({ tracks: [VIDEO_TRACK, latm] });
    startVideo(recorder, 0);
    // StreamMuxConfig of 24 kHz, stereo; then a frame of two bytes; then one with the configuration before.
    const first = Buffer.from('200013101fe0110808', 'hex');
    const feed = (payload: Buffer, index: number) => {
      const packet = rtpPacket(AUDIO_PT, index, index * 3_840, payload, true, 0xa0d10);
      recorder.feed([packet], index * 43, 1);
    };
    feed(first, 0);
    feed(Buffer.from('81108080', 'hex'), 1);
    expect(recorder.announced.map((announced) => announced[1])).toMatchObject([
      { sampleRateHz: 48_000 },
      { sampleRateHz: 24_000, channelCount: 2 },
    ]);
    expect(recorder.announced[1]![0]).toEqual(recorder.announced[0]![0]);
    expect(audioUnits(recorder).map(({ dtsTicks, data }) => [dtsTicks, ...data])).toEqual([
      [0, 0x21, 1],
      [1_024, 0x21, 1],
    ]);
  });

  it('moves toward later reports by no more than 500 ppm', () => {
    const recorder = new RecordingReceiver({ tracks });
    startVideo(recorder, 0);
    recorder.feed([audioPacket(1, 500_000, 1)], 0, 1);
    // The audio really is 100 ms later than its arrival suggested.
    const [video, audio] = [senderReport(1, 4e9 + 10, 1_000_000), senderReport(2, 4e9 + 10.1, 500_000)];
    recorder.receiver.rtcp(0, video, 0, video.length, 0);
    recorder.receiver.rtcp(1, audio, 0, audio.length, 0);
    const count = 14_000;
    for (let index = 1; index < count; index++)
      recorder.feed([audioPacket(1 + index, 500_000 + index * 1_024, 1)], (index * 1_024) / 48, 1);
    const times = audioUnits(recorder).map((unit) => unit.dtsTicks);
    times.forEach((ticks, index) => {
      if (index === 0) return;
      expect(Math.abs(ticks - times[index - 1]! - 1_024)).toBeLessThanOrEqual(2);
    });
    expect(times.at(-1)! - (count - 1) * 1_024).toBeGreaterThan(4_790);
    expect(times.at(-1)! - (count - 1) * 1_024).toBeLessThanOrEqual(4_801);
  });

  it('evens out the timestamps of a busy camera, and follows a lost frame', () => {
    const recorder = new RecordingReceiver({ tracks });
    startVideo(recorder, 0);
    const jitter = [0, 300, -200, 250, 0, 100];
    jitter.forEach((ticks, index) => {
      recorder.feed([audioPacket(1 + index, 10_000 + index * 1_024 + ticks, 1)], 0, 1);
    });
    recorder.feed([audioPacket(8, 10_000 + 8 * 1_024, 1)], 0, 1);
    const times = audioUnits(recorder).map((unit) => unit.dtsTicks);
    for (let index = 1; index < 6; index++)
      expect(Math.abs(times[index]! - times[index - 1]! - 1_024)).toBeLessThanOrEqual(2);
    expect(times[6]! - times[5]!).toBeGreaterThan(2_900);
    expect(recorder.dropped).toEqual([['RTP_PACKET_LOSS', 1]]);
  });

  it('leaves out a track that does not say how to decode it', () => {
    const mute = { ...AUDIO_TRACK, fmtp: new Map([['config', 'zz']]) };
    const recorder = new RecordingReceiver({ tracks: [mute, VIDEO_TRACK] });
    const packets = new SamplePackets(0);
    recorder.feed(packets.picture(0, [slice('idr', 'a')]), 0, 1);
    recorder.feed(packets.picture(3_600, [slice('reference', 'b')]), 0, 1);
    recorder.feed([audioPacket(1, 0, 1)], 0, 0);
    expect(recorder.announced[0]!.map((track) => track.kind)).toEqual(['video']);
    expect(recorder.pictures).toEqual(['a', 'b']);
  });
});

describe('MediaReceiver, without video', () => {
  it('begins with the first packet, at time 0, and announces the audio alone', () => {
    const recorder = new RecordingReceiver({ tracks: [AUDIO_TRACK] });
    recorder.feed([audioPacket(1, 4_000_000_000, 1, 2), audioPacket(2, 4_000_002_048, 3)], 500);
    expect(recorder.announced.map((tracks) => tracks.map(({ kind }) => kind))).toEqual([['audio']]);
    expect(recorder.units.map(({ trackIndex, dtsTicks, isKey }) => [trackIndex, dtsTicks, isKey])).toEqual([
      [0, 0, true],
      [0, 1_024, true],
      [0, 2_048, true],
    ]);
    expect(recorder.dropped).toEqual([]);
  });

  it('bridges a jump of the timestamps by the time that passed', () => {
    const recorder = new RecordingReceiver({ tracks: [AUDIO_TRACK] });
    recorder.feed([audioPacket(1, 0, 1)], 0);
    recorder.feed([audioPacket(2, 1_024, 2)], 21);
    recorder.feed([audioPacket(3, 2_000_000_000, 3)], 43);
    const [, second, third] = recorder.units;
    expect(third!.dtsTicks - second!.dtsTicks).toBeLessThan(4 * 1_024);
    expect(third!.dtsTicks).toBeGreaterThan(second!.dtsTicks);
    expect(recorder.dropped).toEqual([['RTP_TIMESTAMP_JUMP', 0]]);
  });

  it('hands coded audio on with times that begin at 0', () => {
    const times: number[] = [];
    const track = flacTrackOf(
      writeStreamInfo({
        minBlockSamples: 320,
        maxBlockSamples: 320,
        sampleRateHz: 8_000,
        channelCount: 1,
        bitsPerSample: 16,
      }),
    )!;
    const coded = { ...AUDIO_TRACK, encoding: 'coded-sound', clockRateHz: 8_000, fmtp: new Map() } as const;
    const recorder = new RecordingReceiver({
      tracks: [coded],
      sound: { track, push: (_chunk, _start, _end, ticks) => times.push(ticks), gap: () => undefined },
    });
    for (let i = 0; i < 3; i++) {
      recorder.feed([rtpPacket(AUDIO_PT, i, 7_000 + i * 160, Buffer.alloc(160), false, 0xa0d10)], i * 20);
    }
    expect([times, recorder.announced]).toEqual([[0, 160, 320], [[track]]]);
  });

  it('reads the clocks of the device from its audio', () => {
    const readings: ClockReading[] = [];
    const receiver = new MediaReceiver({
      tracks: [AUDIO_TRACK],
      transport: 'tcp',
      localSsrc: 1,
      events: {
        onTracks: () => undefined,
        onAccessUnit: () => undefined,
        onDropped: () => undefined,
        onClock: (reading) => readings.push(reading),
      },
    });
    for (let i = 0; i < 48 * 60; i++) {
      const packet = audioPacket(i & 0xffff, i * 1_024, 1);
      // 200 ppm fast: less time passes than the timestamps say.
      receiver.rtp(0, packet, 0, packet.length, ((i * 1_024) / 48) * (1 - 200e-6));
    }
    expect(readings.at(-1)!.driftPpm).toBeCloseTo(200, -1);
  });
});
