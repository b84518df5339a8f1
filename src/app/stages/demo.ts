/** The demo: a synthetic camera on loopback with a share link, for a gateway that has no camera yet. */

import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { DEMO_CAMERA_UUID } from '../../devices/operators-camera.ts';
import type { ShareService } from '../../sharing/share-service.ts';
import type { Camera, Share } from '../../store/entities.ts';
import type { Store } from '../../store/store.ts';
import type { LiveCameras } from '../../stream/media/live-media.ts';
import { loadClip } from '../../synthetic-camera/clip.ts';
import { type SyntheticCamera, startSyntheticCamera } from '../../synthetic-camera/synthetic-camera.ts';
import { DEFAULT_ORG_UUID } from '../config/default-organizations.ts';
import { keepDemoWarm } from './demo-warmth.ts';

const DEMO_NAME = 'Demo camera';
const PICTURE = { widthPx: 1_280, heightPx: 720, fps: 25, gopSec: 2, bitrateBitsPerSec: 1_500_000 } as const;

export interface DemoOptions {
  readonly store: Store;
  readonly shares: ShareService;
  readonly cameras: LiveCameras;
  readonly ffmpegPath: string;
  readonly cacheDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Demo {
  readonly share: Share;
  close(): Promise<void>;
}

/** `wanted`: as configured; undecided means only if there are no other cameras. */
export async function wantsDemo(store: Store, wanted: boolean | null): Promise<boolean> {
  if (wanted !== null) return wanted;
  const cameras = await store.cameras.listEverywhere();
  return cameras.every((camera) => camera.uuid === DEMO_CAMERA_UUID);
}

export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { store, shares, cameras, ffmpegPath, cacheDir, clock, log } = options;
  log.info({}, 'preparing demo camera');
  const clip = await loadClip({ ffmpegPath, cacheDir, ...PICTURE, audio: true });
  const synthetic = await startSyntheticCamera({ listen: { host: '127.0.0.1', port: 0 }, clip, clock, log });
  await store.cameras.change(DEFAULT_ORG_UUID, DEMO_CAMERA_UUID, (known) => ({
    ...demoCamera(synthetic, clock),
    masks: known?.masks ?? [],
    masksForViewers: known?.masksForViewers ?? false,
  }));
  const known = await store.shares.listByCamera(DEFAULT_ORG_UUID, DEMO_CAMERA_UUID);
  const share =
    known[0] ??
    (await shares.create(DEFAULT_ORG_UUID, {
      camera: { uuid: DEMO_CAMERA_UUID },
      cameraFacet: '',
      streamType: 'USER',
      vodEnabled: false,
      name: DEMO_NAME,
    }));
  const cool = keepDemoWarm(cameras, DEMO_CAMERA_UUID, clock);
  return {
    share,
    async close() {
      cool();
      await synthetic.close();
    },
  };
}

/** Removes the demo of an earlier start: its camera no longer runs. */
export async function removeDemo(store: Store, shares: ShareService): Promise<void> {
  for (const share of await store.shares.listByCamera(DEFAULT_ORG_UUID, DEMO_CAMERA_UUID)) {
    await shares.remove(DEFAULT_ORG_UUID, share.uuid);
  }
  await store.cameras.remove(DEFAULT_ORG_UUID, DEMO_CAMERA_UUID);
}

function demoCamera(synthetic: SyntheticCamera, clock: Clock): Camera {
  return {
    uuid: DEMO_CAMERA_UUID,
    orgUuid: DEFAULT_ORG_UUID,
    locationUuid: null,
    nvrUuid: null,
    kind: 'camera',
    name: DEMO_NAME,
    rtspUrl: new CredentialUrl(synthetic.url),
    substreamUrl: null,
    onvifUrl: null,
    engine: 'direct',
    audio: 'auto',
    transport: 'tcp',
    tls: 'any',
    masks: [],
    masksForViewers: false,
    clock: 'arrival',
    createdAtMs: clock.epochMs(),
    mummified: false,
    fromConfig: false,
  };
}
