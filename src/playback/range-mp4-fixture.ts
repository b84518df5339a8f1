/** Recordings of a test picture made by ffmpeg, and what ffmpeg and ffprobe see in a file. */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ReadBytes, readSegmentRuns } from '../isobmff/fragment-samples.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import { testFolder } from '../recording/recording-fixture.ts';
import type { RecordedSegment } from '../recording/segment-index.ts';
import { Pieces } from './pieces.ts';
import type { RangeMp4 } from './range-mp4.ts';
import { readRecordedTracks } from './recorded-tracks.ts';

/** Made as `makeRecording` does, of 6 s, with `-crf 40`. */
const KEPT_FILE = new URL('fixtures/picture-and-beeps-6-s.mp4', import.meta.url);

const BLOCK_BYTES = 10_000;
export const FPS = 25;
export const FRAME_MS = 1_000 / FPS;

export interface TestRecordingOptions {
  readonly seconds: number;
  /** Wall time of the first frame. */
  readonly epochMs: number;
  readonly bFrames?: number;
  readonly hasAudio?: boolean;
  readonly audioHz?: number;
  readonly size?: string;
  readonly codec?: 'libx264' | 'libx265';
}

export interface TestRecording {
  readonly found: FoundFile;
  /** The file as players read it: all of it is one stretch. */
  readonly bytes: Buffer;
}

