/**
 * Measures what thumbnails cost a camera that is recorded: CPU time of all processes, and bytes. Each is made by the maker and the picture
 * server, as in the gateway. The reference is the recorder's writer alone, with the same segments. H.264 and H.265, a key frame every 2 s, 25
 * frames per second. Run: node bench/micro/thumbnails.ts
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { THUMBNAIL_TABLES, thumbnailDecoder } from '../../src/app/stages/thumbnails.ts';
import { sheetJpeg } from '../../src/codec/jpeg/jpeg-sheet.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid } from '../../src/core/ruuid.ts';
import { findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import { createJail } from '../../src/ffmpeg/jail.ts';
import { WorkerPool } from '../../src/ffmpeg/worker-pool.ts';
import { BoxCursor, fourCc } from '../../src/isobmff/box-reader.ts';
import { ThumbnailMaker } from '../../src/playback/thumbnail-maker.ts';
import { SHEET, SHEET_TILES, THUMBNAIL_MS } from '../../src/playback/thumbnail-size.ts';
import { CountedNumbers } from '../../src/recording/file-numbers.ts';
import { FileStorage } from '../../src/recording/file-storage.ts';
import { RecordingWriter } from '../../src/recording/recording-writer.ts';
import type { RecordedSegment } from '../../src/recording/segment-index.ts';
import { WarmDecoder } from '../../src/thumbnails/warm-decoder.ts';
import { median, printTable, type Row } from '../report.ts';

interface Camera {
  readonly name: string;
  readonly codec: readonly string[];
  readonly widthPx: number;
  readonly heightPx: number;
  readonly bitsPerSec: number;
}

const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast'];
const H265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-tag:v', 'hvc1'];
const CAMERAS: readonly Camera[] = [
  { name: 'H.264, 1080p, 4 Mbit/s', codec: H264, widthPx: 1_920, heightPx: 1_080, bitsPerSec: 4_000_000 },
  { name: 'H.265, 4K, 8 Mbit/s', codec: H265, widthPx: 3_840, heightPx: 2_160, bitsPerSec: 8_000_000 },
  {
    name: 'H.264 substream, 360p, 500 kbit/s',
    codec: H264,
    widthPx: 640,
    heightPx: 360,
    bitsPerSec: 500_000,
  },
];
const SEGMENT_SEC = 2;
const CLIP_SEC = 10;
const THUMBNAILS = 40;
const FPS = 25;
const HZ = 90_000;
const MOOF = fourCc('moof');
/** Fields of /proc/<pid>/stat, from 1: utime, stime, cutime, cstime. */
const STAT_TIMES = [14, 15, 16, 17];
const MS_PER_TICK = 10;

const binary = await findFfmpeg({});
const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const pool = new WorkerPool({
  maxWorkers: 3,
  waitTimeoutMs: 60_000,
  jail: await createJail(),
  clock: systemClock,
});
const decoder = new WarmDecoder({ binary, pool, clock: systemClock, log: silentLog, slots: 2 });
const decode = thumbnailDecoder(decoder, binary)!;
try {
  const rows: Row[] = [];
  for (const camera of CAMERAS) rows.push(await measured(camera));
  printTable({ name: 'thumbnails, per camera', rows, figures: {} });
} finally {
  await pool.close();
  rmSync(folder, { recursive: true });
}

async function measured(camera: Camera): Promise<Row> {
  const clip = makeClip(camera);
  const { init, segments } = segmentsOf(clip);
  const writingMs = await recordingMs(clip, init.byteLength, segments);
  const made: number[] = [];
  let blocks: Buffer | null = null;
  const maker = new ThumbnailMaker({
    read: async (_name, offset, length) => Buffer.from(clip.subarray(offset, offset + length)),
    decode: async (frame, turn) => {
      blocks = await decode(frame, turn);
      made.push(blocks.length);
      return blocks;
    },
    store: async () => undefined,
    end: async () => undefined,
    openFile: () => null,
    organizationOf: () => null,
    log: silentLog,
  });
  /** Each of another camera: the first one is never left out. */
  const record = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const of = { cameraUuid: newRuuid(), rendition: 'main' } as const;
      const before = made.length;
      maker.recorded(of, 0, segments[i % segments.length]!);
      while (made.length === before) await new Promise((done) => setTimeout(done, 1));
      maker.finished(of, 0);
    }
  };
  await record(3);
  const beforeMs = cpuMsOfTree();
  await record(THUMBNAILS);
  const thumbnailMs = (cpuMsOfTree() - beforeMs) / THUMBNAILS;
  await maker.close();
  const perSec = 1_000 / THUMBNAIL_MS;
  return {
    case: camera.name,
    'CPU ms each': thumbnailMs,
    'core %': (thumbnailMs * perSec) / 10,
    'core %, recording alone': writingMs / CLIP_SEC / 10,
    'bytes each': median(made),
    'bytes %': (100 * median(made) * CLIP_SEC * perSec) / clip.length,
    'ms to join a sheet': joiningMs(blocks!),
  };
}

