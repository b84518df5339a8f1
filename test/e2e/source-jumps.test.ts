/** What jumps of a camera's clock do to both engines, with a real camera at the other end of the network. */

import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import type { CredentialUrl } from '../../src/core/secret.ts';
import type { WorkerPlan } from '../../src/ffmpeg/command.ts';
import { type FfmpegBinary, findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import { createJail } from '../../src/ffmpeg/jail.ts';
import { WorkerPool } from '../../src/ffmpeg/worker-pool.ts';
import { DirectRtspSource } from '../../src/sources/direct/direct-rtsp-source.ts';
import { FfmpegSource } from '../../src/sources/ffmpeg/ffmpeg-source.ts';
import { describeJumpContract, JUMPS } from '../../src/sources/jump-contract.ts';
import type { Source } from '../../src/stream/source/source.ts';
import { startCamera } from '../support/synthetic.ts';

/** More than a client may wait for the camera's next key frame, which is a second. */
const SILENCE_MS = 1_500;

let binary: FfmpegBinary;
/** The one from 2018 that npm installs. */
let bundled: FfmpegBinary;
let pool: WorkerPool;

beforeAll(async () => {
  binary = await findFfmpeg();
  bundled = await findFfmpeg({ searchPath: '' });
  pool = new WorkerPool({
    maxWorkers: 12,
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

const cameras = { startCamera: (options = {}) => startCamera(0, options) };

/** Half of the time, its RTP reader takes the new sequence numbers for late packets, and goes silent. */
const RESTART = 'a restart of the encoder';

/** A worker with this plan, whatever the camera. */
function worker(firstPlan: WorkerPlan, binaryOf = () => binary) {
  return (url: CredentialUrl): Source => {
    const input = { kind: 'rtsp', url, transport: 'tcp' } as const;
    return new FfmpegSource({ ...common, input, binary: binaryOf(), pool, firstPlan });
  };
}

describeJumpContract({
  'direct over TCP': { ...cameras, source: direct('tcp') },
  'direct over UDP': { ...cameras, source: direct('udp') },
  'a worker that copies': { ...cameras, source: worker({ video: 'copy', audio: 'copy' }) },
  'a worker that encodes the sound': { ...cameras, source: worker({ video: 'copy', audio: 'encode' }) },
});
describeJumpContract({
  'a worker that encodes everything': { ...cameras, source: worker({ video: 'encode', audio: 'encode' }) },
});
describeJumpContract({
  'a worker of 2018 that copies': {
    ...cameras,
    source: worker({ video: 'copy', audio: 'copy' }, () => bundled),
    mayEndAfter: Object.keys(JUMPS),
    omit: [RESTART],
  },
  'a worker of 2018 that encodes everything': {
    ...cameras,
    source: worker({ video: 'encode', audio: 'encode' }, () => bundled),
    omit: [RESTART],
  },
});
