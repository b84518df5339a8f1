/**
 * `recording`: the cost of recording in addition to relaying, and how fast the past is found.
 *
 * Synthetic cameras (1080p25, 4 Mbit/s, GOP 2 s) run in one process, the gateway in another. It relays them without
 * recording, then with it, then without it again: the ratio of the loads is the cost. The page cache does not grow in the
 * meantime (`small-page-cache.ts` explains why). Then the catalog finds recordings of cameras with 30 days of two-second
 * segments each: all segments of a day, and the segment of an instant.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid } from '../../src/core/ruuid.ts';
import { RecordingCatalog } from '../../src/recording/recording-catalog.ts';
import { packIndex, type RecordedSegment, type RecordedStream } from '../../src/recording/segment-index.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { BenchOptions, BenchResult } from '../report.ts';
import { type CameraFleetCalls, FLEET_FPS, FLEET_GOP_SEC } from '../support/camera-fleet.ts';
import { ChildModule, cpuPercent, withChildren } from '../support/child-module.ts';
import { SmallPageCache } from '../support/small-page-cache.ts';
import type { RecordingGatewayCalls, RecordingSampleOfAll } from './recording-gateway.ts';

interface Scale {
  readonly cameras: number;
  /** Live windows fill, and hot code is compiled. */
  readonly warmUpMs: number;
  /** Each camera's first file begins. */
  readonly beginMs: number;
  readonly measureMs: number;
  /** Cameras with 30 days each in the catalog. */
  readonly catalogCameras: number;
}

