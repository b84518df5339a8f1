import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import type { Clip } from './clip.ts';
import { ClipPlayer } from './clip-player.ts';
import { createTemplates, type FrameTemplate, packetsOf } from './rtp-templates.ts';

/** Four pictures at 25 Hz: the second is larger than a packet. */
const CLIP: Clip = {
  fps: 25,
  pictures: [
    [Buffer.from('65aa', 'hex')],
    [Buffer.alloc(5_000, 0x41)],
    [Buffer.from('41')],
    [Buffer.from('42')],
  ],
  sps: Buffer.from('6742c01e', 'hex'),
  pps: Buffer.from('68ce', 'hex'),
  audio: null,
};

interface Sent {
  readonly sequenceNumber: number;
  readonly rtpTimestamp: number;
  readonly isMarked: boolean;
  readonly atMonoMs: number;
}

function play(durationMs: number, startMonoMs = 0) {
  const clock = new FakeClock();
  const packets: Sent[] = [];
  const reports: Buffer[] = [];
  const player = new ClipPlayer({
    clip: CLIP,
    templates: createTemplates(CLIP),
    clock,
    startMonoMs,
    video: {
      channel: 0,
      sendFrame: (template: FrameTemplate, stamped: Buffer) => {
        for (const packet of packetsOf(template, stamped)) {
          packets.push({
            sequenceNumber: packet.readUInt16BE(2),
            rtpTimestamp: packet.readUInt32BE(4),
            isMarked: packet[1]! >= 0x80,
            atMonoMs: clock.monoMs(),
          });
        }
      },
      sendRtcp: (packet) => reports.push(packet),
    },
    audio: null,
  });
  const start = player.videoStart()!;
  player.play();
  clock.advance(durationMs);
  player.stop();
  return { clock, packets, reports, start };
}

describe('ClipPlayer', () => {
  it('sends frames on time, without drift, over many loops', () => {
    const { packets } = play(60_000);
    const frames = packets.filter((packet) => packet.isMarked);
    expect(frames).toHaveLength(60 * 25 + 1);
    for (const [index, frame] of frames.entries()) {
      expect(Math.abs(frame.atMonoMs - index * 40)).toBeLessThan(1);
    }
  });

  it('numbers packets and stamps pictures without a gap where the clip starts over', () => {
    const { packets, start } = play(2_000);
    expect(packets[0]).toMatchObject({
      sequenceNumber: start.sequenceNumber,
      rtpTimestamp: start.rtpTimestamp,
    });
    for (let i = 1; i < packets.length; i++) {
      const before = packets[i - 1]!;
      const step = (packets[i]!.rtpTimestamp - before.rtpTimestamp) >>> 0;
      expect(packets[i]!.sequenceNumber).toBe((before.sequenceNumber + 1) & 0xffff);
      expect(step).toBe(before.isMarked ? 3_600 : 0);
    }
  });

  it('reports at the start and every five seconds', () => {
    const { reports } = play(11_000);
    expect(reports).toHaveLength(3);
    expect(reports[0]!.length % 4).toBe(0);
  });

  it('leaves no timer when stopped', () => {
    expect(play(100).clock.pendingTimers).toBe(0);
  });
});
