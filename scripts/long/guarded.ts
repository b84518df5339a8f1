/** A command whose processes all end when this process ends, or when it is ended: `guarded.mjs`. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

const GUARD = join(import.meta.dirname, 'guarded.mjs');

export interface GuardedOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Appended to; null discards the output. */
  readonly logFile: string | null;
  /** 0 to 19. */
  readonly niceness: number;
}

export interface Guarded {
  /** The exit code, as a shell would see it. */
  readonly ended: Promise<number>;
  /** Ends it with all its processes. */
  end(): void;
}

export function runGuarded(command: readonly string[], options: GuardedOptions): Guarded {
  const { cwd, env, logFile, niceness } = options;
  const output = logFile === null ? null : openSync(logFile, 'a');
  const child = spawn(process.execPath, [GUARD, String(niceness), ...command], {
    // A process group of its own.
    cwd,
    env,
    detached: true,
    stdio: ['pipe', output ?? 'ignore', output ?? 'ignore'],
  });
  if (output !== null) closeSync(output);
  // Processes that the command left behind would disturb later ones.
  const ended = once(child, 'exit').then(([code, signal]) => {
    killGroup(child.pid!);
    return (code as number | null) ?? (signal === null ? 1 : 137);
  });
  child.stdin!.on('error', () => undefined);
  return { ended, end: () => child.stdin!.destroy() };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}
