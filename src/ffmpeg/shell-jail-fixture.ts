/** Workers without a jail whose "program" is a shell script, for tests of admission and of programs that misbehave. */

import { readFileSync } from 'node:fs';
import type { Jail } from './jail.ts';
import type { WorkerSpec } from './worker.ts';

export const shellJail: Jail = {
  hasPictureServer: false,
  describe: () => {
    throw new Error('not asked for');
  },
  wrap: (script) => ({ command: '/bin/sh', args: ['-c', script] }),
};

export function shellScript(source: string, more: Partial<WorkerSpec> = {}): WorkerSpec {
  return { ffmpegPath: source, line: { args: [], stdin: null }, network: null, extraFd: null, ...more };
}

export const FOREVER = shellScript('echo ready; exec cat');

/** Zombies count as gone: in a container, they may never be reaped. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false; // no such process
  }
}
