/**
 * Measures whether uploads to S3 keep up with 300 cameras at 4 Mbit/s: files of 128 MiB are written to the spool at that pace, in one
 * thread with the uploads as in the recorder's, and the spool must not grow. Before, it uploads a backlog, one file at a time (as a
 * reference) and as many as the gateway allows.
 *
 * Run: node bench/micro/s3-uploads.ts [endpoint bucket [folder]], with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Without an endpoint,
 * the server only takes the bytes, so what is left is the gateway's own cost. `folder`: where the spool is, such as on the disk to measure.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { systemClock } from '../../src/core/clock.ts';
import { newRuuid } from '../../src/core/ruuid.ts';
import { FileStorage } from '../../src/recording/file-storage.ts';
import type { MediaAppender } from '../../src/recording/media-storage.ts';
import type { ObjectStore } from '../../src/recording/object-store.ts';
import { S3Objects } from '../../src/recording/s3-objects.ts';
import { S3Storage } from '../../src/recording/s3-storage.ts';
import { printTable, type Row } from '../report.ts';

const CAMERAS = 300;
const BYTES_PER_SEC = 500_000;
const FILE_BYTES = 128 * 1_048_576;
const PARTS_PER_SEC = 15;
const SYNC_SEC = 5;
const PACED_SEC = 60;
const BACKLOG_FILES = 24;
const MB = 1e6;
const PART = Buffer.alloc(Math.round(BYTES_PER_SEC / PARTS_PER_SEC), 0x5a);
const CAMERA_UUIDS = Array.from({ length: CAMERAS }, () => newRuuid());
/** Half of the cameras belong to each of two organizations. */
const organizationOf = (cameraUuid: string): string =>
  (CAMERA_UUIDS as readonly string[]).indexOf(cameraUuid) % 2 === 0 ? 'one' : 'other';

if (isMainThread) await main();
else takeBytes();

async function main(): Promise<void> {
  const [endpoint, bucket = 'recordings', parent = tmpdir()] = process.argv.slice(2);
  const sink = endpoint === undefined ? await startSink() : null;
  const folder = mkdtempSync(join(parent, 'sluice-uploads-'));
  try {
    const given = { endpoint: endpoint ?? sink!.endpoint, bucket };
    const rows: Row[] = [];
    for (const [name, isOneByOne] of [
      ['backlog, one at a time', true],
      ['backlog, as allowed', false],
    ] as const) {
      rows.push(await measureBacklog(name, join(folder, name), given, isOneByOne));
    }
    rows.push(await measurePaced(join(folder, 'paced'), given));
    printTable({ name: sink === null ? `uploads to ${endpoint}` : 'uploads to nowhere', rows, figures: {} });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await sink?.worker.terminate();
  }
}

interface Target {
  readonly endpoint: string;
  readonly bucket: string;
}

function open(folder: string, target: Target, isOneByOne = false): S3Storage {
  const objects: ObjectStore = new S3Objects({
    ...target,
    region: 'us-east-1',
    prefix: `${newRuuid()}/`,
    credentials: {
      accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? 'AKIABENCH',
      secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? 'not-secret',
    },
  });
  if (isOneByOne) putOneByOne(objects);
  return new S3Storage({
    objects,
    clock: systemClock,
    spool: new FileStorage(join(folder, 'spool')),
    marks: new FileStorage(join(folder, 'marks')),
    older: new FileStorage(join(folder, 'older')),
    reserved: new Set(),
    maxSpoolBytes: Number.MAX_SAFE_INTEGER,
    minFreeBytes: 0,
    onUpload: (failure) => failed(failure),
    onRefused: (_name, error) => failed(error),
    organizationOf,
  });
}

function failed(failure: Error | null): void {
  if (failure !== null) process.stderr.write(`${failure.message} ${JSON.stringify(failure)}\n`);
}

function putOneByOne(objects: ObjectStore): void {
  const put = objects.put.bind(objects);
  let before: Promise<void> = Promise.resolve();
  objects.put = (...args) => {
    before = before.then(() => put(...args));
    return before;
  };
}

