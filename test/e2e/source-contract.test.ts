/** The source contract for all engines, with a real camera at the other end of the network. */

import { spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { CameraThreads } from '../../src/app/camera-threads/camera-threads.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import type { CredentialUrl } from '../../src/core/secret.ts';
import { type FfmpegBinary, findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import { createJail } from '../../src/ffmpeg/jail.ts';
import { WorkerPool } from '../../src/ffmpeg/worker-pool.ts';
import { DirectRtspSource } from '../../src/sources/direct/direct-rtsp-source.ts';
import { FakeTunnel } from '../../src/sources/direct/fake-tunnel.ts';
import { FfmpegSource } from '../../src/sources/ffmpeg/ffmpeg-source.ts';
import { type FedWorker, HttpSource } from '../../src/sources/http-source.ts';
import { ANYWHERE } from '../../src/sources/network/camera-address.ts';
import type { TransportPreference } from '../../src/sources/network/camera-route.ts';
import { describeSourceContract } from '../../src/sources/source-contract.ts';
import { ThreadedRtspSource } from '../../src/sources/threaded/threaded-rtsp-source.ts';
import type { Source } from '../../src/stream/source/source.ts';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { startHlsOrigin } from '../support/hls-origin.ts';
import { childrenOf } from '../support/processes.ts';
import { pushedCamera } from '../support/pushed-camera.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';

/** Longer than a client waits for the camera's next key frame, which is a second. */
const SILENCE_MS = 1_500;

let otherClip: Clip;
let binary: FfmpegBinary;
let pool: WorkerPool;
const threads = new CameraThreads({
  count: 1,
  clock: systemClock,
  log: silentLog,
  onReplaced: () => undefined,
});

beforeAll(async () => {
  await threads.start();
  otherClip = await makeClip(480, 270);
  binary = await findFfmpeg();
  pool = new WorkerPool({
    maxWorkers: 8,
    waitTimeoutMs: 5_000,
    jail: await createJail(),
    clock: systemClock,
  });
});
afterAll(() => Promise.all([pool.close(), threads.close()]));

const common = { clock: systemClock, log: silentLog } as const;

function direct(transport: TransportPreference) {
  return (url: CredentialUrl): Source =>
    new DirectRtspSource({ ...common, url, transport, timeouts: { silenceMs: SILENCE_MS } });
}

function threaded(transport: TransportPreference) {
  return (url: CredentialUrl): Source =>
    new ThreadedRtspSource({
      threads,
      local: direct(transport)(url),
      log: silentLog,
      order: {
        url: url.reveal(),
        transport,
        tls: 'any',
        addressRule: ANYWHERE,
        isSilent: false,
        timeouts: { silenceMs: SILENCE_MS },
        mayUseCameraTime: false,
        signingAnchors: null,
        isAuto: false,
        hasSoundWorker: false,
      },
    });
}

function ffmpeg(url: CredentialUrl): Source {
  const input = { kind: 'rtsp', url, transport: 'auto' } as const;
  return new FfmpegSource({ ...common, input, binary, pool, stallMs: SILENCE_MS });
}

function http(url: CredentialUrl): Source {
  const worker: FedWorker = (format, firstPlan, feed) =>
    new FfmpegSource({
      ...common,
      input: { kind: 'fed', format },
      binary,
      pool,
      firstPlan,
      feed,
      stallMs: 2 * SILENCE_MS,
    });
  return new HttpSource({ ...common, url, worker, silenceMs: SILENCE_MS });
}

/** The same cameras behind HTTP: the tunnel belongs to the camera, and goes with it. */
async function startTunnelledCamera(
  options: Parameters<typeof startCamera>[1] = {},
): Promise<SyntheticCamera> {
  const camera = await startCamera(0, options);
  const tunnel = await FakeTunnel.listen(camera.port);
  let closed: Promise<void> | null = null;
  return {
    ...camera,
    url: tunnel.url('', '/stream'),
    port: tunnel.port,
    close: () => {
      closed ??= Promise.all([camera.close(), tunnel.close()]).then(() => undefined);
      return closed;
    },
  };
}

/** Socket descriptors, including pipes to children, and children. */
function heldResources(): number {
  const sockets = readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:');
    } catch {
      return false; // the descriptor by which the folder was read
    }
  });
  return sockets.length + childrenOf(process.pid, 'ffmpeg').length;
}

function decodeErrors(annexB: Buffer): string {
  const args = ['-v', 'error', '-f', 'h264', '-i', 'pipe:0', '-f', 'null', '-'];
  return spawnSync('ffmpeg', args, { input: annexB, encoding: 'utf8' }).stderr;
}

const cameras = {
  startCamera: (options = {}) => startCamera(0, options),
  otherClip: () => otherClip,
  heldResources,
  decodeErrors,
};

describeSourceContract('direct over TCP', { ...cameras, source: direct('tcp') });
describeSourceContract('direct over TCP, in a thread', { ...cameras, source: threaded('tcp') });
describeSourceContract('direct over UDP, in a thread', { ...cameras, source: threaded('udp') });
describeSourceContract('direct over UDP', { ...cameras, source: direct('udp') });
describeSourceContract('direct over HTTP', {
  ...cameras,
  startCamera: startTunnelledCamera,
  source: direct('auto'),
});
describeSourceContract('ffmpeg', { ...cameras, source: ffmpeg });
describeSourceContract('HLS with fMP4 segments', {
  ...cameras,
  source: http,
  startCamera: (options) => startHlsOrigin('fmp4', options),
});
describeSourceContract('HLS with audio in a playlist of its own', {
  ...cameras,
  source: http,
  startCamera: (options) => startHlsOrigin('fmp4-apart', options),
});
describeSourceContract('HLS with MPEG-TS segments', {
  ...cameras,
  source: http,
  startCamera: (options) => startHlsOrigin('mpegts', options),
});
describeSourceContract('pushed by RTMP', {
  ...cameras,
  source: (url) => pushedCamera(url, SILENCE_MS),
  isPushed: true,
});
