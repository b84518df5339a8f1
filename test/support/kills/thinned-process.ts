/**
 * A process that is killed while recordings are thinned: `thinned-process.ts <task.json>`. Checks what earlier ones listed, then records two
 * cameras whose recordings are too old from the start, of which a legal hold includes one, and reports what is listed and thinned.
 */

import { createHash } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FAKE_VIDEO, FakeCamera } from '../../../src/cmaf/fake-camera.ts';
import { VIDEO_TRACK_ID } from '../../../src/cmaf/packaged-tracks.ts';
import { Segmenter } from '../../../src/cmaf/segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from '../../../src/cmaf/segmenter-limits.ts';
import { ticksToMs } from '../../../src/cmaf/ticks.ts';
import { WallClock } from '../../../src/cmaf/wall-clock.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { type Log, silentLog } from '../../../src/core/log.ts';
import { newRuuid, type Ruuid } from '../../../src/core/ruuid.ts';
import { type ReadBytes, readSegmentRuns } from '../../../src/isobmff/fragment-samples.ts';
import { openStorage, type StorageSettings } from '../../../src/recording/open-storage.ts';
import { Recorder } from '../../../src/recording/recorder.ts';
import { recorderThread } from '../../../src/recording/recorder-thread.ts';
import { RecordingCatalog } from '../../../src/recording/recording-catalog.ts';
import { RecordingImports } from '../../../src/recording/recording-imports.ts';
import { RecordingKeeper } from '../../../src/recording/recording-keeper.ts';
import { RecordingThinner } from '../../../src/recording/recording-thinner.ts';
import type { RecordedFile, RecordedSegment } from '../../../src/recording/segment-index.ts';
import { createRingMemory } from '../../../src/recording/shared-ring.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { RecordedRendition } from '../../../src/store/recording.ts';
import { THIN_BUCKET, type ThinLine, type ThinTask } from './thin-task.ts';

const FILE_BYTES = 262_144;
const RING_BYTES = 8 * 1_048_576;
const MAX_WAITING_BYTES = 262_144;
const KEEP_MS = 3_600_000;
const KEEP_KEY_FRAMES_MS = 36_500 * 86_400_000;
const FRAMES_PER_GOP = 25;
const FRAME_MS = 40;
const FRAME_TICKS = 3_600;
const FRAME_BYTES = 1_500;
const FRAMES_PER_STEP = 50;
const STEP_MS = 5;
const FOREVER_MS = Number.MAX_SAFE_INTEGER;

