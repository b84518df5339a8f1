/** All cameras, as pictures or as a table, with what is wrong first if one asks for it. */

import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type CameraItem, listCameras, listLocations, stateOf } from '../camera-state.ts';
import { useReading } from '../reading.ts';
import { CameraCards } from '../ui/camera-cards.tsx';
import { CameraTable } from '../ui/camera-table.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { Select } from '../ui/select.tsx';

const LAYOUTS = {
  pictures: { title: 'Pictures', icon: 'grid' },
  table: { title: 'Table', icon: 'table' },
} as const;
type Layout = keyof typeof LAYOUTS;

/** Filters by state, and the states that they let through. */
const STATE_FILTERS = {
  all: { title: 'All', states: null },
  working: { title: 'Working', states: ['live', 'reachable', 'connecting'] },
  offline: { title: 'Offline', states: ['offline'] },
  unknown: { title: 'Not checked', states: ['not-checked'] },
} as const;
type StateFilter = keyof typeof STATE_FILTERS;

const LAYOUT_KEY = 'sluice.cameras.layout';

export function CamerasPage() {
  useEffect(() => {
    document.title = 'Cameras · Sluice';
  }, []);
  const reading = useReading(
    async (signal) => {
      const [cameras, locationNames] = await Promise.all([listCameras(signal), listLocations(signal)]);
      return { cameras, locationNames };
    },
    [],
    ({ entity }) => entity === 'CAMERA' || entity === 'LOCATION' || entity === 'SHARED_STREAMS',
  );
  return (
    <>
      <h1>Cameras</h1>
      <ReadingView reading={reading} what="cameras">
        {({ cameras, locationNames }) => <CameraList cameras={cameras} locationNames={locationNames} />}
      </ReadingView>
    </>
  );
}

function CameraList({
  cameras,
  locationNames,
}: {
  readonly cameras: readonly CameraItem[];
  readonly locationNames: ReadonlyMap<string, string>;
}) {
  const layout = useSignal<Layout>(localStorage.getItem(LAYOUT_KEY) === 'table' ? 'table' : 'pictures');
  const text = useSignal('');
  const state = useSignal<StateFilter>('all');
  const location = useSignal('');
  const wanted = useComputed(() => filterOf(text.value, state.value, location.value, locationNames));
  if (cameras.length === 0) {
    return (
      <Notice title="There are no cameras yet">
        <p>
          Add the first one to <code>sluice.yaml</code>, or by the API.
        </p>
      </Notice>
    );
  }
  const shown = cameras.filter(wanted.value);
  return (
    <>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label="Filter by name"
          placeholder="Filter by name"
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
          }}
        />
        <Select
          label="State"
          value={state.value}
          options={Object.entries(STATE_FILTERS).map(([value, { title }]) => ({ value, title }))}
          onValue={(choice) => {
            state.value = choice as StateFilter;
          }}
        />
        {locationNames.size > 0 && (
          <Select
            label="Location"
            value={location.value}
            options={[
              { value: '', title: 'All locations' },
              ...[...locationNames].map(([value, title]) => ({ value, title })),
            ]}
            onValue={(choice) => {
              location.value = choice;
            }}
          />
        )}
        <p class="count" role="status">
          {shown.length === cameras.length ? cameras.length : `${shown.length} of ${cameras.length}`}
        </p>
        <LayoutSwitch
          value={layout.value}
          onChoice={(choice) => {
            layout.value = choice;
            localStorage.setItem(LAYOUT_KEY, choice);
          }}
        />
      </form>
      {shown.length === 0 ? (
        <Notice title="No camera matches" />
      ) : layout.value === 'table' ? (
        <CameraTable cameras={shown} locationNames={locationNames} />
      ) : (
        <CameraCards cameras={shown} locationNames={locationNames} />
      )}
    </>
  );
}

function filterOf(
  text: string,
  state: StateFilter,
  locationUuid: string,
  locationNames: ReadonlyMap<string, string>,
): (camera: CameraItem) => boolean {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const states: readonly string[] | null = STATE_FILTERS[state].states;
  return (camera) => {
    if (states !== null && !states.includes(stateOf(camera))) return false;
    if (locationUuid !== '' && camera.locationUuid !== locationUuid) return false;
    const place = locationNames.get(camera.locationUuid ?? '') ?? '';
    const searched = `${camera.name} ${place}`.toLocaleLowerCase();
    return words.every((word) => searched.includes(word));
  };
}

function LayoutSwitch({
  value,
  onChoice,
}: {
  readonly value: Layout;
  readonly onChoice: (layout: Layout) => void;
}) {
  return (
    <div class="switch" role="group" aria-label="Show as">
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
