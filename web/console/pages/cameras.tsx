/** All cameras, as pictures or as a table, with faulty ones first on request. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type NvrCameras, readNvrCameras } from '../camera-adding.ts';
import { cameraAttention, type DeviceTrouble, readTroubles } from '../camera-attention.ts';
import {
  type CameraFilter,
  countStates,
  filterOfQuery,
  matcherOfFilter,
  NO_SITE,
  queryOfFilter,
} from '../camera-filter.ts';
import { sortedCameras } from '../camera-order.ts';
import { type CameraPauses, readPauses } from '../camera-pause.ts';
import { ADD_CAMERA_PLACE } from '../camera-places.ts';
import { silentNvrs } from '../camera-repair.ts';
import { type CameraItem, listCameras, listLocations } from '../camera-state.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { allSelected, NOTHING_SELECTED, runFrom, toggled } from '../selection.ts';
import { isLimited, may } from '../session.ts';
import { BulkBar } from '../ui/bulk-bar.tsx';
import { CameraCards } from '../ui/camera-cards.tsx';
import { CameraTable } from '../ui/camera-table.tsx';
import { CameraVerdict } from '../ui/camera-verdict.tsx';
import { Check } from '../ui/check.tsx';
import { CsvExport } from '../ui/csv-export.tsx';
import { DensitySwitch } from '../ui/density-switch.tsx';
import { Icon } from '../ui/icon.tsx';
import { ListFilters } from '../ui/list-filters.tsx';
import { NoCamerasForYou } from '../ui/no-cameras-for-you.tsx';
import { Notice } from '../ui/notice.tsx';
import { useAfterPause } from '../ui/pause-line.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Select } from '../ui/select.tsx';
import { StateChips } from '../ui/state-chips.tsx';
import { useNarrow } from '../ui/use-narrow.ts';
import { readWalls, type Wall, wallLinksByCamera } from '../wall-list.ts';
import { t } from '../words.ts';

const LAYOUTS = {
  pictures: { title: t('Pictures'), icon: 'grid' },
  table: { title: t('Table'), icon: 'table' },
} as const;
type Layout = keyof typeof LAYOUTS;

const LAYOUT_KEY = 'sluice.cameras.layout';

interface CamerasRead {
  readonly cameras: readonly CameraItem[];
  readonly pauses: CameraPauses;
  readonly locationNames: ReadonlyMap<string, string>;
}

const NO_PAUSES: CameraPauses = new Map();
const NO_TROUBLES: readonly DeviceTrouble[] = [];
const NO_NVRS: NvrCameras = { nvrs: [], nvrOf: new Map() };

export function CamerasPage() {
  usePageTitle(t('Cameras'));
  const reading = useReading(
    async (signal): Promise<CamerasRead> => {
      const [cameras, pauses, locationNames] = await Promise.all([
        listCameras(signal),
        readPauses(signal),
        listLocations(signal),
      ]);
      return { cameras, pauses, locationNames };
    },
    [],
    ({ entity }) => ['CAMERA', 'LOCATION', 'SHARED_STREAMS'].includes(entity),
  );
  const read = reading.state.value;
  useAfterPause(read.kind === 'read' ? read.value.pauses : NO_PAUSES, reading.refresh);
  // The list waits for none of these.
  const troubles = useReading(readTroubles, [], ({ entity }) => entity === 'CAMERA');
  const walls = useReading(
    readWalls,
    [],
    ({ entity }) => entity === 'VIDEO_WALL' || entity === 'SHARED_STREAMS',
  );
  const isNarrow = useNarrow();
  const behind = useReading(readNvrCameras, [], ({ entity }) => entity === 'NVR' || entity === 'CAMERA');
  return (
    <>
      <div class="page-head">
        <h1>{t('Cameras')}</h1>
        {may('admin') && (
          <span class="section-deeds">
            {!isNarrow && <CsvExport />}
            <a class="button primary" href={ADD_CAMERA_PLACE}>
              <Icon name="plus" /> {t('Add cameras')}
            </a>
          </span>
        )}
      </div>
      <ReadingView reading={reading} what={t('cameras')}>
        {(read) => (
          <CameraList
            read={read}
            reports={troubles}
            behind={behind}
            walls={walls}
            onTried={reading.refresh}
          />
        )}
      </ReadingView>
    </>
  );
}

function CameraList({
  read: { cameras, pauses, locationNames },
  reports,
  behind,
  walls,
  onTried,
}: {
  readonly read: CamerasRead;
  readonly reports: ReadingHandle<readonly DeviceTrouble[]>;
  readonly behind: ReadingHandle<NvrCameras>;
  readonly walls: ReadingHandle<readonly Wall[]>;
  readonly onTried: () => void;
}) {
  const reported = reports.state.value;
  const found = reported.kind === 'read' ? reported.value : NO_TROUBLES;
  const attention = cameraAttention(cameras, pauses, found);
  const known = behind.state.value;
  const wallsRead = walls.state.value;
  const wallLinks = wallsRead.kind === 'read' ? wallLinksByCamera(wallsRead.value) : null;
  const { nvrOf, nvrs } = known.kind === 'read' ? known.value : NO_NVRS;
  const isNarrow = useNarrow();
  const { query, route } = useLocation();
  const layout = useSignal<Layout>(localStorage.getItem(LAYOUT_KEY) === 'table' ? 'table' : 'pictures');
  const [selected, setSelected] = useState(NOTHING_SELECTED);
  if (cameras.length === 0 && isLimited()) return <NoCamerasForYou />;
  if (cameras.length === 0) {
    return (
      <Notice title={t('There are no cameras yet')}>
        {may('admin') ? (
          <a class="button" href={ADD_CAMERA_PLACE}>
            {t('Add the first one')}
          </a>
        ) : (
          <p>{t('Administrators can add the first one.')}</p>
        )}
      </Notice>
    );
  }
  const filter = filterOfQuery(query);
  const nvrNames = new Map(nvrs.map(({ uuid, name }) => [uuid, name]));
  const nvrSites = new Map(
    nvrs.flatMap(({ uuid, locationUuid }) => (locationUuid ? [[uuid, locationUuid]] : [])),
  );
  const places = { locationNames, wallLinks, nvrOf, nvrNames, nvrSites, attention };
  const shown = sortedCameras(cameras.filter(matcherOfFilter(filter, places)), filter.sort, places);
  const order = shown.map(({ uuid }) => uuid);
  // Bulk actions skip cameras that the filter hides.
  const taken = shown.filter(({ uuid }) => selected.uuids.has(uuid));
  const selection = {
    has: (uuid: string) => selected.uuids.has(uuid),
    toggle: (uuid: string, isRange: boolean) => setSelected((old) => toggled(old, uuid, order, isRange)),
  };
  const troubles = {
    pauses,
    nvrOf,
    silentNvrs: silentNvrs(cameras, nvrOf),
    symptoms: new Map(found.map(({ deviceUuid, symptom }) => [deviceUuid, symptom])),
    onTried,
  };
  const list = { cameras: shown, locationNames, wallLinks, troubles, selection };
  const set = (change: Partial<CameraFilter>) =>
    route(place('') + queryOfFilter({ ...filter, ...change }), true);
  return (
    <>
      {reported.kind === 'failed' ? (
        <ReadingView reading={reports} what={t('device health')}>
          {() => null}
        </ReadingView>
      ) : (
        <CameraVerdict health={reported.kind === 'read' ? { cameras, attention } : null} />
      )}
      <Filters
        locationNames={locationNames}
        nvrs={nvrs}
        filter={filter}
        counts={countStates(cameras, filter, places)}
        countText={countText(shown.length, cameras.length)}
        set={set}
        extras={
          <>
            <Check
              label={t('Select all')}
              isChecked={taken.length === shown.length && shown.length > 0}
              onCheck={(isChecked) => setSelected(isChecked ? allSelected(order) : NOTHING_SELECTED)}
            />
            <LayoutSwitch
              value={layout.value}
              onChoice={(choice) => {
                layout.value = choice;
                localStorage.setItem(LAYOUT_KEY, choice);
              }}
            />
            {layout.value === 'table' && <DensitySwitch />}
            {isNarrow && may('admin') && <CsvExport />}
          </>
        }
      />
      {filter.nvr !== '' && known.kind !== 'read' ? (
        <ReadingView reading={behind} what={t('NVRs')}>
          {() => null}
        </ReadingView>
      ) : LED_TO.some(({ value }) => value === filter.state) && reported.kind === 'loading' ? (
        <ReadingView reading={reports} what={t('device health')}>
          {() => null}
        </ReadingView>
      ) : shown.length === 0 ? (
        <Notice title={t('No camera matches')}>
          <a href={place('')}>{t('Show all cameras')}</a>
        </Notice>
      ) : layout.value === 'table' ? (
        <CameraTable {...list} sort={filter.sort} onSort={(sort) => set({ sort })} />
      ) : (
        <CameraCards {...list} />
      )}
      <BulkBar
        cameras={taken}
        locationNames={locationNames}
        nvrNames={nvrNames}
        onTakeNine={order.length > 9 ? () => setSelected(runFrom(selected, order, 9)) : null}
        onClear={() => setSelected(NOTHING_SELECTED)}
      />
    </>
  );
}

function countText(shown: number, all: number): string {
  return shown === all ? String(all) : t('{shown} of {all}', { shown, all });
}

/** They live in the address: a reload, a bookmark and "back" keep them. */
function Filters({
  locationNames,
  nvrs,
  filter,
  counts,
  countText: count,
  set,
  extras,
}: {
  readonly locationNames: ReadonlyMap<string, string>;
  readonly nvrs: NvrCameras['nvrs'];
  readonly filter: CameraFilter;
  /** As `countStates` returns them. */
  readonly counts: Readonly<Record<string, number>>;
  readonly countText: string;
  readonly set: (change: Partial<CameraFilter>) => void;
  readonly extras: ComponentChildren;
}) {
  const sites = useMemo(
    () => [
      { value: '', title: t('All sites') },
      ...[...locationNames].map(([value, title]) => ({ value, title })),
      { value: NO_SITE, title: t('No site') },
    ],
    [locationNames],
  );
  const recorders = useMemo(
    () => [
      { value: '', title: t('All NVRs') },
      ...nvrs.map(({ uuid, name }) => ({ value: uuid, title: name })),
    ],
    [nvrs],
  );
  return (
    <ListFilters
      search={
        <SearchField label={t('Filter by name')} value={filter.text} onValue={(text) => set({ text })} />
      }
      chosen={[filter.site, filter.nvr, filter.sort].filter((value) => value !== '').length}
      fields={
        <>
          {(locationNames.size > 0 || filter.site !== '') && (
            <Select label={t('Site')} value={filter.site} options={sites} onValue={(site) => set({ site })} />
          )}
          {nvrs.length > 0 && (
            <Select label="NVR" value={filter.nvr} options={recorders} onValue={(nvr) => set({ nvr })} />
          )}
          <Select
            label={t('Order')}
            value={filter.sort}
            options={orderOptions(filter.sort)}
            onValue={(sort) => set({ sort })}
          />
        </>
      }
      count={count}
      extras={extras}
      chips={
        <StateChips
          label={t('State')}
          value={filter.state}
          chips={[
            { value: 'all', title: t('All'), count: counts.all! },
            ...LED_TO.filter(({ value }) => value === filter.state).map((chip) => ({
              ...chip,
              count: counts[chip.value]!,
            })),
            { value: 'offline', title: t('Offline'), count: counts.offline!, isBad: true },
            { value: 'working', title: t('Online'), count: counts.working! },
            { value: 'unknown', title: t('Not checked'), count: counts.unknown! },
          ]}
          onValue={(state) => set({ state })}
        />
      }
    />
  );
}

