/** A wall in small: where each camera is, what it shows, and whether it streams. */

import { useRef } from 'preact/hooks';
import { type CameraItem, STATE_NAMES, stateOf } from '../camera-state.ts';
import { cameraOf, type Wall } from '../wall-list.ts';
import { arrange, screensOf } from '../wall-screens.ts';
import { t } from '../words.ts';
import { TilePicture } from './tile-picture.tsx';
import { useSeen } from './use-seen.ts';

export function WallMap({
  wall,
  cameras,
}: {
  readonly wall: Wall;
  readonly cameras: ReadonlyMap<string, CameraItem>;
}) {
  const { deviceList, layout, displayName } = wall;
  const [screen] = screensOf(displayName, deviceList.map(cameraOf), layout);
  const map = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(map);
  return (
    <div class="wall-map" ref={map}>
      {screen !== undefined &&
        arrange(screen, AREA, null).tiles.map(({ cameraUuid, x, y, width, height }) => {
          const camera = cameras.get(cameraUuid);
          const state = camera === undefined ? 'not-checked' : stateOf(camera);
          return (
            <span
              key={cameraUuid}
              class="map-place"
              style={{ left: percent(x), top: percent(y), width: percent(width), height: percent(height) }}
            >
              <span class="tile" title={`${camera?.name ?? t('Camera')}: ${STATE_NAMES[state]}`}>
                <TilePicture camera={camera} isSeen={isSeen} />
                <span class={`tile-name sign ${state}`}>{camera?.name ?? t('Removed camera')}</span>
              </span>
            </span>
          );
        })}
      {screen === undefined && (
        <span class="tile">
          <span class="tile-name">{t('No cameras')}</span>
        </span>
      )}
    </div>
  );
}

/** The shape of most screens. */
const AREA = { widthPx: 1_600, heightPx: 900 };

function percent(fraction: number): string {
  return `${fraction * 100}%`;
}
