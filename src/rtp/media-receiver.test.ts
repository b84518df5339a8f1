import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import type { ClockReading } from './camera-clock.ts';
import { RTP_ERRORS } from './errors.ts';
import { MediaReceiver } from './media-receiver.ts';
import { writeBye } from './rtcp/rtcp-writer.ts';
import {
  AUDIO_TRACK,
  LONG,
  numbers,
  pictures,
  RecordingReceiver,
  SamplePackets,
  senderReport,
  VIDEO_TRACK,
} from './sample-stream-fixture.ts';

describe('MediaReceiver over UDP', () => {
  it('puts packets back in order', () => {
    const orders = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 90, maxLength: 90 });
    fc.assert(
      fc.property(orders, (delays) => {
        const recorder = new RecordingReceiver({ transport: 'udp' });
        const all = pictures(new SamplePackets(), 0, 15).flat();
        const shuffled = all
          .map((packet, index) => ({ packet, at: index === 0 ? -1 : index + (delays[index % 90] ?? 0) }))
          .sort((left, right) => left.at - right.at);
        // As from a socket: the bytes are invalid once the receiver has returned.
        const chunk = Buffer.alloc(300);
        for (const { packet } of shuffled) {
          packet.copy(chunk, 10);
          recorder.receiver.rtp(0, chunk, 10, 10 + packet.length, 0);
          chunk.fill(0);
        }
        expect(numbers(recorder)).toEqual(Array.from({ length: 15 }, (_, index) => index));
        for (const text of recorder.pictures) expect(text.split(':')[1]).toBe(LONG);
        expect(recorder.dropped).toEqual([]);
      }),
      randomRuns(200),
    );
  });

  it('gives up on a gap after a while', () => {
    const recorder = new RecordingReceiver({ transport: 'udp' });
    const all = pictures(new SamplePackets(), 0, 12);
    all.forEach((picture, index) => {
      recorder.feed(index === 9 ? picture.slice(0, -1) : picture, 1_000);
    });
    expect(numbers(recorder)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    recorder.receiver.flush(1_050);
    expect(recorder.units).toHaveLength(9);
    recorder.receiver.flush(1_100);
    expect(numbers(recorder).slice(9)).toEqual([10, 11]);
    expect(recorder.dropped).toEqual([['RTP_PACKET_LOSS', 1]]);
  });

  it('does not count the time during which the process was paused', () => {
    const recorder = new RecordingReceiver({ transport: 'udp' });
    const all = pictures(new SamplePackets(), 0, 12).flat();
    const late = all.splice(-4, 1);
    recorder.feed(all, 1_000);
    const before = recorder.units.length;
    recorder.receiver.postpone(150);
    recorder.receiver.flush(1_150);
    expect(recorder.units).toHaveLength(before);
    recorder.feed(late, 1_150);
    expect(numbers(recorder)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(recorder.dropped).toEqual([]);
  });

  it('ignores duplicates, and strangers until there are many', () => {
    const recorder = new RecordingReceiver({ transport: 'udp' });
    const all = pictures(new SamplePackets(), 0, 6).flat();
    for (const packet of all) {
      const stranger = Buffer.from(packet);
      stranger.writeUInt32BE(0xbad, 8);
      recorder.feed([packet, packet, stranger]);
    }
    expect(numbers(recorder)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(recorder.receiver.counts(0)).toMatchObject({
      latePackets: all.length,
      foreignPackets: all.length,
    });
  });
});

describe('MediaReceiver over TCP', () => {
  it('ignores duplicates', () => {
    const recorder = new RecordingReceiver();
    const all = pictures(new SamplePackets(), 0, 6).flat();
    for (const packet of all) recorder.feed([packet, packet]);
    expect(numbers(recorder)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(recorder.dropped).toEqual([]);
    expect(recorder.receiver.counts(0)).toMatchObject({ latePackets: all.length, foreignPackets: 0 });
  });

  it('counts no loss for packets of another payload type that repeat a number (Geovision)', () => {
    const recorder = new RecordingReceiver();
    const all = pictures(new SamplePackets(), 0, 6).flat();
    for (const packet of all) {
      const other = Buffer.from(packet);
      other[1] = (other[1]! & 0x80) | 112;
      recorder.feed([packet, other]);
    }
    expect(numbers(recorder)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(recorder.dropped).toEqual([]);
    expect(recorder.receiver.counts(0)).toMatchObject({ latePackets: 0, foreignPackets: all.length });
  });
});

describe('MediaReceiver, anything', () => {
  it('says what the camera’s wall clock shows with the first sender report that has a time', () => {
    const readings: ClockReading[] = [];
    const receiver = new MediaReceiver({
      tracks: [VIDEO_TRACK],
      transport: 'tcp',
      localSsrc: 1,
      epochMinusMonoMs: Date.UTC(2026, 0, 1),
      events: {
        onTracks: () => undefined,
        onAccessUnit: () => undefined,
        onDropped: () => undefined,
        onClock: (reading) => void readings.push(reading),
      },
    });
    for (const packet of pictures(new SamplePackets(100), 0, 4).flat()) {
      receiver.rtp(0, packet, 0, packet.length, 0);
    }
    const epochSec = Date.UTC(2026, 0, 1) / 1_000;
    const ntpSec = epochSec + 2_208_988_800;
    for (const sr of [
      senderReport(1, 0, 0),
      senderReport(1, ntpSec + 0.5, 9_000),
      senderReport(1, ntpSec + 1, 54_000),
    ]) {
      receiver.rtcp(0, sr, 0, sr.length, 0);
    }
    expect(readings).toHaveLength(1);
    const { reportedTime, cameraTime } = readings[0]!;
    expect(cameraTime).toBeNull();
    expect(reportedTime!.epochMs - reportedTime!.mediaMs).toBeCloseTo(epochSec * 1_000 + 500 - 100, 3);
  });

  it('reports what it received (RFC 3550 §6.4.2)', () => {
    const recorder = new RecordingReceiver();
    expect(recorder.receiver.receiverReport(0, 0)).toBeNull();
    const all = pictures(new SamplePackets(100), 0, 4).flat();
    recorder.feed(all.filter((_, index) => index % 4 !== 1));
    const sr = senderReport(0x5eed, 4e9 + 0.5, 0);
    recorder.receiver.rtcp(0, sr, 0, sr.length, 1_000);
    const report = Buffer.from(recorder.receiver.receiverReport(0, 1_500)!);
    const lost = all.filter((_, index) => index % 4 === 1).length;
    expect([report[0], report[1], report.readUInt16BE(2)]).toEqual([0x81, 201, 7]);
    expect(report.readUInt32BE(8)).toBe(0x5eed);
    expect(report[12]).toBe(Math.floor((lost * 256) / all.length));
    expect(report.readIntBE(13, 3)).toBe(lost);
    expect(report.readUInt32BE(16)).toBe(100 + all.length - 1);
    expect(report.readUInt32BE(24)).toBe(((4e9 & 0xffff) * 2 ** 16 + 0x8000) >>> 0);
    expect(report.readUInt32BE(28)).toBe(32_768);
    expect([report[32], report[33]]).toEqual([0x81, 202]);
    expect(report.length % 4).toBe(0);
  });

  it('notices a goodbye', () => {
    const recorder = new RecordingReceiver();
    const bye = Buffer.concat([senderReport(7, 4e9, 0), writeBye(7)]);
    for (let end = 0; end < bye.length; end++) {
      recorder.receiver.rtcp(0, bye, 0, end, 0);
      expect(recorder.receiver.byeReceived).toBe(false);
    }
    recorder.receiver.rtcp(0, bye, 0, bye.length, 0);
    expect(recorder.receiver.byeReceived).toBe(true);
  });

  it('survives every truncation of every packet', () => {
    for (const packet of pictures(new SamplePackets(), 0, 2).flat()) {
      const recorder = new RecordingReceiver();
      for (let end = 0; end <= packet.length; end++) recorder.receiver.rtp(0, packet, 0, end, 0);
      expect(recorder.receiver.counts(0).badPackets).toBe(12);
    }
  });

  it('survives any bytes, and emits only ordered units with known codes', () => {
    const valid = pictures(new SamplePackets(), 0, 12).flat();
    const step = fc.oneof(
      fc.record({
        index: fc.nat(valid.length - 1),
        flips: fc.array(fc.tuple(fc.nat(210), fc.nat(255)), { maxLength: 4 }),
      }),
      fc.uint8Array({ maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.constantFrom('tcp', 'udp'), fc.array(step, { maxLength: 80 }), (transport, steps) => {
        const recorder = new RecordingReceiver({ transport, tracks: [VIDEO_TRACK, AUDIO_TRACK] });
        steps.forEach((each, at) => {
          const packet = each instanceof Uint8Array ? each : Buffer.from(valid[each.index]!);
          if (!(each instanceof Uint8Array)) for (const [offset, value] of each.flips) packet[offset] = value;
          recorder.receiver.rtp(at % 2, packet, 0, packet.length, at);
          recorder.receiver.rtcp(at % 2, packet, 0, packet.length, at);
          recorder.receiver.flush(at * 20);
        });
        for (const [code] of recorder.dropped) expect(RTP_ERRORS).toHaveProperty(code);
        for (const trackIndex of [0, 1]) {
          const units = recorder.units.filter((unit) => unit.trackIndex === trackIndex);
          units.forEach((unit, index) => {
            expect(unit.ptsTicks).toBeGreaterThanOrEqual(unit.dtsTicks);
            if (index > 0) expect(unit.dtsTicks).toBeGreaterThan(units[index - 1]!.dtsTicks);
          });
        }
      }),
      randomRuns(2_000),
    );
  });
});
