/** Where sites are, on a street map, and how their cameras are. */

import { useMemo, useRef, useState } from 'preact/hooks';
import { SITES_PLACE } from '../camera-places.ts';
import { type Degrees, degreesOf, degreesText, fitted, type MapView, worldOf } from '../map-geometry.ts';
import { type MapMark, type MapRead, mapContent, type Unplaced, withPlace } from '../map-marks.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { may, session } from '../session.ts';
import { readPlaces } from '../site-list.ts';
import { FormError } from '../ui/form-error.tsx';
import { Marks } from '../ui/map-marks-layer.tsx';
import { MapSide } from '../ui/map-side.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { StreetMap, type Tiles } from '../ui/street-map.tsx';
import { useArea } from '../ui/use-area.ts';
import { type MapEdits, useMapEdits } from '../ui/use-map-edits.ts';
import { t } from '../words.ts';

const CONCERNED: ReadonlySet<string> = new Set(['LOCATION', 'NVR', 'CAMERA']);
/** A group of marks at one place does not come apart, however close. */
const CLOSER = 2;

export function MapPage() {
  usePageTitle(t('Map'));
  const tiles = session.value?.mapTiles ?? null;
  const reading = useReading<MapRead>(readPlaces, [], ({ entity }) => CONCERNED.has(entity));
  return (
    <>
      <p>
        <a href={SITES_PLACE}>{t('All sites')}</a>
      </p>
      {tiles === null ? (
        <>
          <h1>{t('Map')}</h1>
          <NoTiles />
        </>
      ) : (
        <ReadingView reading={reading} what={t('the map')} title={t('Map')}>
          {(read) => <SiteMap tiles={tiles} read={read} reading={reading} />}
        </ReadingView>
      )}
    </>
  );
}

function NoTiles() {
  return (
    <Notice title={t('There is no street map')}>
      <p>
        {t(
          'A map needs pictures from a map server, and this gateway contacts none on its own. An administrator of the gateway can name one in the settings.',
        )}
      </p>
      {may('admin') && (
        <p>
          <a href={place('settings?text=map')}>{t('Open settings')}</a>
        </p>
      )}
    </Notice>
  );
}

function SiteMap({
  tiles,
  read,
  reading,
}: {
  readonly tiles: Tiles;
  readonly read: MapRead;
  readonly reading: ReadingHandle<MapRead>;
}) {
  const { area, measured } = useArea();
  const [isArranging, setIsArranging] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const [view, setView] = useState<MapView | null>(null);
  const edits = useMapEdits((mark, degrees) => reading.put((known) => withPlace(known, mark, degrees)));
  const content = useMemo(() => mapContent(withMoves(read, edits)), [read, edits.moved]);
  const { marks, unplaced } = content;
  // Until someone moves it, it shows all marks, in an area of any size.
  const first = useRef(marks);
  const fit = useMemo(
    () =>
      fitted(
        first.current.map(({ degrees }) => degrees),
        area,
        tiles.maxZoom,
      ),
    [area, tiles.maxZoom],
  );
  const shown = view ?? fit;
  const place = (item: Unplaced) => {
    setView(shown);
    setChosen(item.uuid);
    edits.commit(item, freePlace(degreesOf(shown.center), marks), null);
  };
  const open = (group: readonly MapMark[]) => {
    const closer = fitted(
      group.map(({ degrees }) => degrees),
      area,
      tiles.maxZoom,
    );
    const zoom = Math.max(closer.zoom, shown.zoom + CLOSER);
    setView({ ...closer, zoom: Math.min(tiles.maxZoom, zoom) });
  };
  return (
    <>
      <div class="page-head">
        <h1>{t('Map')}</h1>
        <span class="section-deeds">
          {view !== null && marks.length > 0 && (
            <button
              type="button"
              onClick={() =>
                setView(
                  fitted(
                    marks.map(({ degrees }) => degrees),
                    area,
                    tiles.maxZoom,
                  ),
                )
              }
            >
              {t('Show all')}
            </button>
          )}
          {isArranging && (
            <button type="button" disabled={edits.undo === null} onClick={() => edits.undo?.()}>
              {t('Undo')}
            </button>
          )}
          {may('admin') && (
            <button
              type="button"
              class={isArranging ? 'primary' : ''}
              onClick={() => {
                setView(shown);
                setIsArranging(!isArranging);
                setChosen(null);
              }}
            >
              {isArranging ? t('Done') : t('Arrange sites')}
            </button>
          )}
        </span>
      </div>
      <FormError error={edits.error} />
      {marks.length === 0 && !isArranging && (
        <p class="hint">
          {may('admin')
            ? t('No site is on the map yet. Press Arrange sites to place them.')
            : t('No site is on the map yet. Administrators can place them.')}
        </p>
      )}
      <div class={isArranging ? 'plan-page arranging' : 'plan-page'}>
        <StreetMap {...{ tiles, area, measured }} view={shown} onView={setView}>
          <Marks
            {...{ marks, area, chosen }}
            view={shown}
            edits={isArranging ? edits : null}
            onChoose={setChosen}
            onOpen={open}
          />
        </StreetMap>
        {isArranging && (
          <MapSide
            unplaced={unplaced}
            chosen={marks.find(({ uuid }) => uuid === chosen) ?? null}
            edits={edits}
            onPlace={place}
            onTyped={(degrees) => setView({ ...shown, center: worldOf(degrees) })}
          />
        )}
      </div>
    </>
  );
}

/** Also what is not stored yet. */
function withMoves(read: MapRead, { moved }: MapEdits): MapRead {
  let now = read;
  for (const [uuid, degrees] of moved) {
    now = withPlace(withPlace(now, { kind: 'site', uuid }, degrees), { kind: 'camera', uuid }, degrees);
  }
  return now;
}

/** Not on another mark: what is placed one after the other is next to each other. */
function freePlace({ latitude, longitude }: Degrees, marks: readonly MapMark[]): Degrees {
  const isTaken = (degrees: Degrees) =>
    marks.some((mark) => degreesText(mark.degrees) === degreesText(degrees));
  let free = { latitude, longitude };
  for (let i = 1; isTaken(free); i++) free = { latitude, longitude: longitude + i * 0.01 };
  return free;
}
