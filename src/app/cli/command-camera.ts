/** `sluice camera`: a synthetic RTSP camera in the foreground. */

import { systemClock } from '../../core/clock.ts';
import { Secret } from '../../core/secret.ts';
import { findFfmpeg } from '../../ffmpeg/find-ffmpeg.ts';
import { loadClip } from '../../synthetic-camera/clip.ts';
import { startSyntheticCamera } from '../../synthetic-camera/synthetic-camera.ts';
import { clipCacheFolder } from '../process/clip-cache.ts';
import { createLog } from '../process/logging.ts';
import { untilSignal } from '../process/signals.ts';
import type { Command } from './command.ts';
import { parseOptions } from './command-options.ts';
import { integerOption, listenOption, optionError, sizeOption } from './option-values.ts';

const HELP = `sluice camera: a synthetic RTSP camera for experiments

Serves a moving test picture with a clock and a frame number (H.264 or H.265) and a beep (AAC), over TCP and UDP, to any
number of clients. ffmpeg makes the clip once and keeps it.

Options
  --listen HOST:PORT    where to listen (default 127.0.0.1:8554)
  --path PATH           stream path (default /stream)
  --size WxH            video size (default 1280x720)
  --fps N               frames per second (default 25)
  --gop SECONDS         key frame interval (default 2)
  --kbps N              video bit rate (default 1500)
  --codec NAME          h264 (default) or h265
  --no-audio            video only
  --user NAME           require digest authentication; set the password in SLUICE_CAMERA_PASSWORD

Example
  sluice camera --listen 127.0.0.1:8554 --size 1920x1080 --kbps 4000
  ffplay -rtsp_transport tcp rtsp://127.0.0.1:8554/stream
`;

const OPTIONS = {
  config: { type: 'string' },
  listen: { type: 'string', default: '127.0.0.1:8554' },
  path: { type: 'string', default: '/stream' },
  size: { type: 'string', default: '1280x720' },
  fps: { type: 'string', default: '25' },
  gop: { type: 'string', default: '2' },
  kbps: { type: 'string', default: '1500' },
  codec: { type: 'string', default: 'h264' },
  'no-audio': { type: 'boolean', default: false },
  user: { type: 'string' },
} as const;

async function run(args: string[]): Promise<number> {
  const { values } = parseOptions('camera', args, OPTIONS);
  const [widthPx, heightPx] = sizeOption(values.size);
  const [host, port] = listenOption(values.listen);
  const fps = integerOption('--fps', values.fps, 1, 60);
  const gopSec = integerOption('--gop', values.gop, 1, 20);
  const bitrateBitsPerSec = integerOption('--kbps', values.kbps, 50, 50_000) * 1_000;
  const codec = codecOption(values.codec);
  const credentials = credentialsOption(values.user);
  const log = createLog({ level: 'info', format: 'auto' });
  const ffmpeg = await findFfmpeg({});
  log.info({ ffmpeg: ffmpeg.version }, 'preparing clip');
  const clip = await loadClip({
    ffmpegPath: ffmpeg.path,
    cacheDir: clipCacheFolder(process.env),
    widthPx,
    heightPx,
    fps,
    gopSec,
    bitrateBitsPerSec,
    audio: !values['no-audio'],
    ...codec,
  });
  const camera = await startSyntheticCamera({
    listen: { host, port },
    path: values.path,
    clip,
    clock: systemClock,
    log,
    ...credentials,
  });
  process.stdout.write(`${camera.url}\n`);
  await untilSignal();
  await camera.close();
  return 0;
}

/** A clip is H.264 by default. */
function codecOption(name: string): { readonly codec?: 'h265' } {
  if (name === 'h264') return {};
  if (name === 'h265') return { codec: name };
  throw optionError('--codec', name, 'h264 or h265', ['h264', 'h265']);
}

function credentialsOption(username: string | undefined) {
  if (username === undefined) return {};
  const password = process.env.SLUICE_CAMERA_PASSWORD;
  if (password === undefined)
    throw optionError('--user', username, 'SLUICE_CAMERA_PASSWORD in the environment as well');
  // ffmpeg and most other clients support no other algorithm.
  return { credentials: { username, password: new Secret(password), algorithm: 'MD5' as const } };
}

export const cameraCommand: Command = { help: HELP, run };
