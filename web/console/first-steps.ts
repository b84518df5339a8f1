/** What of the first steps is done, from the gateway's state alone. */

import { call } from './api.ts';
import { readAccess } from './api-keys.ts';
import { type CameraItem, stateOf } from './camera-state.ts';
import type { Change } from './changes.ts';
import { DEMO_CAMERA_UUID } from './demo-camera.ts';
import type { ShareItem } from './share-seen.ts';
import { concernsShares, readShares, type SharesRead } from './share-state.ts';
import type { CameraStreams, StreamState } from './stream-state.ts';
import { readSettings, type Setting } from './system.ts';

const LOOPBACK = /^(?:(?:.+\.)?localhost|127\..*|\[::1\])$/;
/** The name of the key that the first start makes. */
const FIRST_KEY_NAME = 'bootstrap';

export interface FirstSteps {
  readonly shares: SharesRead;
  /** The demo, or the first camera. */
  readonly shown: CameraItem | null;
  /** Cameras of a person, not the demo; the newest last. */
  readonly ownCameras: readonly CameraItem[];
  /** Keys that someone made, by name. */
  readonly keyNames: readonly string[];
  /** Null: the person's organization may not see them. */
  readonly settings: readonly Setting[] | null;
}

export interface Watching {
  readonly viewers: readonly { readonly viewerId: string; readonly address: string }[];
  readonly totalCount: number;
  readonly lastViewedAtMs?: number;
}

/** Fails with a CallError. */
export async function readFirstSteps(signal: AbortSignal): Promise<FirstSteps> {
  const [shares, access, settings] = await Promise.all([
    readShares(signal),
    readAccess(signal),
    readSettings(signal).then(
      (read) => read.settings,
      () => null,
    ),
  ]);
  const cameras = [...shares.cameras.values()];
  const demo = shares.cameras.get(DEMO_CAMERA_UUID);
  const ownCameras = cameras.filter(({ uuid }) => uuid !== DEMO_CAMERA_UUID);
  return {
    ...{ shares, settings, ownCameras },
    shown: demo ?? ownCameras[0] ?? null,
    keyNames: access.keys.map(({ displayName }) => displayName).filter((name) => name !== FIRST_KEY_NAME),
  };
}

export function concernsFirstSteps(change: Change): boolean {
  return concernsShares(change);
}

/** Who watches by a link now. Fails with a CallError. */
export function readWatching({ uuid }: ShareItem, signal: AbortSignal): Promise<Watching> {
  return call<Watching>('camera/getSharedStreamViewers', { sharedLiveVideoStreamUuid: uuid }, signal);
}

/** The states of cameras by UUID. Fails with a CallError, also if one is no longer there. */
export async function readCameraStates(
  cameraUuids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, StreamState>> {
  if (cameraUuids.length === 0) return new Map();
  const { cameras } = await call<{ cameras: readonly CameraStreams[] }>(
    'camera/getCameraStreamStates',
    { cameraUuids },
    signal,
  );
  return new Map(cameras.map(({ cameraUuid, main }) => [cameraUuid, main]));
}

export function isWorking(camera: CameraItem): boolean {
  return ['live', 'reachable'].includes(stateOf(camera));
}

/** Whether links begin with an address that is not this machine's own. */
export function hasPublicUrl({ settings }: FirstSteps): boolean {
  const setting = settings?.find(({ path, isSet }) => path === 'public.mediaUrl' && isSet);
  const url = URL.parse(setting?.value ?? '');
  return url !== null && !LOOPBACK.test(url.hostname);
}
