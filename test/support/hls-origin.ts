/** A server that publishes a synthetic camera over HLS, as an encoder does: ffmpeg packages, a file server serves. */

import {
  createReadStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Secret } from '../../src/core/secret.ts';
import { buildDigestChallenge, verifyDigest } from '../../src/rtsp/auth.ts';
import type { ContractCamera, ContractCameraOptions } from '../../src/sources/source-contract.ts';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import { Child } from './child.ts';
import { startCamera } from './synthetic.ts';
import { until } from './until.ts';

/** Segments that exist before the first client connects: clients begin three segments before the end. */
const FIRST_SEGMENTS = 3;
const PLAYLIST = '/live.m3u8';
/** ffmpeg writes none for streams whose bandwidth it does not know. */
const MULTIVARIANT_PLAYLIST = `#EXTM3U
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="Camera",DEFAULT=YES,URI="sound.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=600000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=320x180,AUDIO="sound"
picture.m3u8
`;
const REALM = 'origin';
const NONCE = 'nonce-of-the-origin';

/** `fmp4-apart`: the audio is in a Media Playlist of its own. */
export type HlsFormat = 'fmp4' | 'fmp4-apart' | 'mpegts';

export interface HlsOriginOptions extends ContractCameraOptions {
  /** The camera's clip; default: H.264 and AAC. */
  readonly clip?: Clip;
  /** Adds lines to each Multivariant Playlist, or removes some. */
  readonly rewrite?: (text: string) => string;
}

export interface HlsOrigin extends ContractCamera {
  /** Requests whose path matches get 503 from now on, or wait until the origin closes. */
  break(path: RegExp, how: 'refuse' | 'stall'): void;
}

/** Segments of a second. Ready when there are some. */
export async function startHlsOrigin(
  format: HlsFormat,
  { credentials, faults, clip, rewrite }: HlsOriginOptions = {},
): Promise<HlsOrigin> {
  const { stallAfterMs, ...ofCamera } = faults ?? {};
  const camera = await startCamera(0, { faults: ofCamera, ...(clip === undefined ? {} : { clip }) });
  const folder = mkdtempSync(join(tmpdir(), 'sluice-hls-origin-'));
  if (format === 'fmp4-apart') writeFileSync(join(folder, PLAYLIST), MULTIVARIANT_PLAYLIST);
  const ffmpeg = new Child('ffmpeg', [
    ...['-loglevel', 'error', '-nostdin', '-rtsp_transport', 'tcp', '-fpsprobesize', '0', '-i', camera.url],
    ...['-map', '0', '-c', 'copy', '-f', 'hls', '-hls_time', '1', '-hls_list_size', '6'],
    ...['-hls_flags', 'delete_segments+temp_file', ...outputOf(format, folder)],
  ]);
  const broken: { readonly path: RegExp; readonly how: 'refuse' | 'stall' }[] = [];
  const server = createServer((request, response) => {
    const { authorization = '' } = request.headers;
    const uri = request.url ?? '/';
    if (credentials !== undefined && !isLoggedIn(authorization, uri, credentials)) {
      const challenge = buildDigestChallenge(REALM, NONCE, 'MD5', 'auth');
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return;
    }
    const { pathname } = new URL(uri, 'http://origin');
    const path = join(folder, pathname);
    const fault = broken.find((each) => each.path.test(pathname));
    if (fault !== undefined) {
      if (fault.how === 'refuse') response.writeHead(503).end();
    } else if (!existsSync(path)) response.writeHead(404).end();
    else if (rewrite !== undefined && pathname === PLAYLIST)
      response.end(rewrite(readFileSync(path, 'utf8')));
    else createReadStream(path).pipe(response);
  });
  const sockets = socketsOf(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await until('segments', () => readdirSync(folder).some((name) => name.startsWith(`${FIRST_SEGMENTS}.`)));
  // The server continues, and lists the same segments forever.
  if (stallAfterMs !== undefined) setTimeout(() => void ffmpeg.end('SIGKILL'), stallAfterMs);
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await Promise.all([ffmpeg.end('SIGKILL'), new Promise((resolve) => server.close(resolve))]);
    await camera.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${PLAYLIST}`;
  const breakPath = (path: RegExp, how: 'refuse' | 'stall'): void => void broken.push({ path, how });
  return { url, close, connectedClients: () => sockets.size, break: breakPath };
}

/** With audio apart: `picture.m3u8` with `1.picture.m4s`, and `sound.m3u8` with `1.sound.m4s`. */
function outputOf(format: HlsFormat, folder: string): string[] {
  if (format !== 'fmp4-apart') {
    const extension = format === 'fmp4' ? 'm4s' : 'ts';
    const segments = ['-hls_segment_type', format, '-hls_segment_filename', join(folder, `%d.${extension}`)];
    return [...segments, join(folder, PLAYLIST)];
  }
  return [
    ...['-hls_segment_type', 'fmp4', '-hls_fmp4_init_filename', 'init.%v.mp4'],
    ...['-var_stream_map', 'v:0,name:picture a:0,name:sound'],
    ...['-hls_segment_filename', join(folder, '%d.%v.m4s'), join(folder, '%v.m3u8')],
  ];
}

function isLoggedIn(
  authorization: string,
  uri: string,
  credentials: { readonly username: string; readonly password: Secret },
): boolean {
  const expected = { method: 'GET', uri, realm: REALM, nonce: NONCE, algorithm: 'MD5', qop: 'auth' } as const;
  return verifyDigest(authorization, { ...expected, credentials });
}

function socketsOf(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return sockets;
}
