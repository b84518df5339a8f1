/** A wall in small: where each camera is, and whether it streams. */

import { type CameraItem, STATE_NAMES, stateOf } from '../camera-state.ts';
import { cameraOf, columnsOf, fittingColumns, type Wall } from '../wall-list.ts';

export function WallMap({
  wall,
  cameras,
}: {
  readonly wall: Wall;
  readonly cameras: ReadonlyMap<string, CameraItem>;
}) {
  const { deviceList } = wall;
  const columns = columnsOf(wall) ?? fittingColumns(deviceList.length);
  return (
    <div class="wall-map" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
      {deviceList.map((device) => {
        const camera = cameras.get(cameraOf(device));
        const state = camera === undefined ? 'not-checked' : stateOf(camera);
        return (
          <span
            key={device}
            class={`tile sign ${state}`}
            title={`${camera?.name ?? 'Camera'}: ${STATE_NAMES[state]}`}
          >
            {camera?.name ?? 'Removed camera'}
          </span>
        );
      })}
      {deviceList.length === 0 && <span class="tile">No cameras</span>}
    </div>
  );
}
