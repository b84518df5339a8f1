/** Changes a wall: its name, its cameras, their order by mouse or keyboard, its columns. */

import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { CameraItem } from '../camera-state.ts';
import { place } from '../places.ts';
import {
  cameraOf,
  columnsOf,
  fittingColumns,
  MAX_COLUMNS,
  MAX_WALL_CAMERAS,
  saveWall,
  type Wall,
} from '../wall-list.ts';
import { CameraPicker } from './camera-picker.tsx';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { OrderedCameras } from './ordered-cameras.tsx';
import { SelectField } from './select.tsx';
import { useAction } from './use-action.ts';

const MAX_NAME_LENGTH = 256;

export function WallEditor({
  wall,
  cameras,
  onSaved,
}: {
  /** Null: a new one. */
  readonly wall: Wall | null;
  readonly cameras: readonly CameraItem[];
  readonly onSaved: () => void;
}) {
  const [name, setName] = useState(wall?.displayName ?? '');
  const [devices, setDevices] = useState<readonly string[]>(wall?.deviceList ?? []);
  const [columns, setColumns] = useState(wall === null ? null : columnsOf(wall));
  const [said, setSaid] = useState('');
  const { isBusy, error, run } = useAction();
  const { route } = useLocation();
  const names = new Map(cameras.map((camera) => [camera.uuid, camera.name]));
  const save = () =>
    run(async () => {
      setSaid('');
      const uuid = await saveWall(wall, { name: name.trim(), deviceList: devices, columns });
      if (wall === null) {
        route(place(`walls/${uuid}`), true);
      } else {
        setSaid('Saved');
        onSaved();
      }
    });
  return (
    <form
      class="wall-editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="wall-fields">
        <TextField label="Name" isRequired maxLength={MAX_NAME_LENGTH} value={name} onValue={setName} />
        <SelectField
          label="Columns"
          value={String(columns ?? '')}
          options={[
            { value: '', title: `As many as fit (${fittingColumns(devices.length)})` },
            ...Array.from({ length: MAX_COLUMNS }, (_, i) => ({
              value: String(i + 1),
              title: String(i + 1),
            })),
          ]}
          onValue={(choice) => setColumns(choice === '' ? null : Number(choice))}
          hint="In the console. The page of a link chooses what fills its screen."
        />
      </div>
      <div class="wall-cameras">
        <OrderedCameras
          devices={devices}
          nameOf={(device) => names.get(cameraOf(device)) ?? 'Removed camera'}
          columns={columns ?? fittingColumns(devices.length)}
          onChange={setDevices}
        />
        <CameraPicker
          cameras={cameras.filter(({ uuid }) => !devices.some((device) => cameraOf(device) === uuid))}
          room={MAX_WALL_CAMERAS - devices.length}
          onPick={(uuid) => setDevices([...devices, uuid])}
        />
      </div>
      <FormError error={error} />
      <footer class="save-bar">
        <p class="hint" role="status">
          {said}
        </p>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Saving…' : wall === null ? 'Create wall' : 'Save wall'}
        </button>
      </footer>
    </form>
  );
}
