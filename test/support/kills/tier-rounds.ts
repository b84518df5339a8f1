/** kill -9, round after round, while files move from the disk to S3; each process checks what the ones before acknowledged. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newRuuid } from '../../../src/core/ruuid.ts';
import { TestS3Server } from '../s3-server.ts';
import { BUCKET, type TierLine, type TierTask } from './tier-task.ts';

const PROCESS = join(import.meta.dirname, 'tiered-process.ts');
/** Short enough that files move in each round, and long enough that some have not. */
const LOCAL_MS = 120;
/** Every so many rounds, S3 cannot be reached. */
const AWAY_EVERY = 7;

export interface TierReport {
  readonly rounds: number;
  readonly files: number;
  readonly deletions: number;
  readonly checked: number;
  readonly faults: readonly string[];
}

export interface TierOptions {
  readonly rounds: number;
  /** Limit on acknowledgements before the kill. */
  readonly maxAcknowledged: number;
  readonly onRound?: (number: number, faults: readonly string[]) => void;
}

/** What the last line about each file says. */
class Acknowledged {
  readonly #last = new Map<string, 'sealed' | 'deleting' | 'deleted'>();
  files = 0;
  deletions = 0;

  take({ name, what }: Exclude<TierLine, { readonly what: 'started' }>): void {
    if (what === 'sealed') this.files++;
    if (what === 'deleted') this.deletions++;
    this.#last.set(name, what);
  }

  names(what: 'sealed' | 'deleting' | 'deleted'): string[] {
    return [...this.#last].flatMap(([name, last]) => (last === what ? [name] : []));
  }
}

/** Rejects if a process fails before it is killed. */
export async function tierRounds({ rounds, maxAcknowledged, onRound }: TierOptions): Promise<TierReport> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-tiers-'));
  const server = await TestS3Server.start();
  try {
    await server.createBucket(BUCKET);
    const cameras = [newRuuid(), newRuuid()];
    const all = new Acknowledged();
    const faults: string[] = [];
    let checked = 0;
    for (let number = 0; number <= rounds; number++) {
      const isLast = number === rounds;
      const isAway = !isLast && number % AWAY_EVERY === AWAY_EVERY - 1;
      server.cut(isAway);
      const task: TierTask = {
        folder: join(folder, 'media'),
        endpoint: server.endpoint,
        localMs: LOCAL_MS,
        cameras,
        sealed: all.names('sealed'),
        deleting: all.names('deleting'),
        deleted: all.names('deleted'),
        isAway,
        isLast,
      };
      // Spread over the work, the same in every run.
      const share = ((number * 37) % 100) / 100;
      const path = join(folder, 'task.json');
      writeFileSync(path, JSON.stringify(task));
      const started = await runAndKill(path, isLast ? null : Math.floor(maxAcknowledged * share), all);
      checked += started?.checked ?? 0;
      faults.push(...(started?.faults ?? []));
      onRound?.(number, started?.faults ?? []);
    }
    return { rounds, files: all.files, deletions: all.deletions, checked, faults };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Started = Extract<TierLine, { readonly what: 'started' }>;

/** `acknowledged`: when it is killed; null: it ends on its own. */
async function runAndKill(
  path: string,
  acknowledged: number | null,
  all: Acknowledged,
): Promise<Started | null> {
  const child = spawn(process.execPath, [PROCESS, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let started: Started | null = null;
  let count = 0;
  for await (const text of createInterface(child.stdout)) {
    const line = JSON.parse(text) as TierLine;
    if (line.what === 'started') started = line;
    else all.take(line);
    if (acknowledged !== null && count++ === acknowledged) child.kill('SIGKILL');
  }
  const [code, signal] = await exited;
  if (acknowledged === null ? code !== 0 : signal !== 'SIGKILL') {
    throw new Error(`the process ended with ${code ?? signal}`);
  }
  return started;
}
