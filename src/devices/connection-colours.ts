/**
 * What the gateway sees of a camera's connection, in the four colours of the API family. Of an NVR it sees what it sees of
 * the cameras behind it.
 */

import type { CameraReport, ConnectionState } from '../stream/camera-connection.ts';

export const DEVICE_STATUSES = ['RED', 'ORANGE', 'YELLOW', 'GREEN'] as const;
export type DeviceStatus = (typeof DEVICE_STATUSES)[number];

export interface ConnectionColours {
  /** Whether the device is reached. */
  readonly connectionStatus: DeviceStatus;
  /** Whether it delivers what it should. */
  readonly healthStatus: DeviceStatus;
  readonly healthStatusDetails: 'NONE' | 'DELAYED' | 'DISCONNECTED';
}

/**
 * ORANGE for what nobody has checked: of the family's four colours the one that every client knows and that claims
 * neither a picture nor a failure.
 */
const COLOURS: Readonly<Record<ConnectionState, ConnectionColours>> = {
  live: { connectionStatus: 'GREEN', healthStatus: 'GREEN', healthStatusDetails: 'NONE' },
  reachable: { connectionStatus: 'GREEN', healthStatus: 'GREEN', healthStatusDetails: 'NONE' },
  connecting: { connectionStatus: 'YELLOW', healthStatus: 'YELLOW', healthStatusDetails: 'DELAYED' },
  'not-checked': { connectionStatus: 'ORANGE', healthStatus: 'ORANGE', healthStatusDetails: 'NONE' },
  offline: { connectionStatus: 'RED', healthStatus: 'RED', healthStatusDetails: 'DISCONNECTED' },
};

/** Of a camera, by its main stream. */
export function cameraColours({ main }: CameraReport): ConnectionColours {
  return COLOURS[main.state];
}

/** The best that one of an NVR's cameras shows is what is known of the NVR itself. */
const BEST_FIRST: readonly ConnectionState[] = ['live', 'reachable', 'connecting', 'not-checked', 'offline'];

/**
 * Of an NVR, by its cameras: reached as long as one of them is, healthy when none is offline. `best` is the report of the
 * camera that shows most. null: it has no camera that the gateway runs.
 */
export function nvrColours(
  cameras: readonly (CameraReport | undefined)[],
): { readonly colours: ConnectionColours; readonly best: CameraReport } | null {
  const known = cameras.filter((report) => report !== undefined);
  const state = BEST_FIRST.find((each) => known.some(({ main }) => main.state === each));
  const best = known.find(({ main }) => main.state === state);
  if (state === undefined || best === undefined) return null;
  const isAnyOffline = known.some(({ main }) => main.state === 'offline');
  if (state === 'offline' || !isAnyOffline) return { colours: COLOURS[state], best };
  const { connectionStatus } = COLOURS[state];
  return { colours: { connectionStatus, healthStatus: 'YELLOW', healthStatusDetails: 'DISCONNECTED' }, best };
}
