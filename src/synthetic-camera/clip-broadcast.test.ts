import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { RtpPacket } from '../rtp/rtp-packet.ts';
import { ClientFeed } from './client-feed.ts';
import { ClipBroadcast } from './clip-broadcast.ts';
import { ClipSchedule } from './clip-schedule.ts';
import type { CameraFaults } from './faults.ts';
import { sampleClip } from './sample-clip-fixture.ts';
import { type Delivery, TrackSender } from './track-sender.ts';

interface SentPacket {
  readonly channel: number;
  readonly sequenceNumber: number;
  readonly rtpTimestamp: number;
  readonly isMarked: boolean;
  readonly atMonoMs: number;
}

/** One client of a camera whose clip has four frames, with key frames 80 ms apart. */
function play(
  startAtMs: number,
  durationMs: number,
  faults: CameraFaults = {},
  lower: 'tcp' | 'udp' = 'tcp',
) {
  const clip = sampleClip(4, 2);
  const clock = new FakeClock();
  const schedule = new ClipSchedule(clip, clock.monoMs(), clock.epochMs());
  const broadcast = new ClipBroadcast(clip, schedule, clock, faults);
  clock.advance(startAtMs);
  const packets: SentPacket[] = [];
  const reports: Buffer[] = [];
  const take = (channel: number, bytes: Buffer): void => {
    if (channel % 2 === 1) {
      reports.push(bytes);
      return;
    }
    const header = new RtpPacket();
    expect(header.read(bytes, 0, bytes.length)).toBe(true);
    const { sequenceNumber, rtpTimestamp, isMarked } = header;
    packets.push({ channel, sequenceNumber, rtpTimestamp, isMarked, atMonoMs: clock.monoMs() });
  };
  const deliveryOf = (channel: number): Delivery => {
    const pair = { rtp: channel, rtcp: channel + 1 };
    return lower === 'tcp' ? { lower, channels: pair } : { lower, ports: pair };
  };
  const [video, audio] = [new TrackSender(deliveryOf(0)), new TrackSender(deliveryOf(2))];
  const startPicture = broadcast.nextKeyPicture();
  const feed = new ClientFeed({
    startPicture,
    video,
    audio,
    schedule,
    fps: clip.fps,
    audioRateHz: clip.audio?.sampleRateHz ?? 0,
    faults,
    rewrite: null,
    output: {
      stream: (bytes) => {
        for (let at = 0; at < bytes.length; ) {
          const end = at + 4 + bytes.readUInt16BE(at + 2);
          take(bytes[at + 1]!, bytes.subarray(at + 4, end));
          at = end;
        }
      },
      datagram: (kind, bytes, ports) => take(ports[kind], bytes),
    },
  });
  const start = {
    sequence: video.nextSequence,
    rtpTime: video.rtpTimestamp(schedule.videoTicks(startPicture)),
  };
  broadcast.add(feed);
  clock.advance(durationMs);
  broadcast.remove(feed);
  return {
    clock,
    start,
    packets,
    reports,
    video: packets.filter((packet) => packet.channel === 0),
    audio: packets.filter((packet) => packet.channel === 2),
  };
}

describe('ClipBroadcast', () => {
  it('sends frames on time, without drift, over many repetitions of the clip', () => {
    const { video } = play(0, 60_000);
    const ends = video.filter((packet) => packet.isMarked);
    expect(ends).toHaveLength(60 * 25 + 1);
    const late = ends.map((end, index) => Math.abs(end.atMonoMs - index * 40));
    expect(Math.max(...late)).toBeLessThan(0.001);
  });

  it('begins with the next key frame and the values in RTP-Info', () => {
    const { video, start } = play(50, 1_000);
    expect(video[0]).toMatchObject({
      atMonoMs: 80,
      sequenceNumber: start.sequence,
      rtpTimestamp: start.rtpTime,
    });
  });

  it.each(['tcp', 'udp'] as const)('numbers packets and stamps frames without a gap over %s', (lower) => {
    const { video } = play(0, 3_000, {}, lower);
    expect(video.length).toBeGreaterThan(150);
    video.forEach((packet, index) => {
      const before = video[index - 1];
      if (before === undefined) return;
      expect(packet.sequenceNumber).toBe((before.sequenceNumber + 1) & 0xffff);
      expect((packet.rtpTimestamp - before.rtpTimestamp) >>> 0).toBe(before.isMarked ? 3_600 : 0);
    });
  });

  it('sends every audio frame once, with the video frame of its time', () => {
    const { audio } = play(0, 10_000);
    expect(audio.length).toBeGreaterThan(465);
    audio.forEach((packet, index) => {
      const before = audio[index - 1];
      if (before !== undefined) expect((packet.rtpTimestamp - before.rtpTimestamp) >>> 0).toBe(1_024);
      expect(Math.abs(packet.atMonoMs - (index * 1_024) / 48)).toBeLessThanOrEqual(40);
    });
  });

  it('sends reports at the start and every five seconds, with one relation of clocks', () => {
    const { reports } = play(0, 11_000);
    expect(reports).toHaveLength(6);
    const [first, , second] = reports;
    const ntpMs = (report: Buffer): number =>
      report.readUInt32BE(8) * 1_000 + report.readUInt32BE(12) / 4_294_967.296;
    expect(ntpMs(second!) - ntpMs(first!)).toBeCloseTo(5_000, 2);
    expect((second!.readUInt32BE(16) - first!.readUInt32BE(16)) >>> 0).toBe(450_000);
    expect(second!.readUInt32BE(20)).toBeGreaterThan(125);
  });

  it('has the next frame, and the next key frame, for clients that begin', () => {
    const clip = sampleClip(6, 3);
    const clock = new FakeClock();
    const broadcast = new ClipBroadcast(clip, new ClipSchedule(clip, clock.monoMs(), 0), clock, {});
    clock.advance(50);
    expect([broadcast.nextPicture(), broadcast.nextKeyPicture()]).toEqual([2, 3]);
  });

  it('stamps frames with the time at which they are shown', () => {
    const clip = { ...sampleClip(4, 2), presentationDelays: [1, 0, 3, 0] };
    const schedule = new ClipSchedule(clip, 0, 0);
    expect([0, 1, 2, 3, 4].map((index) => schedule.pictureTicks(index) / 3_600)).toEqual([1, 1, 5, 3, 5]);
  });

  it('leaves no timer when no one watches', () => {
    expect(play(0, 100).clock.pendingTimers).toBe(0);
  });

  it('skips frames after a long sleep, and continues with a key frame', () => {
    const clip = sampleClip(4, 2);
    const clock = new FakeClock();
    const broadcast = new ClipBroadcast(clip, new ClipSchedule(clip, 0, 0), clock, {});
    const seen: number[] = [];
    broadcast.add({ startPicture: 0, send: (moment) => seen.push(moment.pictureIndex) });
    clock.advance(40);
    // A clock that jumps: every reading after the timer's due time is ten seconds later.
    const monoMs = clock.monoMs.bind(clock);
    clock.monoMs = () => monoMs() + 10_000;
    clock.advance(80);
    expect(seen.slice(0, 2)).toEqual([0, 1]);
    expect(seen[2]).toBeGreaterThanOrEqual(252);
    expect(seen[2]! % 2).toBe(0);
  });
});

