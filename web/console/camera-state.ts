/** Cameras as the API lists them, and what their state means in words. */

import { call } from './api.ts';

export interface StreamDetail {
  readonly state: 'not-checked' | 'connecting' | 'live' | 'reachable' | 'offline';
  readonly sinceMs: number | null;
  readonly checkedAtMs: number | null;
  readonly retryAtMs: number | null;
  readonly reason: string | null;
  readonly code: string | null;
  readonly message: string | null;
}

export interface CameraItem {
  readonly uuid: string;
  readonly name: string;
  readonly locationUuid: string | null;
  readonly liveStreamsSharedCount: number;
  readonly connectionDetail: (StreamDetail & { readonly substream: StreamDetail | null }) | null;
}

export interface LocationItem {
  readonly uuid: string;
  readonly name: string;
}

export type CameraStateName = StreamDetail['state'];

export const STATE_NAMES: Readonly<Record<CameraStateName, string>> = {
  live: 'Streaming',
  reachable: 'Ready',
  connecting: 'Connecting',
  'not-checked': 'Not checked yet',
  offline: 'Offline',
};

/** What an operator can do about each reason. */
const ADVICE: Readonly<Record<string, string>> = {
  unreachable: 'Check its power, cable and address.',
  'tls-failed': 'Check its certificate, or what the gateway should trust.',
  'wrong-password': 'Check the user name and password.',
  'login-unsupported': 'Allow Basic or Digest login on the camera.',
  'wrong-path': 'Check the path of the stream in its address.',
  busy: 'Too many clients use it. End some, or raise its limit.',
  refused: 'Check the rights of this user on the camera.',
  unsupported: 'Choose another codec on the camera.',
  silent: 'It connects but sends nothing. Restart it.',
  frozen: 'Its picture stands still. Restart it.',
  flood: 'It sends more than allowed. Lower its bit rate.',
  disconnected: 'It ended the connection. Check its network and its log.',
  protocol: 'Update its firmware.',
  'no-worker': 'All workers are busy. Raise ffmpeg.maxWorkers.',
  gateway: 'Look at the gateway’s log.',
};

export function stateOf({ connectionDetail }: CameraItem): CameraStateName {
  return connectionDetail?.state ?? 'not-checked';
}

/** What to do about why it is offline; null if nothing is known. */
export function adviceFor(detail: StreamDetail | null): string | null {
  return detail?.reason == null ? null : (ADVICE[detail.reason] ?? null);
}

export async function listCameras(signal: AbortSignal): Promise<readonly CameraItem[]> {
  const { cameraStates } = await call<{ cameraStates: readonly CameraItem[] }>(
    'camera/getMinimalCameraStateList',
    {},
    signal,
  );
  return cameraStates;
}

/** Names of locations by UUID. */
export async function listLocations(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const { locations } = await call<{ locations: readonly LocationItem[] }>(
    'location/getLocationsV2',
    {},
    signal,
  );
  return new Map(locations.map(({ uuid, name }) => [uuid, name]));
}