async function measureBacklog(
  name: string,
  folder: string,
  target: Target,
  isOneByOne: boolean,
): Promise<Row> {
  const storage = open(folder, target, isOneByOne);
  const files: MediaAppender[] = [];
  for (let i = 0; i < BACKLOG_FILES; i++) {
    const file = await storage.create(nameOf(i, 0), FILE_BYTES);
    while (file.byteLength < FILE_BYTES) await file.append([PART]);
    files.push(file);
  }
  const [startMs, cpu] = [performance.now(), process.cpuUsage()];
  for (const file of files) await file.seal();
  await storage.settled();
  const sec = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  await storage.close();
  return {
    case: name,
    'MB/s': (BACKLOG_FILES * FILE_BYTES) / MB / sec,
    'core %': (user + system) / 10_000 / sec,
  };
}

/** Waiting files as they are once a second: sealed, and not uploaded. */
async function measurePaced(folder: string, target: Target): Promise<Row> {
  const storage = open(folder, target);
  const cameras = Array.from({ length: CAMERAS }, (_, index) => ({
    index,
    number: 0,
    file: null as MediaAppender | null,
  }));
  const waiting: number[] = [];
  const [startMs, cpu] = [performance.now(), process.cpuUsage()];
  let latestMs = 0;
  let openBytes = 0;
  for (let turn = 0; turn < PACED_SEC * PARTS_PER_SEC; turn++) {
    const dueMs = startMs + (turn * 1_000) / PARTS_PER_SEC;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    latestMs = Math.max(latestMs, performance.now() - dueMs);
    for (const camera of cameras) {
      const { index } = camera;
      camera.file ??= await storage.create(nameOf(index, camera.number), FILE_BYTES);
      await camera.file.append([PART]);
      if ((turn + index) % (SYNC_SEC * PARTS_PER_SEC) === 0) await camera.file.sync();
      // The first files end one after the other, as those of cameras that began at different times do.
      const endBytes = camera.number === 0 ? (FILE_BYTES * (index + 1)) / CAMERAS : FILE_BYTES;
      if (camera.file.byteLength < endBytes) continue;
      await camera.file.seal();
      camera.file = null;
      camera.number++;
    }
    if (turn % PARTS_PER_SEC !== 0) continue;
    openBytes = cameras.reduce((sum, { file }) => sum + (file === null ? 0 : FILE_BYTES), 0);
    waiting.push((storage.spooledBytes - openBytes) / MB);
  }
  const { user, system } = process.cpuUsage(cpu);
  const sec = (performance.now() - startMs) / 1_000;
  for (const { file } of cameras) await file?.seal();
  await storage.settled();
  await storage.close();
  const meanOf = (part: readonly number[]) => part.reduce((sum, each) => sum + each, 0) / part.length;
  const third = Math.floor(waiting.length / 3);
  return {
    case: `${CAMERAS} cameras, ${sec.toFixed(0)} s`,
    'MB/s': (CAMERAS * PART.length * PARTS_PER_SEC * PACED_SEC) / MB / sec,
    'core %': (user + system) / 10_000 / sec,
    'waiting MB, first third': meanOf(waiting.slice(0, third)),
    'last third': meanOf(waiting.slice(-third)),
    most: Math.max(...waiting),
    'latest part ms': latestMs,
  };
}

function nameOf(camera: number, number: number): string {
  return `${CAMERA_UUIDS[camera % CAMERAS]}/main/${String(number).padStart(12, '0')}.mp4`;
}

async function startSink(): Promise<{ readonly worker: Worker; readonly endpoint: string }> {
  const worker = new Worker(new URL(import.meta.url));
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  return { worker, endpoint: `http://127.0.0.1:${port}` };
}

/** A server that takes what it gets, and keeps none of it. */
function takeBytes(): void {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('etag', '"none"').end());
  });
  server.listen(0, '127.0.0.1', () => parentPort!.postMessage((server.address() as AddressInfo).port));
}
