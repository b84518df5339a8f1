/** The state of a camera that people see. Pure. */

import type { CameraItem, CameraStateName } from './camera-state.ts';

export function stateOf({ connectionDetail }: CameraItem): CameraStateName {
  return connectionDetail === undefined ? 'not-checked' : shownState(connectionDetail);
}

/** A camera that could not be reached is offline while the gateway tries it again. */
export function shownState({
  state,
  offlineSinceMs,
}: {
  readonly state: CameraStateName;
  readonly offlineSinceMs?: number | undefined;
}): CameraStateName {
  return state === 'connecting' && offlineSinceMs !== undefined ? 'offline' : state;
}