function joiningMs(blocks: Buffer): number {
  const tiles = Array.from({ length: SHEET_TILES }, () => blocks);
  const samples = Array.from({ length: 20 }, () => {
    const start = performance.now();
    sheetJpeg(tiles, SHEET, THUMBNAIL_TABLES);
    return performance.now() - start;
  });
  return median(samples);
}

/** A street: what moves is a part of the picture, with some noise of the sensor. */
function makeClip({ codec, widthPx, heightPx, bitsPerSec }: Camera): Buffer {
  const file = join(folder, 'clip.mp4');
  const moving = `testsrc2=size=${widthPx / 4}x${heightPx / 4}:rate=${FPS}`;
  const picture = `${moving},pad=${widthPx}:${heightPx}:100:100:gray,noise=alls=8:allf=t,format=yuv420p`;
  const gop = String(SEGMENT_SEC * FPS);
  const made = spawnSync(binary.path, [
    ...['-v', 'error', '-f', 'lavfi', '-i', picture, '-t', String(CLIP_SEC), ...codec],
    ...['-b:v', String(bitsPerSec), '-maxrate', String(bitsPerSec), '-bufsize', String(bitsPerSec)],
    ...['-g', gop, '-keyint_min', gop, '-bf', '0', '-video_track_timescale', String(HZ)],
    ...['-movflags', '+empty_moov+default_base_moof+frag_keyframe', '-y', file],
  ]);
  if (made.status !== 0) throw new Error(String(made.stderr));
  return readFileSync(file);
}

function segmentsOf(clip: Buffer): {
  readonly init: RecordedSegment['init'];
  readonly segments: RecordedSegment[];
} {
  const starts: number[] = [];
  const box = new BoxCursor(clip, 0, clip.length);
  for (let at = 0; box.next(); at = box.end) if (box.type === MOOF) starts.push(at);
  const init = { offset: 0, byteLength: starts[0]! };
  const durationTicks = SEGMENT_SEC * HZ;
  const segments = starts.map((offset, index) => ({
    offset,
    byteLength: (starts[index + 1] ?? clip.length) - offset,
    startTicks: index * durationTicks,
    durationTicks,
    timescaleHz: HZ,
    epochMs: 0,
    isDiscontinuity: index === 0,
    init,
  }));
  return { init, segments };
}

/** CPU time of the writer for all of the clip, in parts of a third of a second. */
async function recordingMs(
  clip: Buffer,
  initBytes: number,
  segments: readonly RecordedSegment[],
): Promise<number> {
  const parts = 6;
  const writer = new RecordingWriter({
    stream: { cameraUuid: newRuuid(), rendition: 'main' },
    storage: new FileStorage(folder),
    limits: { fileBytes: 64 * 1_048_576, syncIntervalMs: 5_000, minFreeBytes: 0 },
    bootId: Buffer.alloc(16),
    numbers: new CountedNumbers(0),
    events: {
      onSegment: () => undefined,
      onFile: () => undefined,
      onUnfinished: () => undefined,
      onState: () => undefined,
      onDropped: () => {
        throw new Error('the disk is too slow or full');
      },
    },
  });
  const before = process.cpuUsage();
  for (const { offset, byteLength, startTicks, durationTicks } of segments) {
    for (let part = 0; part < parts; part++) {
      const at = offset + Math.floor((byteLength * part) / parts);
      const end = offset + Math.floor((byteLength * (part + 1)) / parts);
      const ticks = startTicks + (durationTicks * part) / parts;
      await writer.write(
        {
          timescaleHz: HZ,
          startTicks: ticks,
          durationTicks: durationTicks / parts,
          pictures: 8,
          epochMs: Date.UTC(2026, 0, 1) + ticks / 90,
          isSegmentStart: part === 0,
          isSegmentEnd: part === parts - 1,
          isDiscontinuity: ticks === 0,
          init: ticks === 0 ? clip.subarray(0, initBytes) : null,
        },
        clip.subarray(at, end),
      );
    }
  }
  const { user, system } = process.cpuUsage(before);
  await writer.close();
  return (user + system) / 1_000;
}

/** This process, the processes that it started, and what those started and waited for. */
function cpuMsOfTree(): number {
  const own = process.pid;
  const children = readFileSync(`/proc/${own}/task/${own}/children`, 'latin1').trim().split(' ');
  return [String(own), ...children].reduce((sum, pid) => sum + (pid === '' ? 0 : cpuMsOf(pid)), 0);
}

function cpuMsOf(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name, in parentheses, can have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return STAT_TIMES.reduce((sum, index) => sum + Number(fields[index - 3]) * MS_PER_TICK, 0);
}
