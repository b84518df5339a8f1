/** Programs that nobody here wrote read a numbered camera of the gateway by RTSP, and tests of what they got. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import { Child } from './child.ts';
import { decodedFrameNumbers } from './frame-numbers.ts';
import { soundBehindPictureMs } from './sound-sync.ts';
import { FRAMES_PER_SEC } from './synthetic.ts';

const run = promisify(execFile);
const GSTREAMER_READER = resolve(import.meta.dirname, '../peers/gst-rtsp-reader.py');
const SIZE = { widthPx: 320, heightPx: 180 };
/** How many each program reads. */
const FRAMES = 4 * FRAMES_PER_SEC;
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;
const READ_MS = 60_000;

export class RtspReaders {
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-rtsp-'));
  readonly #clip: Clip;

  /** `clip`: of 320 by 180 pixels. */
  constructor(clip: Clip) {
    this.#clip = clip;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What ffmpeg reads, unchanged. */
  async ffmpeg(url: string, transport = 'tcp'): Promise<Buffer> {
    const file = join(this.#folder, 'read.mkv');
    const input = ['-nostdin', '-v', 'error', '-rtsp_transport', transport, '-i', url];
    const output = ['-map', '0', '-c', 'copy', '-frames:v', String(FRAMES), '-y', file];
    await run('ffmpeg', [...input, ...output], { timeout: READ_MS });
    return readFile(file);
  }

  /** The video that GStreamer reads; it has to read audio, too. */
  async gstreamer(url: string, protocols = 'tcp'): Promise<Buffer> {
    const file = join(this.#folder, 'read.h264');
    const reader = new Child('/usr/bin/python3', [GSTREAMER_READER, url, protocols, String(FRAMES), file]);
    try {
      const end = await reader.line(/^(?:done|failed)/);
      expect(end).toMatch(/^done, sound: [1-9]/);
    } finally {
      await reader.end('SIGKILL');
    }
    return readFile(file);
  }

  /** Frames of the clip, one after the other: none is missing, and none comes twice. */
  async expectAllFrames(media: Buffer): Promise<void> {
    const numbers = await decodedFrameNumbers([media], SIZE);
    // A program may leave out the frame before the end.
    expect(numbers.length).toBeGreaterThanOrEqual(FRAMES - 2);
    const first = numbers[0]!;
    const frames = this.#clip.pictures.length;
    expect(numbers).toEqual(numbers.map((_, index) => (first + index) % frames));
  }

  /** The clip's audio, byte for byte, one frame after the other, and in time with the video. `media`: of ffmpeg. */
  async expectAllSound(media: Buffer): Promise<void> {
    const file = join(this.#folder, 'read.mkv');
    const wanted = ['-select_streams', 'a', '-show_packets', '-show_data_hash', 'MD5', '-of', 'json'];
    const options = { maxBuffer: MAX_OUTPUT_BYTES };
    const { stdout } = await run('ffprobe', ['-v', 'error', ...wanted, file], options);
    const packets = JSON.parse(stdout).packets as { data_hash: string }[];
    const frames = this.#clip.audio!.frames.map(
      (frame) => `MD5:${createHash('md5').update(frame).digest('hex')}`,
    );
    const first = frames.findIndex((_, at) =>
      packets.every(({ data_hash }, index) => data_hash === frames[(at + index) % frames.length]),
    );
    expect(first).toBeGreaterThanOrEqual(0);
    expect(packets.length).toBeGreaterThan(10);
    for (const behindMs of await soundBehindPictureMs(media)) expect(Math.abs(behindMs)).toBeLessThan(25);
  }
}
