/** Files as video recorders write them, made by ffmpeg, and its opinion of them. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ByteSource } from '../../src/isobmff/clip-reader.ts';

const H264 = '-c:v libx264 -preset ultrafast -g 25 -sc_threshold 0';

export interface ClipFileOptions {
  readonly seconds?: number;
  /** Default: 160x120. */
  readonly size?: string;
  /** ffmpeg's options for the codecs; default: H.264 without B-frames, AAC. */
  readonly codecs?: string;
  /** ffmpeg's options for the muxer. */
  readonly muxer?: string;
  readonly extension?: 'mp4' | 'mkv' | 'avi' | 'ts' | 'mov' | 'mpg';
}

/** By their options: the same words make the same file. */
const made = new Map<string, Buffer>();

/** A moving picture and a tone. A copy: tests damage them. */
export function clipFile(options: ClipFileOptions = {}): Buffer {
  const key = JSON.stringify(options);
  const file = made.get(key) ?? makeClipFile(options);
  made.set(key, file);
  return Buffer.from(file);
}

function makeClipFile(options: ClipFileOptions): Buffer {
  const {
    seconds = 5,
    codecs = `${H264} -c:a aac`,
    muxer = '',
    extension = 'mp4',
    size = '160x120',
  } = options;
  const sources = `-f lavfi -i testsrc2=size=${size}:rate=25 -f lavfi -i sine=frequency=440:sample_rate=48000`;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-clip-'));
  try {
    const file = join(folder, `clip.${extension}`);
    const words = `-v error ${sources} -t ${seconds} -pix_fmt yuv420p ${codecs} ${muxer} -y`.split(/ +/);
    const { status, stderr } = spawnSync('ffmpeg', [...words, file]);
    if (status !== 0) throw new Error(String(stderr));
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** H.264 with further options of the encoder, and the audio codec; null: none. */
export function h264With(more: string, audio: string | null = 'aac'): string {
  return `${H264} ${more} ${audio === null ? '-an' : `-c:a ${audio}`}`;
}

/** The same samples, shown turned by this many degrees, counterclockwise as ffmpeg counts. */
export function turnedFile(file: Buffer, degrees: 90 | 180 | 270): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-clip-'));
  try {
    const [from, to] = [join(folder, 'as-coded.mp4'), join(folder, 'turned.mp4')];
    writeFileSync(from, file);
    const args = ['-v', 'error', '-i', from, '-c', 'copy', '-metadata:s:v', `rotate=${degrees}`, to];
    const { status, stderr } = spawnSync('ffmpeg', args);
    if (status !== 0) throw new Error(String(stderr));
    return readFileSync(to);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The file with its first track shown a quarter turn clockwise: only the matrix of its `tkhd` (version 0) differs. */
export function turnedClockwise(file: Buffer): Buffer {
  const turned = Buffer.from(file);
  const matrix = turned.indexOf('tkhd') + 44;
  const heightPx = turned.readUInt16BE(matrix + 40);
  [0, 1, 0, -1, 0, 0, heightPx, 0].forEach((value, index) => {
    turned.writeInt32BE(value * 65_536, matrix + 4 * index);
  });
  return turned;
}

/** Degrees by which players turn the picture, counterclockwise; null: they show it as coded. */
export function turnOf(file: Buffer): number | null {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-clip-'));
  try {
    const path = join(folder, 'clip');
    writeFileSync(path, file);
    const entries = ['-select_streams', 'v', '-show_entries', 'stream_side_data=rotation', '-of', 'json'];
    const { status, stdout, stderr } = spawnSync('ffprobe', ['-v', 'error', ...entries, path]);
    if (status !== 0) throw new Error(String(stderr));
    const [stream] = JSON.parse(String(stdout)).streams as { side_data_list?: { rotation?: number }[] }[];
    return stream?.side_data_list?.find(({ rotation }) => rotation !== undefined)?.rotation ?? null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Options of a file that pauses for `seconds` after two seconds; it lasts four seconds and those. */
export function withPause(seconds: number): ClipFileOptions {
  const shift = `*${seconds}/TB`;
  const filters = `-vf setpts=PTS+gte(N\\,50)${shift} -af asetpts=PTS+gte(T\\,2)${shift} -fps_mode passthrough`;
  return { seconds: seconds + 4, codecs: `${filters} ${h264With('')}` };
}

export interface DecodedFrame {
  readonly ptsTicks: number;
  readonly md5: string;
}

/** The pictures that ffmpeg decodes, in the order of presentation. Ticks: of the stream's own timescale. */
export function decodedFrames(file: Buffer): DecodedFrame[] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-clip-'));
  try {
    const path = join(folder, 'clip');
    writeFileSync(path, file);
    const args = [
      '-v',
      'error',
      '-i',
      path,
      '-map',
      '0:v:0',
      '-f',
      'framemd5',
      '-fps_mode',
      'passthrough',
      '-',
    ];
    const { status, stdout, stderr } = spawnSync('ffmpeg', args, { maxBuffer: 1 << 28 });
    if (status !== 0 || stderr.length > 0) throw new Error(String(stderr));
    const lines = String(stdout)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    return lines.map((line) => {
      const [, , pts, , , md5] = line.split(',').map((field) => field.trim());
      return { ptsTicks: Number(pts), md5: md5! };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface CodedPacket {
  readonly ptsSec: number;
  /** Hash of its bytes. */
  readonly hash: string;
}

/** The coded frames of a stream, in the order of the file. */
export function codedPackets(file: Buffer, stream: 'v' | 'a'): CodedPacket[] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-clip-'));
  try {
    const path = join(folder, 'clip');
    writeFileSync(path, file);
    const args = [
      '-v',
      'error',
      '-select_streams',
      stream,
      '-show_packets',
      '-show_data_hash',
      'md5',
      '-of',
      'json',
    ];
    const { status, stdout, stderr } = spawnSync('ffprobe', [...args, path], { maxBuffer: 1 << 28 });
    if (status !== 0) throw new Error(String(stderr));
    const { packets } = JSON.parse(String(stdout)) as { packets: { pts_time: string; data_hash: string }[] };
    return packets.map(({ pts_time, data_hash }) => ({ ptsSec: Number(pts_time), hash: data_hash }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A file in memory. Throws on reads outside the file. */
export function memorySource(file: Uint8Array): ByteSource {
  return {
    byteLength: file.length,
    read(offset, length) {
      if (offset < 0 || length < 0 || offset + length > file.length) throw new RangeError('outside the file');
      return file.subarray(offset, offset + length);
    },
  };
}
