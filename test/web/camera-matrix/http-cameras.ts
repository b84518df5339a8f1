/** Cameras that are not RTSP, served over HTTP: ffmpeg makes a test picture and a tone, a server hands it out. */

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Child } from '../../support/child.ts';
import { until } from '../../support/until.ts';
import type { RunningCamera } from './row-cameras.ts';
import type { HlsRow } from './rows.ts';

const PICTURE = ['-re', '-f', 'lavfi', '-i', 'testsrc=s=320x180:r=25'];
const TONE = ['-f', 'lavfi', '-i', 'sine=r=48000'];
const QUIET = ['-loglevel', 'error', '-nostdin'];
const ENCODERS = {
  libx264: ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-bf', '0', '-pix_fmt', 'yuv420p'],
  libx265: [
    ...['-c:v', 'libx265', '-preset', 'ultrafast', '-tag:v', 'hvc1', '-pix_fmt', 'yuv420p'],
    ...['-x265-params', 'log-level=error:keyint=25:min-keyint=25:bframes=0'],
  ],
} as const;
const STREAMS = {
  mjpeg: {
    contentType: 'multipart/x-mixed-replace; boundary=frame',
    args: [...PICTURE, '-c:v', 'mjpeg', '-f', 'mpjpeg', '-boundary_tag', 'frame', 'pipe:1'],
  },
  mpegts: {
    contentType: 'video/mp2t',
    args: [...PICTURE, ...TONE, ...ENCODERS.libx264, '-c:a', 'aac', '-f', 'mpegts', 'pipe:1'],
  },
} as const;
/** What a client finds when it comes: it begins three segments before the end. */
const FIRST_SEGMENTS = 3;
const START_MS = 60_000;

/** An ffmpeg of its own for each client. */
export async function startStreamServer(kind: keyof typeof STREAMS, port: number): Promise<RunningCamera> {
  const { contentType, args } = STREAMS[kind];
  const server = await listen(port, (_request, response) => {
    const ffmpeg = spawn('ffmpeg', [...QUIET, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
    response.writeHead(200, { 'content-type': contentType });
    ffmpeg.stdout.pipe(response);
    response.on('close', () => ffmpeg.kill('SIGKILL'));
  });
  return { close: () => closed(server) };
}

/** Segments of a second. Ready when there are some. */
export async function startHlsServer(
  { segments, codec, encryption }: HlsRow,
  port: number,
): Promise<RunningCamera> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-hls-camera-'));
  const extension = segments === 'fmp4' ? 'm4s' : 'ts';
  const keyInfo = join(folder, 'key-info');
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, Buffer.alloc(16, 7));
  writeFileSync(keyInfo, `key\n${keyFile}\n`);
  const ffmpeg = new Child('ffmpeg', [
    ...QUIET,
    ...PICTURE,
    ...TONE,
    ...ENCODERS[codec],
    '-c:a',
    'aac',
    ...['-f', 'hls', '-hls_time', '1', '-hls_list_size', '6', '-hls_segment_type', segments],
    ...(encryption === 'none' ? [] : ['-hls_key_info_file', keyInfo]),
    ...['-hls_flags', 'delete_segments+temp_file'],
    ...['-hls_segment_filename', join(folder, `%d.${extension}`), join(folder, 'live.m3u8')],
  ]);
  const server = await listen(port, (request, response) => {
    const path = join(folder, basename(new URL(request.url ?? '/', 'http://camera').pathname));
    if (!existsSync(path)) response.writeHead(404).end();
    // ffmpeg does not write SAMPLE-AES: the playlist says so, and that is all a client may look at.
    else if (path.endsWith('.m3u8') && encryption === 'SAMPLE-AES')
      response.end(readFileSync(path, 'utf8').replaceAll('METHOD=AES-128', 'METHOD=SAMPLE-AES'));
    else response.end(readFileSync(path));
  });
  await until('segments', () => existsSync(join(folder, `${FIRST_SEGMENTS}.${extension}`)), START_MS);
  return {
    close: async () => {
      await Promise.all([ffmpeg.end('SIGKILL'), closed(server)]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listen(port: number, response: RequestListener): Promise<Server> {
  const server = createServer(response);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

function closed(server: Server): Promise<unknown> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}
