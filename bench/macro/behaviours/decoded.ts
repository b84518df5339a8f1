/** ffmpeg's analysis of watched media: the numbers in the frames, its complaints, the loudness of the audio. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readFrameNumberStrip } from '../../../src/synthetic-camera/frame-number-strip.ts';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;
/** The strip is 18 blocks wide. */
const BLOCKS = 18;
/** The middle of a twelfth of the height: the edges blend with the picture. */
const STRIP = `crop=iw:ih/18:0:ih/72,scale=${BLOCKS}:1:flags=area,format=gray`;

export interface Decoded {
  /** In order of presentation; null: the strip cannot be read. */
  readonly numbers: readonly (number | null)[];
  readonly complaints: string;
  /** Highest sample, of 32,767; null without an audio track. */
  readonly loudest: number | null;
}

/** `media`: an init segment and consecutive fragments. */
export async function decode(media: readonly Buffer[], isHeard: boolean): Promise<Decoded> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-behaviours-'));
  try {
    const file = join(folder, 'media.mp4');
    await writeFile(file, Buffer.concat(media));
    const strips = join(folder, 'strips');
    const input = ['-nostdin', '-v', 'error', '-threads', '1', '-i', file];
    const video = ['-map', '0:v', '-fps_mode', 'drop', '-vf', STRIP, '-f', 'rawvideo', strips];
    const complaints = await complaintsOf([...input, ...video]);
    const hasSound = ['mp4a', 'fLaC', 'Opus'].some((entry) => media[0]!.includes(entry));
    return {
      numbers: readStrips(await readFile(strips).catch(() => Buffer.alloc(0))),
      complaints,
      loudest: isHeard && hasSound ? await loudestOf(input) : null,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function complaintsOf(args: readonly string[]): Promise<string> {
  try {
    return (await run('ffmpeg', [...args])).stderr.trim();
  } catch (error) {
    return (error as { stderr?: string }).stderr || String(error);
  }
}

function readStrips(bytes: Buffer): (number | null)[] {
  const numbers: (number | null)[] = [];
  for (let at = 0; at + BLOCKS <= bytes.length; at += BLOCKS) {
    const lumaAt = (x: number): number => bytes[at + Math.floor(x * BLOCKS)]!;
    numbers.push(readFrameNumberStrip(lumaAt));
  }
  return numbers;
}

async function loudestOf(input: readonly string[]): Promise<number> {
  const args = [...input, '-map', '0:a', '-ac', '1', '-ar', '8000', '-f', 's16le', 'pipe:1'];
  const options = { encoding: 'buffer' as const, maxBuffer: MAX_OUTPUT_BYTES };
  const { stdout } = await run('ffmpeg', args, options);
  let loudest = 0;
  for (let at = 0; at + 2 <= stdout.length; at += 2)
    loudest = Math.max(loudest, Math.abs(stdout.readInt16LE(at)));
  return loudest;
}
