/** Fields that narrow and order the list of shares. */

import { useMemo, useRef, useState } from 'preact/hooks';
import { type CameraItem, listCameras, listLocations } from '../camera-state.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { KIND_CHOICES, type ShareFilter, SORT_CHOICES, STATE_CHOICES } from '../share-query.ts';
import { listCreators } from '../share-state.ts';
import { SearchField } from './search-field.tsx';
import { Select, type SelectOption } from './select.tsx';

/** Names for the filters, and what cameras are up to. */
export interface ShareNames {
  readonly cameras: ReadonlyMap<string, CameraItem>;
  readonly locations: ReadonlyMap<string, string>;
  readonly creators: ReadonlyMap<string, string>;
}

const NO_NAMES: ShareNames = { cameras: new Map(), locations: new Map(), creators: new Map() };
/** A word is searched for when one stops typing. */
const TYPING_MS = 250;

/** Without a reading of `places`, it is not known which filters there are; that of the cameras may come after the list. */
export function useShareNames(): { names: ShareNames; places: Pick<ReadingHandle<unknown>, 'state'> } {
  const cameras = useReading(listCameras, [], ({ entity }) => entity === 'CAMERA').state.value;
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
  const names = { ...NO_NAMES, cameras: byUuid, ...(others.kind === 'read' ? others.value : {}) };
  return { names, places };
}

/**
 * Sorted by name. A native list, even for a thousand cameras: letters lead to a camera, only existing cameras
 * can be chosen, and the field next to it finds parts of names. The list stays the same while names do, so
 * that it costs nothing when viewers come and go, or a camera goes offline.
 */
function useCameraOptions(cameras: ShareNames['cameras']): readonly SelectOption[] {
  const before = useRef<readonly SelectOption[]>([]);
  return useMemo(() => {
    const names = [...cameras].map(([value, { name }]) => ({ value, title: name }));
    const options = [any('All cameras'), ...sorted(names)];
    if (!areSame(options, before.current)) before.current = options;
    return before.current;
  }, [cameras]);
}

function areSame(some: readonly SelectOption[], others: readonly SelectOption[]): boolean {
  if (some.length !== others.length) return false;
  return some.every(({ value, title }, i) => value === others[i]!.value && title === others[i]!.title);
}

export function ShareFilters({
  filter,
  names,
  count,
  onFilter,
}: {
  readonly filter: ShareFilter;
  readonly names: ShareNames;
  readonly count: string;
  readonly onFilter: (filter: ShareFilter) => void;
}) {
  const cameras = useCameraOptions(names.cameras);
  const choose = (part: keyof ShareFilter) => (value: string) => onFilter({ ...filter, [part]: value });
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <TypedText value={filter.q} onValue={choose('q')} />
      <Select
        label="What viewers see"
        value={filter.state}
        options={[any('All states'), ...choicesOf(STATE_CHOICES)]}
        onValue={choose('state')}
      />
      <Select
        label="Kind"
        value={filter.kind}
        options={[any('All kinds'), ...choicesOf(KIND_CHOICES)]}
        onValue={choose('kind')}
      />
      {names.locations.size > 0 && (
        <Select
          label="Site"
          value={filter.site}
          options={[any('All sites'), ...namesOf(names.locations)]}
          onValue={choose('site')}
        />
      )}
      <Select label="Camera" value={filter.camera} options={cameras} onValue={choose('camera')} />
      {(names.creators.size > 1 || filter.by !== '') && (
        <Select
          label="Created by"
          value={filter.by}
          options={[any('Created by anyone'), ...namesOf(names.creators)]}
          onValue={choose('by')}
        />
      )}
      <Select label="Order" value={filter.sort} options={choicesOf(SORT_CHOICES)} onValue={choose('sort')} />
      <p class="count" role="status">
        {count}
      </p>
    </form>
  );
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
      label="Filter by name or camera"
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

function any(title: string): SelectOption {
  return { value: '', title };
}

function choicesOf(choices: Readonly<Record<string, { readonly title: string }>>): SelectOption[] {
  return Object.entries(choices).map(([value, { title }]) => ({ value, title }));
}

function namesOf(names: ReadonlyMap<string, string>): SelectOption[] {
  return sorted([...names].map(([value, title]) => ({ value, title })));
}

function sorted(options: SelectOption[]): SelectOption[] {
  return options.sort((a, b) => a.title.localeCompare(b.title));
}
