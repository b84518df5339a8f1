/** ffmpeg and ffprobe as judges of the gateway's media. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;

export interface ProbedStream {
  readonly codec_name: string;
  readonly codec_type: 'video' | 'audio';
  readonly width?: number;
  readonly height?: number;
  readonly nb_read_packets: string;
}

export interface ProbedPacket {
  readonly stream_index: number;
  readonly pts_time: string;
  readonly dts_time: string;
  readonly duration_time: string;
  readonly flags: string;
}

/** Passes `bytes` as a file to `use`; the file is deleted afterwards. */
async function withFile<T>(bytes: readonly Buffer[], use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-media-'));
  try {
    const file = join(folder, 'media.mp4');
    await writeFile(file, Buffer.concat(bytes));
    return await use(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Decodes everything; returns ffmpeg's complaints, empty if there are none. `options`: more of ffmpeg's, for the input;
 * `outputOptions`: for the output.
 */
export function decodeErrors(
  bytes: readonly Buffer[],
  options: readonly string[] = [],
  outputOptions: readonly string[] = [],
): Promise<string> {
  return withFile(bytes, async (file) => {
    const input = ['-nostdin', '-v', 'error', '-xerror', ...options, '-i', file];
    const args = [...input, ...outputOptions, '-f', 'null', '-'];
    try {
      return (await run('ffmpeg', args)).stderr.trim();
    } catch (error) {
      return (error as { stderr?: string }).stderr || String(error);
    }
  });
}

export function probeStreams(bytes: readonly Buffer[]): Promise<ProbedStream[]> {
  return withFile(bytes, async (file) => {
    const args = ['-v', 'error', '-count_packets', '-show_streams', '-of', 'json', file];
    return JSON.parse((await run('ffprobe', args, { maxBuffer: MAX_OUTPUT_BYTES })).stdout).streams;
  });
}

export function probePackets(bytes: readonly Buffer[], selector: 'v' | 'a'): Promise<ProbedPacket[]> {
  return withFile(bytes, async (file) => {
    const args = ['-v', 'error', '-select_streams', selector, '-show_packets', '-of', 'json', file];
    return JSON.parse((await run('ffprobe', args, { maxBuffer: MAX_OUTPUT_BYTES })).stdout).packets;
  });
}

/** How long ffprobe says that it lasts. `options`: of ffprobe, before the URL. */
export async function probedSeconds(url: string, options: readonly string[] = []): Promise<number> {
  const args = ['-v', 'error', ...options, '-show_entries', 'format=duration', '-of', 'csv=p=0', url];
  return Number((await run('ffprobe', args, { timeout: 60_000 })).stdout);
}
