/** The source contract for both engines, with a real camera at the other end of the network. */

import { spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import type { CredentialUrl } from '../../src/core/secret.ts';
import { type FfmpegBinary, findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import { createJail } from '../../src/ffmpeg/jail.ts';
import { WorkerPool } from '../../src/ffmpeg/worker-pool.ts';
import { DirectRtspSource } from '../../src/sources/direct/direct-rtsp-source.ts';
import { FfmpegSource } from '../../src/sources/ffmpeg/ffmpeg-source.ts';
import { describeSourceContract } from '../../src/sources/source-contract.ts';
import type { Clip } from '../../src/sources/synthetic-camera/clip.ts';
import type { Source } from '../../src/stream/source.ts';
import { childrenOf } from '../support/processes.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';

/** Longer than a client waits for the camera's next key frame, which is a second. */
const SILENCE_MS = 1_500;

let otherClip: Clip;
let binary: FfmpegBinary;
let pool: WorkerPool;

beforeAll(async () => {
  otherClip = await makeClip(480, 270);
  binary = await findFfmpeg();
  pool = new WorkerPool({
    maxWorkers: 8,
    waitTimeoutMs: 5_000,
    jail: await createJail(),
    clock: systemClock,
  });
});
afterAll(() => pool.close());

const common = { clock: systemClock, log: silentLog } as const;

function direct(transport: 'tcp' | 'udp') {
  return (url: CredentialUrl): Source =>
    new DirectRtspSource({ ...common, url, transport, timeouts: { silenceMs: SILENCE_MS } });
}

function ffmpeg(url: CredentialUrl): Source {
  const input = { kind: 'rtsp', url, transport: 'auto' } as const;
  return new FfmpegSource({ ...common, input, binary, pool, stallMs: SILENCE_MS });
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
describeSourceContract('direct over UDP', { ...cameras, source: direct('udp') });
describeSourceContract('ffmpeg', { ...cameras, source: ffmpeg });
