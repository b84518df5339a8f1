/** Child module: the cameras of `fickle`, each with a port of its own that it uses again after each restart. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clip } from '../../../src/synthetic-camera/clip.ts';
import type { CameraFaults } from '../../../src/synthetic-camera/faults.ts';
import { withPcmuSound } from '../../../src/synthetic-camera/pcmu-sound-fixture.ts';
import type { SyntheticCamera } from '../../../src/synthetic-camera/synthetic-camera.ts';
import { freePort } from '../../../test/support/ports.ts';
import { makeClip, startCamera } from '../../../test/support/synthetic.ts';
import { responseParent } from '../../support/child-module.ts';
import { type FickleKind, KINDS, type Trouble } from './life.ts';

export interface FickleCameraCalls {
  /** Chooses the ports and makes the clips; nothing listens yet. Returns one address per camera. */
  prepare(options: { readonly cameras: number }): Promise<string[]>;
  come(options: { readonly camera: number; readonly trouble: Trouble }): Promise<void>;
  stall(options: { readonly camera: number; readonly isStalled: boolean }): void;
  go(options: { readonly camera: number }): Promise<void>;
  /** The longest delay of the cameras' event loop since this was called last. */
  takeLoopDelayMs(options: Record<string, never>): number;
}

interface Clips {
  readonly small: Clip;
  readonly large: Clip;
}

interface FickleCamera {
  readonly port: number;
  readonly clips: Clips;
  isStalled: boolean;
  server: SyntheticCamera | null;
}

const LOSS_SHARE = 0.005;
const NO_PACKETS: Buffer[] = [];

const cameras: FickleCamera[] = [];

async function prepare(options: { readonly cameras: number }): Promise<string[]> {
  const clips = new Map<FickleKind, Clips>();
  for (const kind of KINDS) {
    const small = await clipOf(kind, 320, 180);
    clips.set(kind, { small, large: await clipOf(kind, 640, 360) });
  }
  for (let camera = 0; camera < options.cameras; camera++) {
    const kind = kindOf(camera);
    cameras.push({ port: await freePort(), clips: clips.get(kind)!, isStalled: false, server: null });
  }
  return cameras.map(({ port }) => `rtsp://127.0.0.1:${port}/stream`);
}

function kindOf(camera: number): FickleKind {
  return KINDS[camera % KINDS.length]!;
}

async function clipOf(kind: FickleKind, widthPx: number, heightPx: number): Promise<Clip> {
  const [codec, sound] = kind.split('+');
  const clip = await makeClip(widthPx, heightPx, codec === 'H.265' ? { codec: 'h265' } : {});
  if (sound === undefined) return { ...clip, audio: null };
  return sound === 'G.711' ? withPcmuSound(clip) : clip;
}

async function come({ camera, trouble }: { readonly camera: number; readonly trouble: Trouble }) {
  const one = cameras[camera]!;
  const packets = (sent: Buffer[]) => (one.isStalled ? NO_PACKETS : sent);
  one.server = await startCamera(one.port, {
    clip: one.clips.small,
    faults: faultsOf(trouble, one.clips),
    habits: { connection: () => ({ packets }) },
  });
}

function faultsOf(trouble: Trouble, { large }: Clips): CameraFaults {
  switch (trouble.kind) {
    case 'jump':
      return { timestampJump: { afterMs: trouble.afterMs, byMs: trouble.byMs } };
    case 'restart':
      return { encoderRestartAfterMs: trouble.afterMs };
    case 'switch':
      return { changeResolutionAfter: { afterMs: trouble.afterMs, clip: large } };
    case 'break':
      return { closeAfterMs: trouble.afterMs };
    case 'loss':
      return { loss: { share: LOSS_SHARE, seed: trouble.seed } };
    case 'none':
      return {};
  }
}

const loopDelay = monitorEventLoopDelay();
loopDelay.enable();

const calls: FickleCameraCalls = {
  prepare,
  come,
  stall: ({ camera, isStalled }) => {
    cameras[camera]!.isStalled = isStalled;
  },
  go: async ({ camera }) => {
    const { server } = cameras[camera]!;
    cameras[camera]!.server = null;
    await server?.close();
  },
  takeLoopDelayMs: () => {
    const { max } = loopDelay;
    loopDelay.reset();
    return max / 1e6;
  },
};

responseParent(calls);
