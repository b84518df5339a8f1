/**
 * `node bench/micro/mirrors.ts`: what it costs to have parts where viewers connect, with 50 MB of parts per second and two
 * receivers. The variants are threads that receive the location of the parts and copy each once for their viewers, threads
 * that get a copy, and processes that get them through a UNIX socket. Processor time per second of video: of all together,
 * and of the sender alone, which has the cameras and does not multiply with the receivers.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { BlockLender, type LentBytes } from '../../src/cmaf/block-lender.ts';
import { BorrowedBytes, SharedSlabs } from '../../src/cmaf/borrowed-bytes.ts';
import { ByteQueue } from '../../src/cmaf/byte-queue.ts';
import { PartBytes } from '../../src/cmaf/part-bytes.ts';
import { median, printTable } from '../report.ts';
import { foreignCpuMicros, threadCpuMicros } from '../support/foreign-process.ts';

const RECEIVERS = 2;
const PART_BYTES = 100_000;
const PARTS_PER_SEC = 500;
const TICK_MS = 10;
const MEASURE_MS = 4_000;
const ROUNDS = 5;
const SOCKET_PATH = 'SLUICE_MIRROR_SOCKET';

type Kind = 'blocks' | 'copy';

/** In a thread: copies each announced part, as the first viewer of a part makes it do. */
function receive(kind: Kind): void {
  const slabs = new SharedSlabs();
  parentPort!.on('message', (message: Lent | Uint8Array) => {
    if (kind === 'blocks' && 'places' in message) {
      for (const [slabId, memory] of message.news) slabs.slabShared(slabId, memory);
      const bytes = BorrowedBytes.of(message, slabs, () => undefined);
      bytes.join();
      bytes.release();
    }
    parentPort!.postMessage(null);
  });
}

function newPart(): PartBytes {
  const queue = new ByteQueue();
  queue.append(Buffer.alloc(PART_BYTES, 1));
  const run = queue.share(PART_BYTES);
  queue.clear();
  return new PartBytes([run]);
}

/** Milliseconds of processor time per second. */
interface Cost {
  readonly all: number;
  readonly sender: number;
}

/** Sends parts at the pace of the cameras. */
async function measure(send: (part: PartBytes) => void, pids: readonly number[]): Promise<Cost> {
  const cpu = (): number => pids.reduce((sum, pid) => sum + foreignCpuMicros(pid), 0);
  const startMs = performance.now();
  const before = cpu();
  const senderBefore = threadCpuMicros(process.pid);
  let sent = 0;
  while (performance.now() - startMs < MEASURE_MS) {
    for (; sent < ((performance.now() - startMs) / 1_000) * PARTS_PER_SEC; sent++) send(newPart());
    await delay(TICK_MS);
  }
  const elapsedMs = performance.now() - startMs;
  const sender = (threadCpuMicros(process.pid) - senderBefore) / elapsedMs;
  return { all: (cpu() - before) / elapsedMs, sender };
}

/** A WindowFeed's message about a part. */
interface Lent extends LentBytes {
  readonly news: readonly [slabId: number, memory: SharedArrayBuffer][];
}

/** As a WindowFeed does it. */
class Feed {
  #news: [number, SharedArrayBuffer][] = [];
  #oldestHold = 0;
  readonly #lender = new BlockLender({
    slabShared: (slabId, memory) => void this.#news.push([slabId, memory]),
    slabForgotten: () => undefined,
  });

  lend(part: PartBytes): Lent {
    const lent = { ...this.#lender.lend(part), news: this.#news };
    this.#news = [];
    return lent;
  }

  giveBackOldest(): void {
    this.#lender.release([this.#oldestHold++]);
  }
}

async function withThreads(kind: Kind): Promise<Cost> {
  const feeds = Array.from({ length: RECEIVERS }, () => new Feed());
  const workers = Array.from({ length: RECEIVERS }, (_, index) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: kind });
    worker.on('message', () => feeds[index]!.giveBackOldest());
    return worker;
  });
  await Promise.all(workers.map((worker) => once(worker, 'online')));
  const cpu = await measure(
    (part) => {
      for (const [index, worker] of workers.entries()) {
        const own = part.again();
        if (kind === 'blocks') worker.postMessage(feeds[index]!.lend(own));
        else {
          const copy = own.join();
          own.release();
          worker.postMessage(copy, [copy.buffer as ArrayBuffer]);
        }
      }
      part.release();
    },
    [process.pid],
  );
  for (const worker of workers) await worker.terminate();
  return cpu;
}

async function withProcesses(): Promise<Cost> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mirrors-'));
  const path = join(folder, 'socket');
  const server = createServer();
  server.listen(path);
  await once(server, 'listening');
  const sockets: Socket[] = [];
  const children: ChildProcess[] = [];
  for (let i = 0; i < RECEIVERS; i++) {
    const accepted = once(server, 'connection');
    children.push(fork(import.meta.filename, [], { env: { ...process.env, [SOCKET_PATH]: path } }));
    sockets.push((await accepted)[0] as Socket);
  }
  const cpu = await measure(
    (part) => {
      const bytes = part.join();
      part.release();
      for (const socket of sockets) socket.write(bytes);
    },
    [process.pid, ...children.map(({ pid }) => pid!)],
  );
  for (const child of children) child.kill();
  server.close();
  rmSync(folder, { recursive: true });
  return cpu;
}

async function run(): Promise<void> {
  const ways = {
    'threads, shared blocks': () => withThreads('blocks'),
    'threads, a copy each': () => withThreads('copy'),
    'processes, UNIX socket': withProcesses,
  };
  const rows = [];
  for (const [name, way] of Object.entries(ways)) {
    const rounds: Cost[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await way());
    rows.push({
      case: name,
      'CPU ms per s': median(rounds.map(({ all }) => all)),
      'sender CPU ms per s': median(rounds.map(({ sender }) => sender)),
    });
  }
  printTable({ name: 'mirrors', rows, figures: {} });
  process.exit(0);
}

if (!isMainThread) receive(workerData as Kind);
else if (process.env[SOCKET_PATH] === undefined) await run();
else connect(process.env[SOCKET_PATH]).resume();
