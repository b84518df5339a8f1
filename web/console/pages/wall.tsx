/** One video wall: its cameras and their order, and its links. */

import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { listCameras } from '../camera-state.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { WallEditor } from '../ui/wall-editor.tsx';
import { WallLinks } from '../ui/wall-links.tsx';
import { WallMap } from '../ui/wall-map.tsx';
import { deleteWall, hiddenText, readWalls, type Wall } from '../wall-list.ts';
import { mayChange } from '../wall-rights.ts';
import { watchPlace } from '../wall-source.ts';
import { t, tRich } from '../words.ts';

/** In the address, in place of a UUID. */
const NEW = 'new';

export function WallPage() {
  const { params } = useRoute();
  const uuid = params.uuid ?? NEW;
  // A wall that is being edited stays as it is: only another address reads it again.
  const reading = useReading(
    async (signal) => {
      const [walls, cameras] = await Promise.all([readWalls(signal), listCameras(signal)]);
      return { wall: walls.find((wall) => wall.uuid === uuid) ?? null, cameras };
    },
    [uuid],
  );
  const isNew = uuid === NEW;
  return (
    <>
      <p class="back">
        <a href={place('walls')}>{t('‹ All walls')}</a>
      </p>
      <ReadingView reading={reading} what={t('wall')} title={t('Wall')}>
        {({ wall, cameras }) => {
          if (wall === null && !may('operator')) {
            return (
              <Notice isPage title={isNew ? t('Your role cannot create walls') : t('There is no such wall')}>
                <p>
                  <a href={place('walls')}>{t('See all walls')}</a>
                </p>
              </Notice>
            );
          }
          if (wall === null && !isNew) {
            return (
              <Notice isPage title={t('There is no such wall')}>
                <p>{t('Someone may have deleted it.')}</p>
              </Notice>
            );
          }
          return wall === null || mayChange(wall) ? (
            <>
              <Heading wall={wall} />
              <WallEditor key={uuid} wall={wall} cameras={cameras} onSaved={reading.refresh} />
              {wall !== null && <WallLinks wall={wall} />}
            </>
          ) : (
            <>
              <Heading wall={wall} />
              {wall !== null && (
                <>
                  <WallMap wall={wall} cameras={new Map(cameras.map((camera) => [camera.uuid, camera]))} />
                  <p class="hint">{whyReadOnly(wall)}</p>
                  {wall.hiddenCameras === 0 && <WallLinks wall={wall} />}
                </>
              )}
            </>
          );
        }}
      </ReadingView>
    </>
  );
}

function whyReadOnly(wall: Wall): string {
  return wall.hiddenCameras > 0
    ? t('{hidden}. Only people who see all of its cameras can change and share it.', {
        hidden: hiddenText(wall.hiddenCameras),
      })
    : t('Your role can watch walls. Operators can change and share them.');
}

function Heading({ wall }: { readonly wall: Wall | null }) {
  const title = wall?.displayName ?? t('New wall');
  usePageTitle(title);
  const { route } = useLocation();
  const [isDeleting, setIsDeleting] = useState(false);
  return (
    <div class="page-head">
      <h1 class="break">{title}</h1>
      {wall !== null && (
        <span class="section-deeds">
          {wall.deviceList.length > 0 && (
            <a class="button primary" href={watchPlace({ kind: 'walls', uuids: [wall.uuid] })}>
              <Icon name="play" /> {t('Watch')}
            </a>
          )}
          {mayChange(wall) && (
            <button type="button" onClick={() => setIsDeleting(true)}>
              {t('Delete wall')}
            </button>
          )}
        </span>
      )}
      {wall !== null && isDeleting && (
        <FormDialog
          title={t('Delete this wall?')}
          submit={t('Delete wall')}
          isDanger
          onSubmit={async () => {
            await deleteWall(wall);
            route(place('walls'));
          }}
          onClose={() => setIsDeleting(false)}
        >
          <p class="break">
            {tRich(
              '<b>{displayName}</b> and its links stop working immediately. Current viewers are cut off. The cameras stay.',
              { displayName: wall.displayName, b: (text) => <b>{text}</b> },
            )}
          </p>
        </FormDialog>
      )}
    </div>
  );
}