const SHORT: Scale = { cameras: 20, warmUpMs: 45_000, beginMs: 10_000, measureMs: 20_000, catalogCameras: 4 };
const LONG: Scale = {
  cameras: 50,
  warmUpMs: 45_000,
  beginMs: 20_000,
  measureMs: 60_000,
  catalogCameras: 100,
};
const OPEN_TIMEOUT_MS = 60_000;
const PICTURE = { widthPx: 1_920, heightPx: 1_080, bitrateBitsPerSec: 4_000_000 };
/** Files are finished. */
const SETTLE_MS = 5_000;
const MIB = 1_048_576;
export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const scale = isShort ? SHORT : LONG;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-recording-'));
  try {
    const cost = await measureCost(scale, folder);
    const { relaying, recording, droppedFrames, last, recordedBytesPerSec } = cost;
    const catalog = await measureCatalog(scale, folder);
    return {
      name: 'recording',
      rows: [
        { case: `${scale.cameras} cameras relayed`, 'CPU % total': relaying },
        {
          case: `${scale.cameras} cameras relayed and recorded`,
          'CPU % total': recording,
          'MiB per second': recordedBytesPerSec / MIB,
        },
        { case: `a day of 2 s segments, ${scale.catalogCameras} cameras × 30 days`, ms: catalog.listDayMs },
        { case: 'an instant, median', ms: catalog.seekMs },
        { case: 'an instant, slowest of 200', ms: catalog.seekMaxMs },
      ],
      figures: {
        cameras: scale.cameras,
        cpuPercentRelaying: relaying,
        cpuPercentRecording: recording,
        cpuRatio: recording / relaying,
        droppedFrames,
        droppedSegments: last.droppedSegments,
        notRecording: last.recordings.filter((state) => state !== 'recording').length,
        listDayMs: catalog.listDayMs,
        seekMs: catalog.seekMs,
        seekMaxMs: catalog.seekMaxMs,
        indexBytesPerSegment: catalog.bytesPerSegment,
      },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Measured {
  readonly before: RecordingSampleOfAll;
  readonly after: RecordingSampleOfAll;
}

async function measureCost(scale: Scale, folder: string) {
  const fleet = new ChildModule<CameraFleetCalls>(join(import.meta.dirname, '../support/camera-fleet.ts'));
  const gateway = new ChildModule<RecordingGatewayCalls>(join(import.meta.dirname, 'recording-gateway.ts'));
  return withChildren([gateway, fleet, new SmallPageCache(folder)], async () => {
    const urls = await fleet.call('start', { cameras: scale.cameras, ...PICTURE });
    const places = { folder: join(folder, 'media'), database: join(folder, 'bench.db') };
    await gateway.call('open', { urls, ...places, timeoutMs: OPEN_TIMEOUT_MS });
    const measured = async (): Promise<Measured> => {
      const before = await gateway.call('sample', null);
      await delay(scale.measureMs);
      return { before, after: await gateway.call('sample', null) };
    };
    await delay(scale.warmUpMs);
    const alone = await measured();
    await gateway.call('record', true);
    await delay(scale.beginMs);
    const both = await measured();
    await gateway.call('record', false);
    await delay(SETTLE_MS);
    const again = await measured();
    await gateway.call('close', null);
    const elapsedSec = (both.after.usage.atMs - both.before.usage.atMs) / 1_000;
    return {
      relaying: (cpuOf(alone) + cpuOf(again)) / 2,
      recording: cpuOf(both),
      droppedFrames: droppedFrames(both, scale),
      last: both.after,
      recordedBytesPerSec: (both.after.recordedBytes - both.before.recordedBytes) / elapsedSec,
    };
  });
}

function cpuOf({ before, after }: Measured): number {
  return cpuPercent(before.usage, after.usage);
}

function droppedFrames({ before, after }: Measured, { cameras }: Scale): number {
  const { holes, reported, ended } = after.frames;
  const elapsedSec = (after.usage.atMs - before.usage.atMs) / 1_000;
  const received = after.frames.received - before.frames.received;
  // Either end of the measured time may fall between a frame's sending and its arrival.
  const missing = Math.max(0, Math.floor(FLEET_FPS * elapsedSec * cameras - received - 2 * cameras));
  return holes + reported + after.unpackaged + missing + ended * FLEET_FPS * FLEET_GOP_SEC;
}

const DAYS = 30;
const DAY_MS = 86_400_000;
const SEGMENT_MS = 2_000;
/** Segments that fit into 128 MiB at 4 Mbit/s. */
const SEGMENTS_PER_FILE = 128;
const SEEKS = 200;

async function measureCatalog({ catalogCameras }: Scale, folder: string) {
  const path = join(folder, 'catalog.db');
  const options = { kind: 'sqlite', path, fieldKey: Buffer.alloc(32, 7), clock: systemClock } as const;
  await (await openStore(options)).close();
  const streams = Array.from(
    { length: catalogCameras },
    (): RecordedStream => ({ cameraUuid: newRuuid(), rendition: 'main' }),
  );
  const baseMs = Date.UTC(2026, 0, 1);
  const bytesPerSegment = fillCatalog(path, streams, baseMs);
  const store = await openStore(options);
  try {
    const catalog = new RecordingCatalog({
      recordings: store.recordings,
      openFile: () => null,
      clock: systemClock,
      log: silentLog,
    });
    const stream = streams[streams.length >> 1]!;
    const days: number[] = [];
    for (let day = 3; day < 24; day++) {
      const fromMs = baseMs + day * DAY_MS;
      const began = performance.now();
      const files = await catalog.segments(stream, fromMs, fromMs + DAY_MS);
      days.push(performance.now() - began);
      const found = files.reduce((sum, { segments }) => sum + segments.length, 0);
      if (Math.abs(found - DAY_MS / SEGMENT_MS) > 1) throw new Error(`${found} segments in a day`);
    }
    const seeks: number[] = [];
    for (let i = 0; i < SEEKS; i++) {
      const of = streams[(i * 37) % streams.length]!;
      const atMs = baseMs + ((i * 7_919 * 104_729) % (DAYS * DAY_MS));
      const began = performance.now();
      const found = await catalog.seek(of, atMs);
      seeks.push(performance.now() - began);
      if (found === null || Math.abs(found.segment.epochMs - atMs) > SEGMENT_MS)
        throw new Error('wrong instant');
    }
    const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
    return {
      listDayMs: median(days),
      seekMs: median(seeks),
      seekMaxMs: Math.max(...seeks),
      bytesPerSegment,
    };
  } finally {
    await store.close();
  }
}

/** In one transaction: as rows that come one by one, it would take an hour. Returns the index bytes per segment. */
function fillCatalog(path: string, streams: readonly RecordedStream[], baseMs: number): number {
  const db = new DatabaseSync(path);
  const columns = 'camera_uuid, rendition, number, start_ms, end_ms, byte_length, segments_json';
  const insert = db.prepare(`insert into recordings (${columns}) values (?, ?, ?, ?, ?, ?, ?)`);
  const fileMs = SEGMENTS_PER_FILE * SEGMENT_MS;
  let indexBytes = 0;
  db.exec('begin');
  for (let number = 0; number * fileMs < DAYS * DAY_MS; number++) {
    const startMs = baseMs + number * fileMs;
    const packed = packIndex(fileOf(startMs, number));
    indexBytes = packed.length;
    for (const { cameraUuid, rendition } of streams) {
      insert.run(
        cameraUuid,
        rendition,
        number,
        startMs,
        startMs + fileMs,
        SEGMENTS_PER_FILE * 1_000_100,
        packed,
      );
    }
  }
  db.exec('commit');
  db.close();
  return indexBytes / SEGMENTS_PER_FILE;
}

function fileOf(startMs: number, number: number): RecordedSegment[] {
  let offset = 1_000;
  return Array.from({ length: SEGMENTS_PER_FILE }, (_, i) => {
    const byteLength = 950_000 + ((i * 7_919 + number * 104_729) % 100_000);
    const segment: RecordedSegment = {
      offset,
      byteLength,
      startTicks: i * 180_000,
      durationTicks: 180_000,
      timescaleHz: 90_000,
      epochMs: startMs + i * SEGMENT_MS,
      isDiscontinuity: false,
      init: { offset: 132, byteLength: 700 },
    };
    offset += byteLength + 104;
    return segment;
  });
}