const task: ThinTask = JSON.parse(readFileSync(process.argv[2]!, 'utf8'));
const { folder, endpoint, isEncrypting, cameraUuid, heldUuid, fromMs, isLast } = task;
const key = Buffer.alloc(32, 7);
const common = { clock: systemClock, log: logFailures() };
const settings: StorageSettings = {
  folder: join(folder, 'media'),
  key,
  s3:
    endpoint === null
      ? null
      : {
          bucket: THIN_BUCKET,
          region: 'us-east-1',
          endpoint,
          prefix: '',
          credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'hush-hush-hush' },
          maxSpoolBytes: 1_073_741_824,
          localMs: 0,
        },
};
const store = await openStore({
  kind: 'sqlite',
  path: join(folder, 'thinned.db'),
  fieldKey: key,
  clock: systemClock,
});
const { recordings } = store;
if (!(await recordings.isHeld(heldUuid))) {
  const time = { startMs: 0, endMs: 4_000_000_000_000 };
  await store.recordingHolds.save({ uuid: newRuuid(), orgUuid: newRuuid(), cameraUuid: heldUuid, ...time });
}
const recorder: Recorder = new Recorder({
  ...common,
  launch: recorderThread({
    storage: settings,
    isEncrypting,
    signing: { secret: key, generation: 1 },
    limits: { fileBytes: FILE_BYTES, syncIntervalMs: 100, minFreeBytes: 0, heldBytes: 0 },
  }),
  createRing: () => createRingMemory(RING_BYTES),
  onFile: (file) => {
    keeper.finished(file);
    void catalog.settled().then(() => {
      reportListed(file);
      keeper.sweepSoon();
    });
  },
  onUnfinished: (stream, number) => keeper.repair(stream, number),
  onStarted: () => keeper.begin(),
  onFull: () => keeper.sweepSoon(),
});
const catalog = new RecordingCatalog({ ...common, recordings, openFile: (of) => recorder.openFile(of) });
const imports = new RecordingImports({
  recorder,
  recordings,
  keeper: () => keeper,
  rendition: 'key-frames',
});
const keeper: RecordingKeeper = new RecordingKeeper({
  ...common,
  recorder,
  catalog,
  recordings,
  isReserved: (stream, number) => imports.isReserved(stream, number),
  thinner: new RecordingThinner({ recorder, recordings, catalog, imports, log: common.log }),
  limits: {
    keepMs: KEEP_MS,
    keepSubMs: KEEP_MS,
    keepKeyFramesMs: KEEP_KEY_FRAMES_MS,
    keepForSharesMs: KEEP_MS,
    maxCameraBytes: null,
    maxOrganizationBytes: null,
    minFreeBytes: 0,
  },
});
const storage = await openStorage(settings, { clock: systemClock, minFreeBytes: 0, writes: null });
recorder.start();
await keeper.settled();
await catalog.settled();
if (isLast) {
  keeper.sweepSoon();
  await keeper.settled();
  await catalog.settled();
}
await check();
if (isLast) process.exit(0);
keeper.sweepSoon();
await Promise.all([record(cameraUuid), record(heldUuid)]);

function say(line: ThinLine): void {
  writeSync(process.stdout.fd, `${JSON.stringify(line)}\n`);
}

