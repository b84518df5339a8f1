import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { packetizeAac } from './aac/aac-packetizer.ts';
import { FramePackets, INTERLEAVED_HEADER_BYTES } from './frame-packets.ts';
import { packetizeH264 } from './h264/h264-packetizer.ts';
import { packetizeH265 } from './h265/h265-packetizer.ts';
import { RtpPacket } from './rtp-packet.ts';
import { RtpSender } from './rtp-sender.ts';
import { packetizeSamples, samplesPerPayload } from './sample-packetizer.ts';

const CHANNEL = 4;

interface Sent {
  readonly channel: number;
  readonly isMarked: boolean;
  readonly sequenceNumber: number;
  readonly rtpTimestamp: number;
  readonly payload: Buffer;
}

/** The packets of interleaved frames, as a receiver reads them. */
function read(bytes: Buffer): Sent[] {
  const packets: Sent[] = [];
  for (let at = 0; at < bytes.length; ) {
    expect(bytes[at]).toBe(0x24);
    const end = at + INTERLEAVED_HEADER_BYTES + bytes.readUInt16BE(at + 2);
    const packet = new RtpPacket();
    expect(packet.read(bytes, at + INTERLEAVED_HEADER_BYTES, end)).toBe(true);
    const { isMarked, sequenceNumber, rtpTimestamp, payloadStart, payloadEnd } = packet;
    const payload = bytes.subarray(payloadStart, payloadEnd);
    packets.push({ channel: bytes[at + 1]!, isMarked, sequenceNumber, rtpTimestamp, payload });
    at = end;
  }
  return packets;
}

function sent(frame: FramePackets, sender = new RtpSender('camera'), ticks = 0): Sent[] {
  const bytes = Buffer.alloc(frame.byteLength);
  sender.write(frame, ticks, bytes, 0, CHANNEL);
  return read(bytes);
}

const payloads = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 8 });

describe('the packets of a frame', () => {
  it('are numbered one after the other, with one timestamp and the marker at the last one', () => {
    const property = fc.property(payloads, fc.integer({ min: -(2 ** 33), max: 2 ** 33 }), (cut, ticks) => {
      const sender = new RtpSender('camera');
      const first = sender.nextSequence;
      const packets = sent(new FramePackets(cut, 96), sender, ticks);
      expect(packets.map(({ payload }) => new Uint8Array(payload))).toEqual(cut);
      for (const [index, packet] of packets.entries()) {
        expect(packet).toMatchObject({
          channel: CHANNEL,
          isMarked: index === packets.length - 1,
          sequenceNumber: (first + index) & 0xffff,
          rtpTimestamp: sender.rtpTimestamp(ticks),
        });
      }
      expect(sender.nextSequence).toBe((first + cut.length) & 0xffff);
    });
    fc.assert(property, randomRuns(300));
  });

  it('of samples have timestamps of their own and no marker', () => {
    const sender = new RtpSender('camera');
    const marks = { isMarked: false, ticksPerPacket: 160 };
    const packets = sent(new FramePackets([Buffer.alloc(160), Buffer.alloc(80)], 0, marks), sender, 1_000);
    expect(packets.map(({ isMarked }) => isMarked)).toEqual([false, false]);
    const start = sender.rtpTimestamp(1_000);
    expect(packets.map(({ rtpTimestamp }) => (rtpTimestamp - start + 2 ** 32) % 2 ** 32)).toEqual([0, 160]);
  });

  it('are the same for each receiver but for its numbers', () => {
    const frame = new FramePackets([Buffer.from('a'), Buffer.from('b')], 96);
    const [one, other] = [sent(frame), sent(frame)];
    expect(one.map(({ payload }) => payload.toString())).toEqual(['a', 'b']);
    expect(other.map(({ payload }) => payload.toString())).toEqual(['a', 'b']);
  });

  it('that are skipped leave a gap in the numbers', () => {
    const sender = new RtpSender('camera');
    const frame = new FramePackets([Buffer.from('a'), Buffer.from('b')], 96);
    const before = sender.nextSequence;
    sender.skip(frame);
    expect(sent(frame, sender)[0]!.sequenceNumber).toBe((before + 2) & 0xffff);
  });
});

describe('payloads', () => {
  const nalus = fc.array(
    fc.uint8Array({ minLength: 2, maxLength: 5_000 }).map((bytes) => Uint8Array.of(0x41, ...bytes)),
    { minLength: 1, maxLength: 6 },
  );

  it.each([
    ['H.264', (all: readonly Uint8Array[], max: number) => packetizeH264(all, max, 'stap-a')],
    ['H.265', (all: readonly Uint8Array[], max: number) => packetizeH265(all, max, 'ap')],
    ['AAC', (all: readonly Uint8Array[], max: number) => all.flatMap((frame) => packetizeAac(frame, max))],
  ])('of %s never exceed the room in a packet', (_codec, packetize) => {
    const property = fc.property(nalus, fc.integer({ min: 60, max: 1_500 }), (all, max) => {
      const lengths = packetize(all, max).map(({ length }) => length);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(max);
    });
    fc.assert(property, randomRuns(200));
  });

  it('of samples hold whole ones, and all of them', () => {
    const property = fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 500 }),
      fc.constantFrom(1, 2, 4),
      fc.integer({ min: 4, max: 100 }),
      (codes, sampleBytes, max) => {
        const samples = Buffer.concat(new Array<Uint8Array>(sampleBytes).fill(codes));
        const cut = packetizeSamples(samples, sampleBytes, max);
        expect(Buffer.concat(cut)).toEqual(samples);
        for (const [index, payload] of cut.entries()) {
          expect(payload.length).toBeLessThanOrEqual(max);
          expect(payload.length % sampleBytes).toBe(0);
          if (index < cut.length - 1)
            expect(payload.length).toBe(samplesPerPayload(sampleBytes, max) * sampleBytes);
        }
      },
    );
    fc.assert(property, randomRuns(300));
  });
});

describe('sender reports', () => {
  it('name the wall clock of an instant of the track', () => {
    const sender = new RtpSender('camera');
    sent(new FramePackets([Buffer.alloc(10)], 96), sender, 90_000);
    const report = sender.senderReport(90_000, 1_700_000_000_250);
    expect(report.readUInt32BE(8)).toBe(1_700_000_000 + 2_208_988_800);
    expect(report.readUInt32BE(12)).toBe(2 ** 30);
    expect(report.readUInt32BE(16)).toBe(sender.rtpTimestamp(90_000));
    expect([report.readUInt32BE(20), report.readUInt32BE(24)]).toEqual([1, 10]);
  });
});
