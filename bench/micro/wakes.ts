/**
 * `node bench/micro/wakes.ts`: the cost for a thread to learn that another one has put something into shared memory: to
 * look every 4 ms, `Atomics.waitAsync`, a message on a port of its own, a call (birpc). Percent of a core, by records per
 * second.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread, MessageChannel, type MessagePort, Worker, workerData } from 'node:worker_threads';
import { linkThreads } from '../../src/threads/thread-link.ts';
import { median, printTable, type Row } from '../report.ts';

const LOOK_MS = 4;
const TICK_MS = 1;
const WARM_UP_MS = 500;
const MEASURE_MS = 2_000;
const ROUNDS = 3;
const RATES_HZ = [1, 10, 30, 100, 300, 1_000];
/** In the shared memory: records written; whether the reader sleeps. */
const WRITTEN = 0;
const ASLEEP = 1;

type Way = 'look' | 'waitAsync' | 'message' | 'call';

interface Written {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly port: MessagePort;
  readonly way: Way;
  readonly rateHz: number;
}

interface Woken {
  wake(): void;
}

/** In a thread: counts up, and wakes the reader if it sleeps. */
function write({ words, port, way, rateHz }: Written): void {
  const reader = linkThreads<Woken, object>(port, {});
  const startedMs = performance.now();
  let written = 0;
  setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) * rateHz) / 1_000);
    for (; written < due; written++) {
      Atomics.add(words, WRITTEN, 1);
      if (way === 'look' || Atomics.exchange(words, ASLEEP, 0) === 0) continue;
      if (way === 'waitAsync') Atomics.notify(words, ASLEEP);
      else if (way === 'message') port.postMessage(null);
      else void reader.wake.asEvent();
    }
  }, TICK_MS);
}

/** Reads until `signal` says so. */
function read({ words, port, way }: Omit<Written, 'rateHz'>, signal: AbortSignal): void {
  let seen = 0;
  const take = (): void => {
    seen = Atomics.load(words, WRITTEN);
  };
  const sleep = (): void => {
    Atomics.store(words, ASLEEP, 1);
    if (Atomics.load(words, WRITTEN) !== seen && Atomics.exchange(words, ASLEEP, 0) === 1)
      setImmediate(woken);
    else if (way === 'waitAsync') void waitAsync();
  };
  const waitAsync = async (): Promise<void> => {
    await Atomics.waitAsync(words, ASLEEP, 1).value;
    woken();
  };
  const woken = (): void => {
    take();
    if (signal.aborted) return;
    if (way === 'look') setTimeout(woken, LOOK_MS);
    else sleep();
  };
  if (way === 'message') port.on('message', woken);
  else if (way === 'call') linkThreads<object, Woken>(port, { wake: woken });
  woken();
}

async function measure(way: Way, rateHz: number): Promise<number> {
  const words = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const { port1, port2 } = new MessageChannel();
  const written: Written = { words, port: port2, way, rateHz };
  const worker = new Worker(new URL(import.meta.url), { workerData: written, transferList: [port2] });
  const stop = new AbortController();
  read({ words, port: port1, way }, stop.signal);
  await delay(WARM_UP_MS);
  const [before, startedMs] = [process.threadCpuUsage(), performance.now()];
  await delay(MEASURE_MS);
  const { user, system } = process.threadCpuUsage(before);
  const percent = (user + system) / (performance.now() - startedMs) / 10;
  stop.abort();
  port1.close();
  await worker.terminate();
  return percent;
}

async function run(): Promise<void> {
  const ways: Way[] = ['look', 'waitAsync', 'message', 'call'];
  const rows: Row[] = [];
  for (const rateHz of RATES_HZ) {
    const percents: Record<string, number> = {};
    for (const way of ways) {
      const rounds: number[] = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(way, rateHz));
      percents[way] = median(rounds);
    }
    rows.push({ case: `${rateHz} records/s, % of a core`, ...percents });
  }
  printTable({ name: 'wakes', rows, figures: {} });
  process.exit(0);
}

if (isMainThread) await run();
else write(workerData as Written);
