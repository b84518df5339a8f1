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
import { camerasText, hiddenText, linksText, readWalls, type Wall } from '../wall-list.ts';
import { MAX_WATCHED, watchPlace } from '../wall-source.ts';
import { t } from '../words.ts';

export function WallsPage() {
  usePageTitle(t('Walls'));
  const reading = useReading(
    async (signal) => {
      const [walls, cameras] = await Promise.all([readWalls(signal), listCameras(signal)]);
      return { walls, cameras: new Map(cameras.map((camera) => [camera.uuid, camera])) };
    },
    [],
    ({ entity }) => entity === 'VIDEO_WALL' || entity === 'CAMERA' || entity === 'SHARED_STREAMS',
  );
  const known = reading.state.value;
  return (
    <>
      <div class="page-head">
        <h1>{t('Walls')}</h1>
        <span class="section-deeds">
          <WatchAll walls={known.kind === 'read' ? known.value.walls : []} />
          {may('operator') && (
            <a class="button primary" href={place('walls/new')}>
              <Icon name="plus" /> {t('New wall')}
            </a>
          )}
        </span>
      </div>
      <ReadingView reading={reading} what={t('walls')}>
        {({ walls, cameras }) =>
          walls.length === 0 ? (
            <Notice
              title={isLimited() ? t('There are no walls of your cameras') : t('There are no walls yet')}
            >
              <p>
                {t('A wall shows up to 16 cameras on one page, also to others by link.')}{' '}
                {may('operator') ? (
                  <a href={place('walls/new')}>{t('Create the first one')}</a>
                ) : (
                  t('Operators can create one.')
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

/** All walls in turn, as the screen of a control room shows them. */
function WatchAll({ walls }: { readonly walls: readonly Wall[] }) {
  const uuids = walls.filter(({ deviceList }) => deviceList.length > 0).map(({ uuid }) => uuid);
  if (uuids.length < 2 || uuids.length > MAX_WATCHED) return null;
  return (
    <a class="button" href={watchPlace({ kind: 'walls', uuids })}>
      <Icon name="play" /> {t('Watch all in turn')}
    </a>
  );
}

function WallCard({
  wall,
  cameras,
}: {
  readonly wall: Wall;
  readonly cameras: ReadonlyMap<string, CameraItem>;
}) {
  const { uuid, displayName, deviceList, numShares, hiddenCameras } = wall;
  return (
    <div class="wall-card">
      <a class="wall-open" href={place(`walls/${uuid}`)}>
        <WallMap wall={wall} cameras={cameras} />
        <h2>{displayName}</h2>
        <p>
          {camerasText(deviceList.length)}
          {hiddenCameras > 0 && ` · ${hiddenText(hiddenCameras)}`} · {linksText(numShares)}
        </p>
      </a>
      {deviceList.length > 0 && (
        <a
          class="button"
          href={watchPlace({ kind: 'walls', uuids: [uuid] })}
          aria-label={t('Watch {displayName}', { displayName })}
        >
          <Icon name="play" /> {t('Watch')}
        </a>
      )}
    </div>
  );
}