describe('faults', () => {
  it('drops every nth packet', () => {
    const { packets } = play(0, 2_000, { dropEveryNthPacket: 10 });
    const gaps = (channel: number) =>
      packets
        .filter((packet) => packet.channel === channel)
        .filter(
          (packet, index, all) =>
            index > 0 && ((packet.sequenceNumber - all[index - 1]!.sequenceNumber) & 0xffff) !== 1,
        );
    expect(gaps(0).length + gaps(2).length).toBeGreaterThan(15);
  });

  it('drops packets at random, the same ones for the same seed', () => {
    const lost = (seed: number): number[] => {
      const { packets } = play(0, 4_000, { loss: { share: 0.2, seed } });
      const first = packets[0]!.sequenceNumber;
      return packets
        .filter(({ channel }) => channel === 0)
        .map(({ sequenceNumber }) => (sequenceNumber - first) & 0xffff);
    };
    expect(lost(5)).toEqual(lost(5));
    expect(lost(5)).not.toEqual(lost(6));
  });

  it('delays every nth packet to the next frame of its track, and loses none', () => {
    const { packets } = play(0, 2_000, { delayEveryNthPacket: 5 }, 'udp');
    for (const channel of [0, 2]) {
      const numbers = packets.filter((packet) => packet.channel === channel).map((p) => p.sequenceNumber);
      const steps = numbers.map((number, index) => (number - (numbers[index - 1] ?? number)) & 0xffff);
      expect(steps.filter((step) => step >= 0x8000).length).toBeGreaterThan(3);
      // One may be in transit when the client leaves.
      const ordered = numbers.map((number) => (number - numbers[0]! + 1_000) & 0xffff).sort((a, b) => a - b);
      const holes = ordered.filter((number, index) => index > 0 && number !== ordered[index - 1]! + 1);
      expect(holes.length).toBeLessThanOrEqual(1);
    }
  });

  it('swaps neighbors', () => {
    const { video } = play(0, 2_000, { reorder: true }, 'udp');
    const backwards = video.filter(
      (packet, index) =>
        index > 0 && ((packet.sequenceNumber - video[index - 1]!.sequenceNumber) & 0x8000) !== 0,
    );
    expect(backwards.length).toBeGreaterThan(10);
  });

  it('stalls', () => {
    const { video } = play(0, 5_000, { stallAfterMs: 1_000 });
    expect(video.at(-1)!.atMonoMs).toBeLessThanOrEqual(1_000);
  });

  it('continues with another clip at a key frame', () => {
    const other = sampleClip(6, 3);
    const clip = sampleClip(4, 2);
    const clock = new FakeClock();
    const faults = { changeResolutionAfter: { afterMs: 100, clip: other } };
    const broadcast = new ClipBroadcast(clip, new ClipSchedule(clip, 0, 0), clock, faults);
    const sizes: number[] = [];
    broadcast.add({ startPicture: 0, send: (moment) => sizes.push(moment.video.packetCount) });
    clock.advance(400);
    // Every second frame is large, then every third.
    expect(sizes.map((size) => size > 2)).toEqual([
      false,
      true,
      false,
      false,
      true,
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
  });
});