/** A key frame every second, parts of about a third of a second; a beep per second. */
export async function makeRecording(name: string, options: TestRecordingOptions): Promise<TestRecording> {
  const { seconds, epochMs, bFrames = 0, hasAudio = true, audioHz = 48_000, size = '160x90' } = options;
  const codec = options.codec ?? 'libx264';
  const path = join(testFolder(), 'made.mp4');
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${FPS}:duration=${seconds}`];
  const sound = [
    '-f',
    'lavfi',
    '-i',
    `sine=frequency=500:beep_factor=4:sample_rate=${audioHz}:duration=${seconds}`,
  ];
  const x265 = codec === 'libx265' ? ['-x265-params', 'log-level=none:pools=1', '-tag:v', 'hvc1'] : [];
  run('ffmpeg', [
    ...['-v', 'error', ...picture, ...(hasAudio ? sound : [])],
    ...[
      '-c:v',
      codec,
      '-preset',
      'ultrafast',
      '-g',
      `${FPS}`,
      '-bf',
      `${bFrames}`,
      '-sc_threshold',
      '0',
      ...x265,
    ],
    ...['-pix_fmt', 'yuv420p', '-threads', '1', '-video_track_timescale', '90000'],
    // The encoder's first frame would begin before zero, and ffmpeg would move the video for it.
    ...(hasAudio ? ['-af', 'asetpts=PTS+1024', '-c:a', 'aac', '-b:a', '64k'] : []),
    ...['-movflags', 'frag_keyframe+empty_moov+default_base_moof', '-frag_duration', '333333'],
    ...['-y', path],
  ]);
  const bytes = run('cat', [path]);
  return { bytes, found: await indexOf(name, bytes, epochMs) };
}

/** A recording of 6 s that ffmpeg made earlier: 160 by 90, a key frame every second, a beep per second. */
export async function keptRecording(name: string, epochMs: number): Promise<TestRecording> {
  const bytes = readFileSync(KEPT_FILE);
  return { bytes, found: await indexOf(name, bytes, epochMs) };
}

/** Reads files by name from memory. */
export function readerOf(files: ReadonlyMap<string, Buffer>): ReadBytes {
  return async (name, offset, length) => {
    const bytes = files.get(name)!.subarray(offset, offset + length);
    if (bytes.length !== length) throw new RangeError(`${name}: ${offset}+${length}`);
    return bytes;
  };
}

/** All bytes of the file. */
export async function bytesOf(mp4: RangeMp4, read: ReadBytes): Promise<Buffer> {
  const data: Buffer[] = [];
  const pieces = new Pieces(mp4.pieces);
  for (const { name, offset, byteLength, parts } of pieces.blocks(0, pieces.byteLength, BLOCK_BYTES)) {
    const block = await read(name, offset, byteLength);
    for (const [at, length] of parts) data.push(block.subarray(at, at + length));
  }
  return Buffer.concat([mp4.head, ...data]);
}

/** MD5 of each decoded video frame that a player shows. */
export function frameHashes(file: Buffer): string[] {
  const text = decode(file, ['-map', '0:v', '-fps_mode', 'passthrough', '-f', 'framemd5', '-']).toString();
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(',').at(-1)!.trim());
}

/** Mono samples, 16 bits. */
export function soundOf(file: Buffer): Int16Array {
  const bytes = decode(file, ['-map', '0:a', '-ac', '1', '-f', 's16le', '-']);
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
}

export interface ProbedFile {
  readonly format: { readonly duration: string; readonly tags?: Record<string, string> };
  readonly streams: readonly {
    readonly codec_type: string;
    readonly start_time: string;
    readonly duration: string;
    readonly nb_read_frames?: string;
  }[];
}

export function probe(file: Buffer): ProbedFile {
  const path = join(testFolder(), 'probed.mp4');
  writeFileSync(path, file);
  return JSON.parse(
    run('ffprobe', ['-v', 'error', '-show_format', '-show_streams', '-of', 'json', path]).toString(),
  ) as ProbedFile;
}

/** Fails if ffmpeg finds a fault. */
function decode(file: Buffer, output: readonly string[]): Buffer {
  const path = join(testFolder(), 'decoded.mp4');
  writeFileSync(path, file);
  return run('ffmpeg', ['-v', 'error', '-xerror', '-i', path, ...output]);
}

function run(command: string, args: readonly string[]): Buffer {
  const { status, stdout, stderr, error } = spawnSync(command, args, { maxBuffer: 1 << 30 });
  if (error !== undefined) throw error;
  if (status !== 0 || stderr.length > 0) throw new Error(`${command}: ${stderr.toString()}`);
  return stdout;
}

/** A segment begins with each fragment whose first video frame is a key frame. */
async function indexOf(name: string, bytes: Buffer, epochMs: number): Promise<FoundFile> {
  const boxes: { type: string; offset: number; end: number }[] = [];
  for (let at = 0; at < bytes.length; at = boxes.at(-1)!.end) {
    boxes.push({
      type: bytes.toString('latin1', at + 4, at + 8),
      offset: at,
      end: at + bytes.readUInt32BE(at),
    });
  }
  const moov = boxes.find(({ type }) => type === 'moov')!;
  const init = { offset: 0, byteLength: moov.end };
  const video = readRecordedTracks(bytes.subarray(0, moov.end)).find(({ kind }) => kind === 'video')!;
  const read = readerOf(new Map([[name, bytes]]));
  const segments: RecordedSegment[] = [];
  let firstTicks: number | null = null;
  for (let i = 0; i < boxes.length; i++) {
    const { type, offset } = boxes[i]!;
    if (type !== 'moof') continue;
    const { end } = boxes[i + 1]!;
    const runs = (await readSegmentRuns(read, { name, offset, byteLength: end - offset })).filter(
      ({ trackId }) => trackId === video.trackId,
    );
    const durationTicks = runs.reduce((sum, run) => sum + run.durationsTicks.reduce((a, b) => a + b, 0), 0);
    const before = segments.at(-1);
    if (before !== undefined && runs[0]?.keys[0] !== 1) {
      segments[segments.length - 1] = {
        ...before,
        byteLength: end - before.offset,
        durationTicks: before.durationTicks + durationTicks,
      };
      continue;
    }
    const startTicks = runs[0]!.startTicks;
    firstTicks ??= startTicks;
    segments.push({
      offset,
      byteLength: end - offset,
      startTicks,
      durationTicks,
      timescaleHz: video.timescaleHz,
      init,
      epochMs: epochMs + ((startTicks - firstTicks) / video.timescaleHz) * 1_000,
      isDiscontinuity: before === undefined,
    });
  }
  return { name, number: 0, segments };
}
