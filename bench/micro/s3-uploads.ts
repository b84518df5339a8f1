/**
 * Measures whether uploads to S3 keep up with 300 cameras at 4 Mbit/s: files are written to the spool at that pace, in one
 * thread with the uploads as in the recorder's, and the spool must not grow. Before, it uploads a backlog, one file at a time (as a
 * reference) and as many as the gateway allows.
 *
 * Run: node bench/micro/s3-uploads.ts [--endpoint url --bucket name] [--folder path] [--mib 128], with AWS_ACCESS_KEY_ID and
 * AWS_SECRET_ACCESS_KEY. Without an endpoint, the server only takes the bytes, so what is left is the gateway's own cost. `--folder`: where
 * the spool is, such as on the disk to measure. `--mib`: the size of a file (`recording.fileSize`).
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
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
const PARTS_PER_SEC = 15;
const SYNC_SEC = 5;
const PACED_SEC = 30;
const BACKLOG_FILES = 24;
const MB = 1e6;
const PART = Buffer.alloc(Math.round(BYTES_PER_SEC / PARTS_PER_SEC), 0x5a);
const { values: OPTIONS } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    bucket: { type: 'string', default: 'recordings' },
    folder: { type: 'string', default: tmpdir() },
    mib: { type: 'string', default: '128' },
  },
});
const FILE_BYTES = Number(OPTIONS.mib) * 1_048_576;
const CAMERA_UUIDS = Array.from({ length: CAMERAS }, () => newRuuid());
/** Half of the cameras belong to each of two organizations. */
const organizationOf = (cameraUuid: string): string =>
  (CAMERA_UUIDS as readonly string[]).indexOf(cameraUuid) % 2 === 0 ? 'one' : 'other';

if (isMainThread) await main();
else takeBytes();

async function main(): Promise<void> {
  const { endpoint, bucket, folder: parent } = OPTIONS;
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

/** A camera in the middle of a file. */
interface WritingCamera {
  readonly index: number;
  number: number;
  file: MediaAppender;
}

/** Waiting files as they are once a second: sealed, and not uploaded. */
async function measurePaced(folder: string, target: Target): Promise<Row> {
  const storage = open(folder, target);
  const cameras: WritingCamera[] = [];
  for (let index = 0; index < CAMERAS; index++) {
    // They began at different times, so their files end one after the other.
    const file = await storage.create(nameOf(index, 0), FILE_BYTES);
    while (file.byteLength < (FILE_BYTES * index) / CAMERAS) await file.append([PART]);
    cameras.push({ index, number: 0, file });
  }
  const waiting: number[] = [];
  const [startMs, cpu] = [performance.now(), process.cpuUsage()];
  let latestMs = 0;
  let sealedBytes = 0;
  for (let turn = 0; turn < PACED_SEC * PARTS_PER_SEC; turn++) {
    const dueMs = startMs + (turn * 1_000) / PARTS_PER_SEC;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    latestMs = Math.max(latestMs, performance.now() - dueMs);
    for (const camera of cameras) {
      const { index, file } = camera;
      await file.append([PART]);
      if ((turn + index) % (SYNC_SEC * PARTS_PER_SEC) === 0) await file.sync();
      if (file.byteLength < FILE_BYTES) continue;
      await file.seal();
      sealedBytes += file.byteLength;
      camera.number++;
      camera.file = await storage.create(nameOf(index, camera.number), FILE_BYTES);
    }
    if (turn % PARTS_PER_SEC === 0) waiting.push((storage.spooledBytes - CAMERAS * FILE_BYTES) / MB);
  }
  const { user, system } = process.cpuUsage(cpu);
  const sec = (performance.now() - startMs) / 1_000;
  for (const { file } of cameras) await file.seal();
  await storage.settled();
  await storage.close();
  const meanOf = (part: readonly number[]) => part.reduce((sum, each) => sum + each, 0) / part.length;
  const third = Math.floor(waiting.length / 3);
  return {
    case: `${CAMERAS} cameras, ${sec.toFixed(0)} s`,
    'MB/s': sealedBytes / MB / sec,
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

/** A server that takes what it gets, and keeps nothing but its size. */
function takeBytes(): void {
  const sizes = new Map<string, number>();
  const server = createServer(({ method, url = '', headers }, response) => {
    const path = url.replace(/\?.*/, '');
    if (method === 'PUT') sizes.set(path, Number(headers['content-length']));
    else if (method === 'HEAD') response.setHeader('content-length', sizes.get(path) ?? 0);
    response.setHeader('etag', '"none"');
    response.req.resume().on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1', () => parentPort!.postMessage((server.address() as AddressInfo).port));
}
