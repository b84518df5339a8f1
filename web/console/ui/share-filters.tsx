/** Fields that narrow and order the list of shares. */

import { useMemo, useRef, useState } from 'preact/hooks';
import { camerasBySite } from '../by-site.ts';
import { type CameraItem, listCameras, listLocations } from '../camera-state.ts';
import type { PickGroup, PickOption } from '../picker-rows.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { KIND_CHOICES, type ShareFilter, SORT_CHOICES } from '../share-query.ts';
import { listCreators, type ShareCounts } from '../share-state.ts';
import { columnOf } from '../sorting.ts';
import { readWalls, type Wall } from '../wall-list.ts';
import { t } from '../words.ts';
import { DensitySwitch } from './density-switch.tsx';
import { ListFilters } from './list-filters.tsx';
import { SearchField } from './search-field.tsx';
import { Select } from './select.tsx';
import { type StateChip, StateChips } from './state-chips.tsx';

/** Names for the filters, and what cameras are up to. */
export interface ShareNames {
  readonly cameras: ReadonlyMap<string, CameraItem>;
  readonly locations: ReadonlyMap<string, string>;
  readonly creators: ReadonlyMap<string, string>;
  readonly walls: ReadonlyMap<string, Wall>;
}

const NO_NAMES: ShareNames = {
  cameras: new Map(),
  locations: new Map(),
  creators: new Map(),
  walls: new Map(),
};
/** A word is searched for when one stops typing. */
const TYPING_MS = 250;

/** Without a reading of `places`, it is not known which filters there are; those of cameras and walls may come after the list. */
export function useShareNames(): { names: ShareNames; places: Pick<ReadingHandle<unknown>, 'state'> } {
  const cameras = useReading(listCameras, [], ({ entity }) => entity === 'CAMERA').state.value;
  const walls = useReading(readWalls, [], ({ entity }) => entity === 'VIDEO_WALL').state.value;
  const places = useReading(
    async (signal) => {
      const [locations, creators] = await Promise.all([listLocations(signal), listCreators(signal)]);
      return { locations, creators };
    },
    [],
    ({ entity, type }) => entity === 'LOCATION' || (entity === 'SHARED_STREAMS' && type === 'CREATE'),
  );
  const others = places.state.value;
  const list = cameras.kind === 'read' ? cameras.value : null;
  const byUuid = useMemo(
    () => (list === null ? NO_NAMES.cameras : new Map(list.map((one) => [one.uuid, one]))),
    [list],
  );
  const wallList = walls.kind === 'read' ? walls.value : null;
  const wallByUuid = useMemo(
    () => (wallList === null ? NO_NAMES.walls : new Map(wallList.map((one) => [one.uuid, one]))),
    [wallList],
  );
  const names = {
    ...NO_NAMES,
    cameras: byUuid,
    walls: wallByUuid,
    ...(others.kind === 'read' ? others.value : {}),
  };
  return { names, places };
}

/** The list stays the same while names do, so that it costs nothing when viewers come and go, or a camera goes offline. */
function useCameraGroups({ cameras, locations }: ShareNames): readonly PickGroup[] {
  const before = useRef<{ readonly key: string; readonly groups: readonly PickGroup[] }>({
    key: '',
    groups: [],
  });
  return useMemo(() => {
    const groups = camerasBySite(cameras.values(), locations, {
      withoutSite: t('Without a site'),
      withoutSites: t('Cameras'),
    });
    const key = JSON.stringify(groups);
    if (before.current.key !== key) before.current = { key, groups };
    return before.current.groups;
  }, [cameras, locations]);
}

const ALL_CAMERAS = [any(t('All cameras'))];

