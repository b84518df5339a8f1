/**
 * Measures how fast recorded H.265 becomes H.264 for one viewer: segments of 2 s at 1920 × 1080 and 25 frames per second, one by one as a
 * scrub requests them, and with the next one prepared as a viewer who plays gets them. The reference is one ffmpeg that decodes and encodes
 * all of the clip with the same settings and without a jail, in turn. Run: node bench/micro/recorded-h264.ts
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { newRuuid } from '../../src/core/ruuid.ts';
import { transcodeCommand } from '../../src/ffmpeg/command.ts';
import { findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import { createJail } from '../../src/ffmpeg/jail.ts';
import { SegmentEncoder } from '../../src/ffmpeg/segment-encoder.ts';
import { WorkerPool } from '../../src/ffmpeg/worker-pool.ts';
import { BoxCursor, fourCc } from '../../src/isobmff/box-reader.ts';
import { moveFragments } from '../../src/isobmff/fragment-times.ts';
import { median, printTable } from '../report.ts';

const SEGMENTS = 8;
const SEGMENT_SEC = 2;
const SAMPLES = 5;
const HZ = 90_000;
const MOOF = fourCc('moof');
/** A street: what moves is a part of the picture, with some noise of the sensor. */
const PICTURE = 'testsrc2=size=480x270:rate=25,pad=1920:1080:400:400:gray,noise=alls=3:allf=t,format=yuv420p';

const binary = await findFfmpeg({});
const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
try {
  await run(makeClip());
} finally {
  rmSync(folder, { recursive: true });
}

function makeClip(): Buffer {
  const file = join(folder, 'clip.mp4');
  const gop = SEGMENT_SEC * 25;
  const made = spawnSync(binary.path, [
    ...['-v', 'error', '-f', 'lavfi', '-i', PICTURE, '-t', String(SEGMENTS * SEGMENT_SEC)],
    ...['-c:v', 'libx265', '-preset', 'ultrafast', '-b:v', '4M', '-tag:v', 'hvc1'],
    ...['-x265-params', `keyint=${gop}:min-keyint=${gop}:scenecut=0:bframes=0:log-level=none`],
    ...['-video_track_timescale', String(HZ)],
    ...['-movflags', '+empty_moov+default_base_moof+frag_keyframe', file],
  ]);
  if (made.status !== 0) throw new Error(String(made.stderr));
  return readFileSync(file);
}

/** The Media Initialization Section, and a fragment for each segment. */
function parts(clip: Buffer): { readonly init: Buffer; readonly segments: Buffer[] } {
  const starts: number[] = [];
  const box = new BoxCursor(clip, 0, clip.length);
  for (let at = 0; box.next(); at = box.end) if (box.type === MOOF) starts.push(at);
  const segments = starts.map((start, index) => {
    const segment = Buffer.from(clip.subarray(start, starts[index + 1] ?? clip.length));
    moveFragments(segment, () => -index * SEGMENT_SEC * HZ);
    return segment;
  });
  return { init: clip.subarray(0, starts[0]), segments };
}

async function run(clip: Buffer): Promise<void> {
  const pool = new WorkerPool({
    maxWorkers: 2,
    waitTimeoutMs: 60_000,
    jail: await createJail(),
    clock: systemClock,
  });
  const encoder = new SegmentEncoder({ pool, binary, clock: systemClock });
  const { init, segments } = parts(clip);
  const camera = { uuid: newRuuid(), orgUuid: newRuuid() };
  const { signal: ending } = new AbortController();
  const encode = (segment: Buffer) =>
    encoder.encode({ fmp4: [init, segment], camera, masks: [], urgency: () => 'viewer', ending });
  const reference = (): number =>
    timed(
      () =>
        void spawnSync(binary.path, transcodeCommand(binary.major).args, { input: clip, maxBuffer: 2 ** 30 }),
    );
  const alone: number[] = [];
  const ahead: number[] = [];
  const whole: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    whole.push(reference());
    const singles: number[] = [];
    for (const segment of segments) {
      const start = performance.now();
      await encode(segment);
      singles.push(performance.now() - start);
    }
    alone.push(median(singles));
    const start = performance.now();
    let next = encode(segments[0]!);
    for (const [index] of segments.entries()) {
      const current = next;
      const following = segments[index + 1];
      if (following !== undefined) next = encode(following);
      await current;
    }
    ahead.push(performance.now() - start);
  }
  await pool.close();
  const clipMs = SEGMENTS * SEGMENT_SEC * 1_000;
  const row = (name: string, ms: number, videoMs: number) => ({
    case: name,
    ms: Math.round(ms),
    'times real time': videoMs / ms,
    'to the reference': ms / videoMs / (median(whole) / clipMs),
  });
  printTable({
    name: 'recorded H.265 to H.264',
    rows: [
      row('one ffmpeg, all of the clip', median(whole), clipMs),
      row('segments, with the next one prepared', median(ahead), clipMs),
      row('one segment, as after a scrub', median(alone), SEGMENT_SEC * 1_000),
    ],
    figures: {},
  });
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
