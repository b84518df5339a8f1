/** All video walls. */

import { type CameraItem, listCameras } from '../camera-state.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { isLimited, may } from '../session.ts';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { WallMap } from '../ui/wall-map.tsx';
import { camerasText, linksText, readWalls, type Wall } from '../wall-list.ts';

export function WallsPage() {
  usePageTitle('Walls');
  const reading = useReading(
    async (signal) => {
      const [walls, cameras] = await Promise.all([readWalls(signal), listCameras(signal)]);
      return { walls, cameras: new Map(cameras.map((camera) => [camera.uuid, camera])) };
    },
    [],
    ({ entity }) => entity === 'VIDEO_WALL' || entity === 'CAMERA' || entity === 'SHARED_STREAMS',
  );
  return (
    <>
      <div class="page-head">
        <h1>Walls</h1>
        {may('operator') && (
          <a class="button primary" href={place('walls/new')}>
            <Icon name="plus" /> New wall
          </a>
        )}
      </div>
      <ReadingView reading={reading} what="walls">
        {({ walls, cameras }) =>
          walls.length === 0 ? (
            <Notice title={isLimited() ? 'There are no walls of your cameras' : 'There are no walls yet'}>
              <p>
                A wall shows up to 16 cameras on one page, also to others by link.{' '}
                {may('operator') ? (
                  <a href={place('walls/new')}>Create the first one</a>
                ) : (
                  'Operators can create one.'
                )}
              </p>
            </Notice>
          ) : (
            <ul class="walls">
              {walls.map((wall) => (
                <li key={wall.uuid}>
                  <WallCard wall={wall} cameras={cameras} />
                </li>
              ))}
            </ul>
          )
        }
      </ReadingView>
    </>
  );
}

function WallCard({
  wall,
  cameras,
}: {
  readonly wall: Wall;
  readonly cameras: ReadonlyMap<string, CameraItem>;
}) {
  return (
    <a class="wall-card" href={place(`walls/${wall.uuid}`)}>
      <WallMap wall={wall} cameras={cameras} />
      <h2>{wall.displayName}</h2>
      <p>
        {camerasText(wall.deviceList.length)} · {linksText(wall.numShares)}
      </p>
    </a>
  );
}
