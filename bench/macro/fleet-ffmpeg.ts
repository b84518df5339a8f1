/** The reference of the fleet benchmark: one `ffmpeg -c copy -f hls` process per camera. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hrtimeMs } from '../support/child-module.ts';
import { foreignCpuMicros, foreignPssBytes } from '../support/foreign-process.ts';

export interface FfmpegCost {
  readonly cpuPercentPerCamera: number;
  readonly memoryBytesPerCamera: number;
}

export interface FfmpegFleetOptions {
  readonly ffmpegPath: string;
  readonly urls: readonly string[];
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** Segments are in memory if there is a file system for it, as they are in the gateway. */
const SHARED_MEMORY = '/dev/shm';
const SEGMENT_SEC = '2';
const LISTED_SEGMENTS = '8';

export async function measureFfmpeg(options: FfmpegFleetOptions): Promise<FfmpegCost> {
  const base = existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();
  const folder = mkdtempSync(join(base, 'sluice-bench-fleet-'));
  const workers = options.urls.map((url, camera) => startWorker(options.ffmpegPath, url, folder, camera));
  try {
    await delay(options.warmUpMs);
    const before = readAll(workers);
    await delay(options.measureMs);
    const after = readAll(workers);
    const percent = (after.cpuMicros - before.cpuMicros) / 10 / (after.atMs - before.atMs);
    return {
      cpuPercentPerCamera: percent / workers.length,
      memoryBytesPerCamera: after.pssBytes / workers.length,
    };
  } finally {
    await Promise.all(workers.map(endWorker));
    rmSync(folder, { recursive: true, force: true });
  }
}

function startWorker(ffmpegPath: string, url: string, folder: string, camera: number): ChildProcess {
  const output = join(folder, String(camera));
  mkdirSync(output);
  const args = [
    ...['-nostdin', '-hide_banner', '-v', 'error', '-rtsp_transport', 'tcp', '-i', url, '-c', 'copy'],
    ...['-f', 'hls', '-hls_time', SEGMENT_SEC, '-hls_list_size', LISTED_SEGMENTS],
    ...['-hls_flags', 'delete_segments', join(output, 'file.m3u8')],
  ];
  return spawn(ffmpegPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

function readAll(workers: readonly ChildProcess[]): { cpuMicros: number; pssBytes: number; atMs: number } {
  let cpuMicros = 0;
  let pssBytes = 0;
  for (const { pid, exitCode } of workers) {
    if (pid === undefined || exitCode !== null) throw new Error('an ffmpeg process of the reference ended');
    cpuMicros += foreignCpuMicros(pid);
    pssBytes += foreignPssBytes(pid);
  }
  return { cpuMicros, pssBytes, atMs: hrtimeMs() };
}

async function endWorker(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const exited = once(worker, 'exit');
  worker.kill('SIGTERM');
  await exited;
}
