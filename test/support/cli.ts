/** One complete run of the command line. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BUILT_MAIN } from '../../scripts/built.mjs';

/** A command that is still running by then hangs. */
const TIMEOUT_MS = 60_000;

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function runCli(...args: string[]): Promise<CliResult> {
  return runCliIn(process.cwd(), ...args);
}

/** In its own folder: for files that the command line finds where it was started. */
export async function runCliIn(cwd: string, ...args: string[]): Promise<CliResult> {
  const child = spawn(process.execPath, [BUILT_MAIN, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}
