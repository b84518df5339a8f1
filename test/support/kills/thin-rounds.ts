/** kill -9, round after round, while recordings are thinned; each process checks what the ones before listed. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newRuuid } from '../../../src/core/ruuid.ts';
import { TestS3Server } from '../s3-server.ts';
import { type ListedSegment, THIN_BUCKET, type ThinLine, type ThinTask } from './thin-task.ts';

const PROCESS = join(import.meta.dirname, 'thinned-process.ts');
/** Recorded long ago, so that everything is too old from the start. */
const BASE_MS = Date.UTC(2026, 0, 1);
const ROUND_MS = 3_600_000;
/** Segments that a round checks. */
const MAX_CHECKED = 1_000;

export interface ThinReport {
  readonly rounds: number;
  readonly segments: number;
  /** Checks of segments of which only the key frame was left. */
  readonly thinned: number;
  readonly faults: readonly string[];
}

export interface ThinOptions {
  readonly rounds: number;
  /** Limit on lines before the kill. */
  readonly maxLines: number;
  readonly isInS3: boolean;
  readonly onRound?: (number: number, faults: readonly string[]) => void;
}

type Started = Extract<ThinLine, { readonly what: 'started' }>;

/** Rejects if a process fails before it is killed. */
export async function thinRounds({ rounds, maxLines, isInS3, onRound }: ThinOptions): Promise<ThinReport> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-thinned-'));
  const server = isInS3 ? await TestS3Server.start() : null;
  try {
    await server?.createBucket(THIN_BUCKET);
    const [cameraUuid, heldUuid] = [newRuuid(), newRuuid()];
    const listed: ListedSegment[] = [];
    const faults: string[] = [];
    let thinned = 0;
    for (let number = 0; number <= rounds; number++) {
      const isLast = number === rounds;
      const task: ThinTask = {
        folder,
        endpoint: server?.endpoint ?? null,
        isEncrypting: number % 2 === 1,
        cameraUuid,
        heldUuid,
        fromMs: BASE_MS + number * ROUND_MS,
        // All of them would take longer each time.
        listed: isLast ? listed : listed.slice(-MAX_CHECKED),
        isLast,
      };
      const path = join(folder, 'task.json');
      writeFileSync(path, JSON.stringify(task));
      // Spread over the work, the same in every run.
      const share = ((number * 37) % 100) / 100;
      const started = await runAndKill(path, isLast ? null : Math.floor(maxLines * share), listed);
      thinned += started?.thinned ?? 0;
      faults.push(...(started?.faults ?? []));
      onRound?.(number, started?.faults ?? []);
    }
    return { rounds, segments: listed.length, thinned, faults };
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `lines`: when it is killed; null: it ends on its own. */
async function runAndKill(
  path: string,
  lines: number | null,
  listed: ListedSegment[],
): Promise<Started | null> {
  const child = spawn(process.execPath, [PROCESS, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let started: Started | null = null;
  let count = 0;
  for await (const text of createInterface(child.stdout)) {
    const line = JSON.parse(text) as ThinLine;
    if (line.what === 'started') started = line;
    else if (line.what === 'listed') listed.push(line);
    if (lines !== null && count++ === lines) child.kill('SIGKILL');
  }
  const [code, signal] = await exited;
  if (lines === null ? code !== 0 : signal !== 'SIGKILL') {
    throw new Error(`the process ended with ${code ?? signal}`);
  }
  return started;
}
