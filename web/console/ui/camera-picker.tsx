/** Cameras to add, found by name. */

import { useState } from 'preact/hooks';
import { type CameraItem, STATE_NAMES, stateOf } from '../camera-state.ts';
import { matcherOf } from '../matcher.ts';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';
import { SearchField } from './search-field.tsx';

/** More are found by typing. */
const SHOWN = 30;

export function CameraPicker({
  cameras,
  room,
  onPick,
}: {
  readonly cameras: readonly CameraItem[];
  /** How many can still be added. */
  readonly room: number;
  readonly onPick: (cameraUuid: string) => void;
}) {
  const [text, setText] = useState('');
  const isMatch = matcherOf(text);
  const found = cameras.filter(({ name }) => isMatch(name));
  return (
    <section class="part picker">
      <h2>{t('Add cameras')}</h2>
      <SearchField label={t('Find a camera')} value={text} onValue={setText} />
      {room === 0 && <p class="hint">{t('The wall is full. Remove a camera to add another.')}</p>}
      {found.length === 0 && (
        <p class="hint">{text === '' ? t('There are no other cameras.') : t('No camera matches.')}</p>
      )}
      <ul>
        {found.slice(0, SHOWN).map((camera) => {
          const state = stateOf(camera);
          return (
            <li key={camera.uuid}>
              <span class={`sign ${state}`} title={STATE_NAMES[state]}>
                {camera.name}
              </span>
              <button
                type="button"
                class="quiet icon-only"
                aria-label={t('Add {name}', { name: camera.name })}
                disabled={room === 0}
                onClick={() => onPick(camera.uuid)}
              >
                <Icon name="plus" />
              </button>
            </li>
          );
        })}
      </ul>
      {found.length > SHOWN && (
        <p class="hint">{t('{count} more: type a part of the name.', { count: found.length - SHOWN })}</p>
      )}
    </section>
  );
}
