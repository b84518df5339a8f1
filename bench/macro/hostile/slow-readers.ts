/**
 * Slow readers: one viewer requests each new segment on a separate connection and reads a kilobyte per second of it, while
 * another watches. Measures how much memory that takes beyond that of the same camera and the honest viewer, and how much
 * remains after the connections are closed, without an explicit collection. Memory is the least of two segments' time:
 * whether the newest segment is just assembled for the honest viewer makes 12 MiB of difference.
 */

import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchOptions, percentile, type Row } from '../../report.ts';
import { ChildModule, hrtimeMs, withChildren } from '../../support/child-module.ts';
import type { SlowReadersGatewayCalls } from './slow-readers-gateway.ts';

const MIB = 1_048_576;
/** 52 Mbit/s, as much as several cameras together produce: segments of 13 MB, more than sockets hold. */
const SHAPE = { framesPerSec: 25, framesPerGroup: 50, frameBytes: 260_000 };
const MAX_WINDOW_BYTES = 64 * MIB;
const SHORT = { attackMs: 30_000 };
const LONG = { attackMs: 150_000 };
/**
 * Twice the time to fill the window: first without viewers, and then with a viewer for whom each segment is assembled. By
 * then, the pool of free media blocks is as full as it gets.
 */
const WARM_UP_MS = 14_000;
const AFTER_CLOSE_MS = 3_000;
const POLL_MS = 200;
/** Two segments. */
const LOW_WATER_MS = 4_000;
const READ_INTERVAL_MS = 1_000;
const READ_BYTES = 1_024;

export async function measure({ isShort }: BenchOptions) {
  const { attackMs } = isShort ? SHORT : LONG;
  const file = join(import.meta.dirname, 'slow-readers-gateway.ts');
  const gateway = new ChildModule<SlowReadersGatewayCalls>(file, ['--expose-gc']);
  return withChildren([gateway], async () => {
    const { port, hostilePath, honestPath } = await gateway.call('start', {
      shape: SHAPE,
      maxWindowBytes: MAX_WINDOW_BYTES,
    });
    const base = `http://127.0.0.1:${port}`;
    await delay(WARM_UP_MS);
    const honest = new HonestViewer(base + honestPath);
    await delay(WARM_UP_MS);
    const before = { delays: honest.takeDelays(), bytes: await leastBytes(gateway, { isCollected: true }) };
    honest.takeDelays();
    const readers = new SlowReaders(port, hostilePath);
    honest.onSegment = (name) => readers.ask(name);
    await delay(attackMs);
    const during = { delays: honest.takeDelays(), bytes: await leastBytes(gateway, { isCollected: true }) };
    honest.onSegment = () => undefined;
    readers.close();
    await delay(AFTER_CLOSE_MS);
    const afterBytes = await leastBytes(gateway, { isCollected: false });
    honest.close();
    const figures = {
      slowReaderPinnedMiB: (during.bytes - before.bytes) / MIB,
      slowReaderPinnedAfterCloseMiB: (afterBytes - before.bytes) / MIB,
      slowReaderHonestFailures: honest.failures,
      slowReaderPlaylistP99Ms: p99(during.delays),
      slowReaderPlaylistP99Ratio: p99(during.delays) / p99(before.delays),
    };
    const rows: Row[] = [
      {
        case: `slow readers, ${attackMs / 1_000} s`,
        connections: readers.opened,
        'buffers before MiB': before.bytes / MIB,
        'during MiB': during.bytes / MIB,
        'after close MiB': afterBytes / MIB,
        'honest playlist p99 ms before': p99(before.delays),
        'p99 ms during': p99(during.delays),
      },
    ];
    return { rows, figures };
  });
}

async function leastBytes(
  gateway: ChildModule<SlowReadersGatewayCalls>,
  how: { readonly isCollected: boolean },
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (const endMs = hrtimeMs() + LOW_WATER_MS; hrtimeMs() < endMs; await delay(POLL_MS)) {
    least = Math.min(least, await gateway.call('bufferBytes', how));
  }
  return least;
}

/** Fetches the playlist over and over, and each segment once. */
class HonestViewer {
  failures = 0;
  onSegment: (name: string) => void = () => undefined;
  readonly #folderUrl: string;
  #newest = '';
  #delaysMs: number[] = [];
  #isOver = false;

  constructor(folderUrl: string) {
    this.#folderUrl = folderUrl;
    void this.#watch();
  }

  takeDelays(): number[] {
    const delays = this.#delaysMs;
    this.#delaysMs = [];
    return delays;
  }

  close(): void {
    this.#isOver = true;
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      try {
        await this.#look();
      } catch {
        this.failures++;
      }
      await delay(POLL_MS);
    }
  }

  async #look(): Promise<void> {
    const startMs = hrtimeMs();
    const playlist = await (await fetch(`${this.#folderUrl}file.m3u8`)).text();
    this.#delaysMs.push(hrtimeMs() - startMs);
    const newest = playlist.match(/^seg_\d+\.m4v$/gm)?.at(-1) ?? '';
    if (newest === '' || newest === this.#newest) return;
    this.#newest = newest;
    this.onSegment(newest);
    const segment = await fetch(this.#folderUrl + newest);
    const { byteLength } = await segment.arrayBuffer();
    if (segment.status !== 200 || byteLength !== Number(segment.headers.get('content-length')))
      this.failures++;
  }
}

class SlowReaders {
  opened = 0;
  readonly #port: number;
  readonly #folder: string;
  readonly #sockets: Socket[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(port: number, folder: string) {
    this.#port = port;
    this.#folder = folder;
    this.#timer = setInterval(() => {
      for (const socket of this.#sockets) socket.read(READ_BYTES);
    }, READ_INTERVAL_MS);
  }

  ask(name: string): void {
    this.opened++;
    const socket = connect(this.#port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET ${this.#folder}${name} HTTP/1.1\r\nHost: bench\r\n\r\n`);
    this.#sockets.push(socket);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
  }
}

function p99(values: readonly number[]): number {
  return percentile(values, 0.99);
}
