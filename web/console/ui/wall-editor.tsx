/** Changes a wall: its name, its cameras, their order by mouse or keyboard, its layout and tour. */

import { useMemo, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type CameraItem, STATE_NAMES, stateOf } from '../camera-state.ts';
import { place } from '../places.ts';
import { cameraOf, fittingColumns, MAX_WALL_CAMERAS, saveWall, type Wall } from '../wall-list.ts';
import { t } from '../words.ts';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { LayoutFields, LayoutPlaces } from './layout-fields.tsx';
import { OptionList } from './option-list.tsx';
import { OrderedCameras } from './ordered-cameras.tsx';
import { TilePicture } from './tile-picture.tsx';
import { useAction } from './use-action.ts';

const MAX_NAME_LENGTH = 256;
const AUTOMATIC: Wall['layout'] = { kind: 'AUTOMATIC', cells: [], tourSec: 0 };

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
  const [layout, setLayout] = useState<Wall['layout']>(wall?.layout ?? AUTOMATIC);
  const [said, setSaid] = useState('');
  const { isBusy, error, run } = useAction();
  const { route } = useLocation();
  const known = new Map(cameras.map((camera) => [camera.uuid, camera]));
  const nameOf = (cameraUuid: string) => known.get(cameraUuid)?.name ?? t('Removed camera');
  const pictureOf = (cameraUuid: string) => <TilePicture camera={known.get(cameraUuid)} />;
  const cameraUuids = devices.map(cameraOf);
  const room = MAX_WALL_CAMERAS - devices.length;
  const options = useMemo(
    () =>
      cameras.map((camera) => {
        const state = stateOf(camera);
        return {
          value: camera.uuid,
          title: camera.name,
          ...(state === 'offline' ? { note: STATE_NAMES[state] } : {}),
        };
      }),
    [cameras],
  );
  const save = () =>
    run(async () => {
      setSaid('');
      const cells = layout.cells.filter(({ cameraUuid }) => cameraUuids.includes(cameraUuid));
      const draft = { name: name.trim(), deviceList: devices, layout: { ...layout, cells } };
      const uuid = await saveWall(wall, draft);
      if (wall === null) {
        route(place(`walls/${uuid}`), true);
      } else {
        setSaid(t('Saved'));
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
        <TextField label={t('Name')} isRequired maxLength={MAX_NAME_LENGTH} value={name} onValue={setName} />
        <LayoutFields layout={layout} cameraUuids={cameraUuids} onLayout={setLayout} />
      </div>
      <LayoutPlaces {...{ layout, cameraUuids, nameOf, pictureOf }} onLayout={setLayout} />
      <div class="wall-cameras">
        <OrderedCameras
          devices={devices}
          nameOf={(device) => nameOf(cameraOf(device))}
          pictureOf={(device) => pictureOf(cameraOf(device))}
          columns={fittingColumns(devices.length)}
          onChange={setDevices}
        />
        <section class="part">
          <h2>{t('Choose cameras')}</h2>
          {cameras.length === 0 && <p class="hint">{t('There are no cameras yet')}</p>}
          {room === 0 && <p class="hint">{t('The wall is full. Remove a camera to add another.')}</p>}
          {cameras.length > 0 && (
            <div class="option-box">
              <OptionList
                label={t('Cameras')}
                options={options}
                chosen={new Set(cameraUuids)}
                isMultiple
                hasRoom={room > 0}
                onPick={(uuid) =>
                  setDevices(
                    cameraUuids.includes(uuid)
                      ? devices.filter((device) => cameraOf(device) !== uuid)
                      : [...devices, uuid],
                  )
                }
              />
            </div>
          )}
        </section>
      </div>
      <FormError error={error} />
      <footer class="save-bar">
        <p class="hint" role="status">
          {said}
        </p>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? t('Saving…') : wall === null ? t('Create wall') : t('Save wall')}
        </button>
      </footer>
    </form>
  );
}
