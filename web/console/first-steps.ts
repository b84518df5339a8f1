/** Finds which first steps are done, from the gateway's state alone. */

import { type Answer, call } from './api.ts';
import { readAccess } from './api-keys.ts';
import { type CameraItem, listCameras, stateOf } from './camera-state.ts';
import type { Change } from './changes.ts';
import { DEMO_CAMERA_UUID } from './demo-camera.ts';
import { readSettings, type Setting } from './gateway-state.ts';
import { linkReach } from './media-addresses.ts';
import type { ShareItem } from './share-item.ts';
import type { ShareQuery } from './share-query.ts';
import { concernsShares, findShares, readOffer, type ShareOffer } from './share-state.ts';
import type { StreamState } from './stream-state.ts';

/** The name of the key that the first start makes; in 0.1.0, it had the second one. */
const FIRST_KEY_NAME = /^(?:Installation key|bootstrap)$/;
const NEWEST_SHARES: ShareQuery = {
  kinds: ['STREAM', 'WALL'],
  states: ['VISIBLE', 'HIDDEN'],
  order: 'CREATED',
  isDescending: true,
};
const MAX_SHARES = 10;

export interface FirstSteps {
  /** Those that have not ended, the newest first; a few. */
  readonly shares: readonly ShareItem[];
  readonly offer: ShareOffer;
  /** The demo, or the first camera. */
  readonly shown: CameraItem | null;
  /** Cameras of a person, not the demo; the newest last. */
  readonly ownCameras: readonly CameraItem[];
  /** Keys that someone made, by name. */
  readonly keyNames: readonly string[];
  /** Null: the person's organization may not see them. */
  readonly settings: readonly Setting[] | null;
}

export type Watching = Answer<'camera/getSharedStreamViewers'>;

/** Fails with a CallError. */
export async function readFirstSteps(signal: AbortSignal): Promise<FirstSteps> {
  const [cameras, offer, shares, access, settings] = await Promise.all([
    listCameras(signal),
    readOffer(signal),
    findShares(NEWEST_SHARES, 0, MAX_SHARES, signal),
    readAccess(signal),
    readSettings(signal).then(
      (read) => read.settings,
      () => null,
    ),
  ]);
  const demo = cameras.find(({ uuid }) => uuid === DEMO_CAMERA_UUID);
  const ownCameras = cameras.filter(({ uuid }) => uuid !== DEMO_CAMERA_UUID);
  return {
    offer,
    settings,
    ownCameras,
    shares: shares.items,
    shown: demo ?? ownCameras[0] ?? null,
    keyNames: access.keys.map(({ displayName }) => displayName).filter((name) => !FIRST_KEY_NAME.test(name)),
  };
}

export function concernsFirstSteps(change: Change): boolean {
  return concernsShares(change);
}

/** Reads who watches through a link now. Fails with a CallError. */
export function readWatching({ uuid }: ShareItem, signal: AbortSignal): Promise<Watching> {
  return call('camera/getSharedStreamViewers', { sharedLiveVideoStreamUuid: uuid }, signal);
}

/** The states of cameras by UUID. Fails with a CallError, also if a camera has been deleted. */
export async function readCameraStates(
  cameraUuids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, StreamState>> {
  if (cameraUuids.length === 0) return new Map();
  const { cameras } = await call('camera/getCameraStreamStates', { cameraUuids }, signal);
  return new Map(cameras.map(({ cameraUuid, main }) => [cameraUuid, main]));
}

export function isWorking(camera: CameraItem): boolean {
  return ['live', 'reachable'].includes(stateOf(camera));
}

/** Whether links begin with an address that is not this machine's own. */
export function hasPublicUrl({ settings }: FirstSteps): boolean {
  const setting = settings?.find(({ path, isSet }) => path === 'public.mediaUrl' && isSet);
  const url = URL.parse(setting?.value ?? '');
  return url !== null && linkReach(url.href) !== 'this-machine';
}