/** What fails here is a defect. */
function logFailures(): Log {
  const fail = (fields: object, message: string): void => {
    process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
  };
  return { ...silentLog, error: fail, warn: fail };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The data of a frame, the same in every process. */
function frameOf(uuid: Ruuid, index: number): Buffer {
  return Buffer.alloc(FRAME_BYTES, createHash('sha256').update(`${uuid} ${fromMs} ${index}`).digest());
}

/** 25 frames a second and a key frame each second, as fast as they are taken. Never ends. */
async function record(uuid: Ruuid): Promise<void> {
  const stream = { cameraUuid: uuid, rendition: 'main' } as const;
  recorder.turn(stream, true);
  const tap = recorder.tap(stream);
  const segmenter = new Segmenter({
    limits: { ...DEFAULT_SEGMENTER_LIMITS, targetSegmentMs: 1_000 },
    content: 'video-and-audio',
    wallClock: new WallClock(fromMs),
    onPart: (part) => {
      tap.take(part);
      part.bytes.release();
    },
  });
  segmenter.setTracks([FAKE_VIDEO]);
  const camera = new FakeCamera();
  for (let index = 0; ; index++) {
    const isKey = index % FRAMES_PER_GOP === 0;
    const data = frameOf(uuid, index);
    segmenter.push(
      camera.picture({ dtsTicks: index * FRAME_TICKS, isKey, data, arrivalMonoMs: index * FRAME_MS }),
    );
    if (index % FRAMES_PER_STEP > 0) continue;
    while (recorder.waitingBytes > MAX_WAITING_BYTES) await delay(STEP_MS);
    await delay(STEP_MS);
    if (tap.droppedSegments > 0) throw new Error('a segment was left out');
  }
}

/** Its row is stored. */
function reportListed({ cameraUuid: uuid, rendition, segments }: RecordedFile): void {
  if (rendition === 'key-frames') {
    say({ what: 'thinned', pictures: segments.length });
    return;
  }
  for (const { epochMs } of segments) {
    // What a repair found belongs to an earlier process.
    if (epochMs < fromMs - FRAME_MS) continue;
    const index = Math.round((epochMs - fromMs) / FRAME_MS);
    const keySha256 = sha256(frameOf(uuid, index));
    say({ what: 'listed', isHeld: uuid === heldUuid, epochMs, keySha256 });
  }
}

/** By when it begins, the digests of the data of the key frames that the stream has. */
async function keysOf(uuid: Ruuid, rendition: RecordedRendition, sinceMs: number) {
  const keys = new Map<number, string[]>();
  const stream = { cameraUuid: uuid, rendition };
  for (const { name, segments } of await catalog.segments(stream, sinceMs, FOREVER_MS)) {
    const reader = await storage.open(name);
    const read: ReadBytes = (_, offset, length) => reader.read(offset, length);
    for (const segment of segments) {
      for (const { at, sha } of await keysIn(read, name, segment))
        keys.set(at, [...(keys.get(at) ?? []), sha]);
    }
    await reader.close();
  }
  return keys;
}

async function keysIn(read: ReadBytes, name: string, segment: RecordedSegment) {
  const { offset, byteLength, epochMs, startTicks, timescaleHz } = segment;
  const found: { at: number; sha: string }[] = [];
  for (const run of await readSegmentRuns(read, { name, offset, byteLength })) {
    if (run.trackId !== VIDEO_TRACK_ID) continue;
    let [ticks, dataOffset] = [run.startTicks, run.dataOffset];
    for (const [i, sizeBytes] of run.sizesBytes.entries()) {
      if (run.keys[i] === 1) {
        const at = tenthsOf(epochMs + ticksToMs(ticks - startTicks, timescaleHz));
        found.push({ at, sha: sha256(await read(name, dataOffset, sizeBytes)) });
      }
      ticks += run.durationsTicks[i]!;
      dataOffset += sizeBytes;
    }
  }
  return found;
}

/** Times are stored in whole milliseconds. */
function tenthsOf(epochMs: number): number {
  return Math.round(epochMs / 100);
}

async function check(): Promise<void> {
  const faults: string[] = [];
  let thinned = 0;
  const sinceMs = Math.min(fromMs, ...task.listed.map(({ epochMs }) => epochMs)) - FRAME_MS;
  const main = await keysOf(cameraUuid, 'main', sinceMs);
  const keyFrames = await keysOf(cameraUuid, 'key-frames', sinceMs);
  const held = await keysOf(heldUuid, 'main', sinceMs);
  for (const { isHeld, epochMs, keySha256 } of task.listed) {
    const at = tenthsOf(epochMs);
    const [whole, left] = isHeld ? [held.get(at), undefined] : [main.get(at), keyFrames.get(at)];
    if (whole === undefined && left !== undefined) thinned++;
    if ((whole ?? left)?.includes(keySha256) === true) continue;
    faults.push(`${isHeld ? 'held' : 'thinned'} ${epochMs}: ${whole ?? left ?? 'nothing'} is left`);
  }
  for (const [at, { length }] of keyFrames) if (length > 1) faults.push(`${at} was thinned ${length} times`);
  const none = await recordings.numbers({ cameraUuid: heldUuid, rendition: 'key-frames' });
  if (none.length > 0) faults.push(`${none.length} files of held recordings were thinned`);
  if (isLast) faults.push(...(await faultsInTheEnd()));
  say({ what: 'started', checked: task.listed.length, thinned, faults });
}

/** Everything is thinned, and no file is without a row. */
async function faultsInTheEnd(): Promise<string[]> {
  const faults: string[] = [];
  for (const [uuid, rendition] of [
    [cameraUuid, 'main'],
    [cameraUuid, 'key-frames'],
    [heldUuid, 'main'],
  ] as const) {
    const stream = { cameraUuid: uuid, rendition };
    const rows = await recordings.numbers(stream);
    const files = await recorder.call({ name: 'numbers', of: stream });
    if (`${rows}` !== `${files}`) faults.push(`${rendition} has rows ${rows} and files ${files}`);
    if (uuid === cameraUuid && rendition === 'main' && rows.length > 0)
      faults.push(`${rows} were not thinned`);
  }
  return faults;
}
