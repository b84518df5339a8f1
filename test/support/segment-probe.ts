/** One Media Segment as ffprobe and ffmpeg see it, in the ticks of its tracks. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;
const NAL_TYPE_MASK = 0x1f;
/** Coded slices: 1 belongs to an ordinary frame, 5 to an IDR frame. */
const NAL_SLICES = new Set([1, 2, 3, 4, 5]);

export interface ProbedTrack {
  readonly timescaleHz: number;
  /** Decode time of the first sample: what tfdt says. */
  readonly firstTicks: number;
  /** Sum of the samples' durations. */
  readonly durationTicks: number;
  readonly samples: number;
  /** No sample begins before the previous one has ended, or later than that. */
  readonly isGapless: boolean;
}

export interface ProbedSegment {
  readonly video: ProbedTrack;
  readonly audio: ProbedTrack | null;
  /** nal_unit_type of the first slice. */
  readonly firstSliceType: number;
}

export async function probeSegment(init: Buffer, segment: Buffer): Promise<ProbedSegment> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-segment-'));
  try {
    const file = join(folder, 'segment.mp4');
    await writeFile(file, Buffer.concat([init, segment]));
    const options = { maxBuffer: MAX_OUTPUT_BYTES, encoding: 'buffer' as const };
    const probeArgs = ['-v', 'error', '-show_packets', '-show_streams', '-of', 'json', file];
    const copyArgs = ['-nostdin', '-v', 'error', '-i', file, '-map', '0:v', '-c', 'copy', '-f', 'h264', '-'];
    const [probed, elementary] = await Promise.all([
      run('ffprobe', probeArgs, options),
      run('ffmpeg', copyArgs, options),
    ]);
    const report = JSON.parse(probed.stdout.toString());
    const video = trackOf(report, 'video');
    if (video === null) throw new Error('a segment without video');
    return { video, audio: trackOf(report, 'audio'), firstSliceType: firstSliceType(elementary.stdout) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function trackOf(report: any, kind: 'video' | 'audio'): ProbedTrack | null {
  const stream = report.streams.find((each: any) => each.codec_type === kind);
  if (stream === undefined) return null;
  const packets = report.packets.filter((packet: any) => packet.stream_index === stream.index);
  let endTicks = packets[0].dts;
  let isGapless = true;
  for (const packet of packets) {
    isGapless &&= packet.dts === endTicks;
    endTicks = packet.dts + packet.duration;
  }
  return {
    timescaleHz: Number(stream.time_base.split('/')[1]),
    firstTicks: packets[0].dts,
    durationTicks: packets.reduce((sum: number, packet: any) => sum + packet.duration, 0),
    samples: packets.length,
    isGapless,
  };
}

/** `elementary`: Annex B, start codes of three or four bytes. */
function firstSliceType(elementary: Buffer): number {
  const startCode = Buffer.from([0, 0, 1]);
  for (let at = elementary.indexOf(startCode); at >= 0; at = elementary.indexOf(startCode, at + 3)) {
    const type = elementary[at + 3]! & NAL_TYPE_MASK;
    if (NAL_SLICES.has(type)) return type;
  }
  throw new Error('no slice in the segment');
}
