/**
 * The state of a connection in the four colors of the API family: for a camera, and for an NVR according to its cameras.
 */

import type { CameraReport, ConnectionState } from '../stream/camera-connection.ts';

export const DEVICE_STATUSES = ['RED', 'ORANGE', 'YELLOW', 'GREEN'] as const;
export type DeviceStatus = (typeof DEVICE_STATUSES)[number];

export interface ConnectionColors {
  /** Whether the device can be reached. */
  readonly connectionStatus: DeviceStatus;
  /** Whether it works as it should. */
  readonly healthStatus: DeviceStatus;
  readonly healthStatusDetails: 'NONE' | 'DELAYED' | 'DISCONNECTED';
}

/** ORANGE means not checked yet: every client knows this color, and it claims neither video nor a failure. */
const COLORS: Readonly<Record<ConnectionState, ConnectionColors>> = {
  live: { connectionStatus: 'GREEN', healthStatus: 'GREEN', healthStatusDetails: 'NONE' },
  reachable: { connectionStatus: 'GREEN', healthStatus: 'GREEN', healthStatusDetails: 'NONE' },
  connecting: { connectionStatus: 'YELLOW', healthStatus: 'YELLOW', healthStatusDetails: 'DELAYED' },
  'not-checked': { connectionStatus: 'ORANGE', healthStatus: 'ORANGE', healthStatusDetails: 'NONE' },
  offline: { connectionStatus: 'RED', healthStatus: 'RED', healthStatusDetails: 'DISCONNECTED' },
};

/** The colors of a camera, according to its main stream. */
export function cameraColors({ main }: CameraReport): ConnectionColors {
  return COLORS[main.state];
}

/** An NVR is at least as reachable as its best camera. */
const BEST_FIRST: readonly ConnectionState[] = ['live', 'reachable', 'connecting', 'not-checked', 'offline'];

/**
 * The colors of an NVR: it is reachable while one of its cameras is, and healthy if none is offline. `best` is the report of the camera in
 * the best state. null: the gateway runs none of its cameras.
 */
export function nvrColors(
  cameras: readonly (CameraReport | undefined)[],
): { readonly colors: ConnectionColors; readonly best: CameraReport } | null {
  const known = cameras.filter((report) => report !== undefined);
  const state = BEST_FIRST.find((each) => known.some(({ main }) => main.state === each));
  const best = known.find(({ main }) => main.state === state);
  if (state === undefined || best === undefined) return null;
  const isAnyOffline = known.some(({ main }) => main.state === 'offline');
  if (state === 'offline' || !isAnyOffline) return { colors: COLORS[state], best };
  const { connectionStatus } = COLORS[state];
  return { colors: { connectionStatus, healthStatus: 'YELLOW', healthStatusDetails: 'DISCONNECTED' }, best };
}
