/**
 * `start`: processor time until a gateway without cameras listens, and its memory then, next to a process that only serves one Fastify
 * route. Node.js has compiled both before. The starts take turns.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_MAIN } from '../../scripts/built.mjs';
import { Child } from '../../test/support/child.ts';
import { type BenchOptions, type BenchResult, median } from '../report.ts';
import { foreignCpuMicros, foreignRssBytes } from '../support/foreign-process.ts';

const BARE_SERVER = join(import.meta.dirname, 'start', 'bare-server.ts');
const SHORT_ROUNDS = 2;
const LONG_ROUNDS = 11;
const MEBIBYTE = 2 ** 20;

interface Start {
  readonly cpuSec: number;
  readonly wallSec: number;
  readonly rssMiB: number;
}

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-start-'));
  try {
    const gateways: Start[] = [];
    const bareServers: Start[] = [];
    const rounds = isShort ? SHORT_ROUNDS : LONG_ROUNDS;
    // Nobody counts the first round: Node.js compiles.
    for (let round = 0; round <= rounds; round++) {
      const gateway = await measure(['serve'], BUILT_MAIN, folder, round);
      const bareServer = await measure([], BARE_SERVER, folder, round);
      if (round === 0) continue;
      gateways.push(gateway);
      bareServers.push(bareServer);
    }
    const rows = [rowOf('gateway', gateways), rowOf('bare Fastify', bareServers)] as const;
    const [gateway, bareServer] = rows;
    return {
      name: 'start',
      rows,
      figures: {
        cpuSec: gateway['CPU s'],
        rssMiB: gateway['RSS MiB'],
        cpuRatio: gateway['CPU s'] / bareServer['CPU s'],
        rssRatio: gateway['RSS MiB'] / bareServer['RSS MiB'],
      },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(args: readonly string[], file: string, folder: string, round: number): Promise<Start> {
  const sinceMs = performance.now();
  const child = new Child(process.execPath, [file, ...args], {
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    SLUICE_DATA: join(folder, `data-${round}`),
    SLUICE_DEMO: 'false',
    SLUICE_LISTEN_API: '127.0.0.1:0',
    SLUICE_LISTEN_MEDIA: '127.0.0.1:0',
  });
  try {
    await child.line(/\bready\b/);
    const pid = child.process.pid!;
    return {
      cpuSec: foreignCpuMicros(pid) / 1e6,
      wallSec: (performance.now() - sinceMs) / 1_000,
      rssMiB: foreignRssBytes(pid) / MEBIBYTE,
    };
  } finally {
    await child.end();
  }
}

function rowOf(name: string, starts: readonly Start[]) {
  const medianOf = (figure: keyof Start) =>
    Math.round(100 * median(starts.map((each) => each[figure]))) / 100;
  return {
    case: name,
    'CPU s': medianOf('cpuSec'),
    'wall s': medianOf('wallSec'),
    'RSS MiB': medianOf('rssMiB'),
  };
}
