/**
 * The other reference of the fleet benchmark: a C program that only reads the cameras' sockets, which is mostly the
 * kernel's work, and discards the bytes or keeps them.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Child } from '../../test/support/child.ts';
import { hrtimeMs } from '../support/child-module.ts';
import { threadCpuMicros } from '../support/foreign-process.ts';

const SOURCE = join(import.meta.dirname, 'fleet-socket-reader.c');
/** The first key frames are over. */
const SETTLE_MS = 2_000;

/**
 * Measures the cost of reading all of `urls`, in percent of a core; null without a C compiler. Takes under a session's
 * timeout. `keep`: into memory that the kernel has to find and clear first.
 */
export async function measureSocketReader(
  urls: readonly string[],
  measureMs: number,
  use: 'discard' | 'keep',
): Promise<number | null> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-reader-'));
  try {
    const program = join(folder, 'socket-reader');
    const compiler = process.env.CC ?? 'cc';
    const compiled = spawnSync(compiler, ['-O2', '-o', program, SOURCE], { stdio: 'inherit' });
    if (compiled.status !== 0) return null;
    const reader = new Child(program, [use, ...urls.map((url) => new URL(url).port)]);
    try {
      await reader.line(/^ready$/);
      await delay(SETTLE_MS);
      const pid = reader.process.pid!;
      const before = { cpuMicros: threadCpuMicros(pid), atMs: hrtimeMs() };
      await delay(measureMs);
      if (reader.process.exitCode !== null)
        throw new Error(`the socket reader ended: ${reader.lines.join('; ')}`);
      return (threadCpuMicros(pid) - before.cpuMicros) / 10 / (hrtimeMs() - before.atMs);
    } finally {
      await reader.end();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
