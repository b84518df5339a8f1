/** A wall on the whole window: the cameras of a wall, of several walls in turn, or chosen ones. */

import { useMemo } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { type CameraItem, listCameras } from '../camera-state.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { WatchStage } from '../ui/watch-stage.tsx';
import { cameraOf, readWalls, type Wall } from '../wall-list.ts';
import { screensOf, type WallScreen } from '../wall-screens.ts';
import { type WallSource, wallSourceOf } from '../wall-source.ts';
import { t } from '../words.ts';

/** Walls that are watched in turn, and say nothing about it, change after this time. */
const WALLS_IN_TURN_SEC = 20;

interface Watched {
  readonly title: string;
  readonly screens: readonly WallScreen[];
  /** Cameras that the person may not see. */
  readonly hiddenCameras: number;
  readonly tourSec: number;
  /** Where the way back leads. */
  readonly backTo: string;
  /** Cameras that are not a wall yet. */
  readonly draft: readonly string[] | null;
}

export function WatchPage() {
  const { params } = useRoute();
  const { query } = useLocation();
  const address = JSON.stringify([params.uuid, query.walls, query.cameras]);
  const source = useMemo(() => wallSourceOf(params.uuid, query), [address]);
  const reading = useReading(
    async (signal) => {
      const [walls, cameras] = await Promise.all([
        source.kind === 'walls' ? readWalls(signal) : [],
        listCameras(signal),
      ]);
      return { watched: watchedBy(source, walls, cameras), cameras };
    },
    [source],
    ({ entity }) => entity === 'VIDEO_WALL' || entity === 'CAMERA',
  );
  return (
    <ReadingView reading={reading} what={t('wall')} title={t('Wall')}>
      {({ watched, cameras }) =>
        watched === null ? (
          <Notice isPage title={t('There is nothing to watch here')}>
            <p>{t('The wall or its cameras may have been deleted, or you may not see them.')}</p>
            <p>
              <a href={place('walls')}>{t('See all walls')}</a>
            </p>
          </Notice>
        ) : (
          <WatchStage key={address} {...watched} cameras={cameras} />
        )
      }
    </ReadingView>
  );
}

/** Null: nothing of it is there. */
function watchedBy(
  source: WallSource,
  walls: readonly Wall[],
  cameras: readonly CameraItem[],
): Watched | null {
  if (source.kind === 'walls') return ofWalls(source.uuids, walls);
  const known = new Set(cameras.map(({ uuid }) => uuid));
  const there = source.uuids.filter((uuid) => known.has(uuid));
  if (there.length === 0) return null;
  const title = t('{count, plural, one {# camera} other {# cameras}}', { count: there.length });
  return {
    title,
    screens: screensOf(title, there, { kind: 'AUTOMATIC', cells: [], tourSec: 0 }),
    hiddenCameras: source.uuids.length - there.length,
    tourSec: 0,
    backTo: place(''),
    draft: there,
  };
}

function ofWalls(uuids: readonly string[], walls: readonly Wall[]): Watched | null {
  const there = uuids.flatMap((uuid) => walls.find((wall) => wall.uuid === uuid) ?? []);
  const screens = there.flatMap(({ displayName, deviceList, layout }) =>
    screensOf(displayName, deviceList.map(cameraOf), layout),
  );
  const [first] = there;
  if (first === undefined || screens.length === 0) return null;
  const isOne = uuids.length === 1;
  return {
    title: isOne
      ? first.displayName
      : t('{count, plural, one {# wall} other {# walls}}', { count: there.length }),
    screens,
    hiddenCameras: there.reduce((sum, wall) => sum + wall.hiddenCameras, 0),
    tourSec: isOne
      ? first.layout.tourSec
      : Math.max(...there.map(({ layout }) => layout.tourSec), 0) || WALLS_IN_TURN_SEC,
    backTo: place(isOne ? `walls/${first.uuid}` : 'walls'),
    draft: null,
  };
}