export function ShareFilters({
  filter,
  names,
  counts,
  count,
  onFilter,
}: {
  readonly filter: ShareFilter;
  readonly names: ShareNames;
  /** Null: not known yet. */
  readonly counts: ShareCounts | null;
  readonly count: string;
  readonly onFilter: (filter: ShareFilter) => void;
}) {
  const cameras = useCameraGroups(names);
  const choose = (part: keyof ShareFilter) => (value: string) => onFilter({ ...filter, [part]: value });
  return (
    <ListFilters
      search={<TypedText value={filter.q} onValue={choose('q')} />}
      chosen={[filter.kind, filter.site, filter.camera, filter.by].filter((value) => value !== '').length}
      fields={
        <>
          <Select
            label={t('Kind')}
            value={filter.kind}
            options={[any(t('All kinds')), ...choicesOf(KIND_CHOICES)]}
            onValue={choose('kind')}
          />
          {names.locations.size > 0 && (
            <Select
              label={t('Site')}
              value={filter.site}
              options={[any(t('All sites')), ...namesOf(names.locations)]}
              onValue={choose('site')}
            />
          )}
          <Select
            label={t('Camera')}
            value={filter.camera}
            options={ALL_CAMERAS}
            groups={cameras}
            onValue={choose('camera')}
          />
          {(names.creators.size > 1 || filter.by !== '') && (
            <Select
              label={t('Created by')}
              value={filter.by}
              options={[any(t('Created by anyone')), ...namesOf(names.creators)]}
              onValue={choose('by')}
            />
          )}
          <Select
            label={t('Order')}
            value={filter.sort}
            options={orderOptions(filter.sort)}
            onValue={choose('sort')}
          />
        </>
      }
      count={count}
      extras={<DensitySwitch />}
      chips={
        <StateChips
          label={t('What viewers see')}
          value={filter.state}
          chips={chipsOf(counts)}
          onValue={choose('state')}
        />
      }
    />
  );
}

function chipsOf(counts: ShareCounts | null): readonly [StateChip, ...StateChip[]] {
  const { visible, hidden, expired, cameraRemoved, endingWithinDay } = counts ?? {};
  const all = counts === null ? null : visible! + hidden! + expired! + cameraRemoved!;
  return [
    { value: '', title: t('All'), count: all },
    { value: 'visible', title: t('Visible'), count: visible ?? null },
    { value: 'hidden', title: t('Hidden now'), count: hidden ?? null },
    { value: 'soon', title: t('Ending within 24 hours'), count: endingWithinDay ?? null },
    { value: 'ended', title: t('Ended'), count: expired ?? null },
    { value: 'removed', title: t('Camera removed'), count: cameraRemoved ?? null, isBad: true },
  ];
}

/** With the chosen one, also if only the header of a column leads to it. */
function orderOptions(sort: string): readonly PickOption[] {
  const choices = choicesOf(SORT_CHOICES);
  if (Object.hasOwn(SORT_CHOICES, sort)) return choices;
  const { title } = SORT_CHOICES[columnOf(sort)]!;
  return [...choices, { value: sort, title: t('{order}, from the end', { order: title }) }];
}

/** Follows each letter, and says so when they stop. */
function TypedText({
  value,
  onValue,
}: {
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  const [typed, setTyped] = useState<{ text: string; timer: ReturnType<typeof setTimeout> } | null>(null);
  return (
    <SearchField
      label={t('Filter by name or camera')}
      value={typed?.text ?? value}
      onValue={(text) => {
        clearTimeout(typed?.timer);
        const timer = setTimeout(() => {
          setTyped(null);
          onValue(text);
        }, TYPING_MS);
        setTyped({ text, timer });
      }}
    />
  );
}

function any(title: string): PickOption {
  return { value: '', title };
}

function choicesOf(choices: Readonly<Record<string, { readonly title: string }>>): PickOption[] {
  return Object.entries(choices).map(([value, { title }]) => ({ value, title }));
}

function namesOf(names: ReadonlyMap<string, string>): PickOption[] {
  return sorted([...names].map(([value, title]) => ({ value, title })));
}

function sorted(options: PickOption[]): PickOption[] {
  return options.sort((a, b) => a.title.localeCompare(b.title));
}
