import { expect, it } from 'vitest';
import { ReplayTime } from '../recorders/replay-time.ts';
import { FramePackets, INTERLEAVED_HEADER_BYTES } from './frame-packets.ts';
import { writeReplayExtension } from './replay-extension.ts';
import { RtpPacket } from './rtp-packet.ts';
import { RtpSender } from './rtp-sender.ts';

const EPOCH_MS = 1_700_000_000_250;

function packetsOf(frame: FramePackets): Buffer[] {
  const bytes = Buffer.alloc(frame.byteLength);
  new RtpSender('camera').write(frame, 0, bytes, 0, 0);
  return frame.starts
    .slice(1)
    .map((end, index) => bytes.subarray(frame.starts[index]! + INTERLEAVED_HEADER_BYTES, end));
}

it('is in the first packet of a frame, and names its time to clients of ONVIF', () => {
  const replayed = { epochMs: EPOCH_MS, isKey: true, isAfterGap: true, cseq: 0x107 };
  const extension = writeReplayExtension(replayed);
  const payloads = [Buffer.from('one'), Buffer.from('two')];
  const frame = new FramePackets(payloads, 96, { isMarked: true, ticksPerPacket: 0, extension });
  expect(frame.payloadBytes).toBe(6);
  const [first, second] = packetsOf(frame) as [Buffer, Buffer];
  expect(new ReplayTime(90_000, 0).of(first, 0, first.length)).toBe(EPOCH_MS);
  const packet = new RtpPacket();
  expect(packet.read(first, 0, first.length)).toBe(true);
  expect([packet.extensionStart, first.subarray(packet.payloadStart).toString()]).toEqual([12, 'one']);
  // Clean point and discontinuity, and the end of CSeq.
  expect([...first.subarray(24, 28)]).toEqual([0xa0, 7, 0, 0]);
  packet.read(second, 0, second.length);
  expect([packet.extensionStart, second.subarray(packet.payloadStart).toString()]).toEqual([-1, 'two']);
});