/** The sentence above the list leads to them, so they are filters only while they are chosen. */
const LED_TO = [
  { value: 'attention', title: t('Needs attention'), isBad: true },
  { value: 'paused', title: t('Offline and paused') },
];

const ORDERS = [
  { value: '', title: t('Offline first') },
  { value: 'name', title: t('By name') },
  { value: 'site', title: t('By site') },
  { value: 'state', title: t('By state') },
  { value: '-shares', title: t('Most shared') },
];
/** Of headers of the table. */
const OTHER_ORDERS: Readonly<Record<string, string>> = {
  '-name': t('By name, from the end'),
  '-site': t('By site, from the end'),
  '-state': t('By state, from the end'),
  shares: t('Least shared'),
};

/** With the chosen one, also if only a header leads to it. */
function orderOptions(sort: string) {
  const other = OTHER_ORDERS[sort];
  return other === undefined ? ORDERS : [...ORDERS, { value: sort, title: other }];
}

function LayoutSwitch({
  value,
  onChoice,
}: {
  readonly value: Layout;
  readonly onChoice: (layout: Layout) => void;
}) {
  return (
    <div class="switch" role="group" aria-label={t('Show as')}>
      {(['pictures', 'table'] as const).map((layout) => (
        <button
          type="button"
          key={layout}
          aria-label={LAYOUTS[layout].title}
          aria-pressed={value === layout}
          onClick={() => onChoice(layout)}
        >
          <Icon name={LAYOUTS[layout].icon} /> <span>{LAYOUTS[layout].title}</span>
        </button>
      ))}
    </div>
  );
}
