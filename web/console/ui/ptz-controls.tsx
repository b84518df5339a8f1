/** Moves a camera: arrows and zoom that act while they are held, and presets. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { CallError } from '../api.ts';
import {
  addPreset,
  canTurn,
  canZoom,
  goToPreset,
  moveCalls,
  type Ptz,
  type PtzState,
  readPtz,
  removePreset,
} from '../camera-ptz.ts';
import { HeldMove, PTZ_DIRECTIONS, type PtzDirection } from '../held-move.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { t, tIn } from '../words.ts';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { FormError } from './form-error.tsx';
import { Icon, type IconName } from './icon.tsx';
import { ErrorNotice } from './notice.tsx';
import { useAction } from './use-action.ts';

const MAX_NAME_CHARS = 64;

const ARROWS: readonly { readonly to: PtzDirection; readonly label: string; readonly icon: IconName }[] = [
  { to: 'up', label: tIn('direction', 'Up'), icon: 'up' },
  { to: 'left', label: t('Left'), icon: 'left' },
  { to: 'right', label: t('Right'), icon: 'right' },
  { to: 'down', label: tIn('direction', 'Down'), icon: 'down' },
];

export interface PtzHandle {
  readonly reading: ReadingHandle<Ptz>;
  /** Null: it cannot be moved, or that is not known yet. */
  readonly state: PtzState | null;
  readonly held: HeldMove;
  readonly failure: CallError | null;
  readonly goTo: (presetToken: string) => void;
}

/** `isOn`: the person may move it. The camera stops when the page loses the person: hidden, left, or without focus. */
export function usePtz(cameraUuid: string, isOn: boolean): PtzHandle {
  const reading = useReading<Ptz>(
    async (signal) => (isOn ? readPtz(cameraUuid, signal) : { kind: 'none' }),
    [cameraUuid, isOn],
  );
  const [failure, setFailure] = useState<CallError | null>(null);
  const failed = (error: unknown) => {
    if (!(error instanceof CallError)) throw error;
    setFailure(error);
  };
  const held = useMemo(() => new HeldMove(moveCalls(cameraUuid, failed)), [cameraUuid]);
  useEffect(() => {
    const release = () => held.release();
    const left = new AbortController();
    const { signal } = left;
    addEventListener('blur', release, { signal });
    addEventListener('pagehide', release, { signal });
    document.addEventListener('visibilitychange', release, { signal });
    return () => {
      left.abort();
      release();
    };
  }, [held]);
  const read = reading.state.value;
  const ptz = read.kind === 'read' ? read.value : null;
  return {
    reading,
    held,
    failure,
    state: ptz?.kind === 'ready' ? ptz.state : null,
    goTo: (presetToken) => {
      setFailure(null);
      goToPreset(cameraUuid, presetToken).catch(failed);
    },
  };
}

export function PtzPanel({ cameraUuid, ptz }: { readonly cameraUuid: string; readonly ptz: PtzHandle }) {
  const read = ptz.reading.state.value;
  if (read.kind === 'failed') {
    return (
      <section class="sheet ptz" aria-label={t('Move the camera')}>
        <h2>{t('Move')}</h2>
        <ErrorNotice error={read.error} retry={ptz.reading.refresh} />
      </section>
    );
  }
  const { state, held, failure } = ptz;
  if (state === null) return null;
  return (
    <section class="sheet ptz" aria-labelledby="ptz-title">
      <h2 id="ptz-title">{t('Move')}</h2>
      <div class="ptz-pad">
        {canTurn(state) && (
          <div class="ptz-arrows">
            {ARROWS.map(({ to, label, icon }) => (
              <HoldButton key={to} to={to} label={label} icon={icon} held={held} />
            ))}
          </div>
        )}
        {canZoom(state) && (
          <div class="ptz-zoom">
            <HoldButton to="closer" label={t('Zoom the lens in')} icon="plus" held={held} />
            <HoldButton to="wider" label={t('Zoom the lens out')} icon="minus" held={held} />
          </div>
        )}
      </div>
      <p class="hint">{t('Hold a button, or the arrow keys. PageUp and PageDown zoom.')}</p>
      <FormError error={failure} />
      <Presets cameraUuid={cameraUuid} state={state} onChanged={ptz.reading.refresh} />
    </section>
  );
}

/** Moves while it is pressed: with a pointer that stays on it, or with Space or Enter. */
function HoldButton({
  to,
  label,
  icon,
  held,
}: {
  readonly to: PtzDirection;
  readonly label: string;
  readonly icon: IconName;
  readonly held: HeldMove;
}) {
  const release = () => held.release();
  return (
    <button
      type="button"
      class={`square hold ${to}`}
      aria-label={label}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        // A finger would otherwise belong to the button wherever it goes.
        event.currentTarget.releasePointerCapture(event.pointerId);
        held.hold(PTZ_DIRECTIONS[to]);
      }}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onContextMenu={(event) => event.preventDefault()}
      onBlur={release}
      onKeyDown={(event) => {
        if (event.key !== ' ' && event.key !== 'Enter') return;
        event.preventDefault();
        if (!event.repeat) held.hold(PTZ_DIRECTIONS[to]);
      }}
      onKeyUp={(event) => {
        if (event.key === ' ' || event.key === 'Enter') release();
      }}
    >
      <Icon name={icon} />
    </button>
  );
}

function Presets({
  cameraUuid,
  state: { presets, maxPresets },
  onChanged,
}: {
  readonly cameraUuid: string;
  readonly state: PtzState;
  readonly onChanged: () => void;
}) {
  const [open, setOpen] = useState<'add' | 'remove' | null>(null);
  const { isBusy, error, run } = useAction();
  return (
    <div class="presets-of-camera">
      <h3>{t('Presets')}</h3>
      {presets.length === 0 && <p class="muted">{t('None yet.')}</p>}
      <ul>
        {presets.map(({ presetToken, name }, index) => (
          <li key={presetToken}>
            <button
              type="button"
              disabled={isBusy}
              {...(index < 9 ? { 'aria-keyshortcuts': String(index + 1) } : {})}
              onClick={() => void run(() => goToPreset(cameraUuid, presetToken))}
            >
              {index < 9 && <kbd>{index + 1}</kbd>} {name === '' ? presetToken : name}
            </button>
          </li>
        ))}
      </ul>
      <FormError error={error} />
      <p class="deeds">
        {presets.length < maxPresets && (
          <button type="button" class="quiet" onClick={() => setOpen('add')}>
            {t('Store this view')}
          </button>
        )}
        {presets.length > 0 && (
          <button type="button" class="quiet" onClick={() => setOpen('remove')}>
            {t('Remove a preset')}
          </button>
        )}
      </p>
      {open === 'add' && <AddDialog {...{ cameraUuid, onChanged }} onClose={() => setOpen(null)} />}
      {open === 'remove' && (
        <RemoveDialog {...{ cameraUuid, presets, onChanged }} onClose={() => setOpen(null)} />
      )}
    </div>
  );
}

interface PresetDialogProps {
  readonly cameraUuid: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

function AddDialog({ cameraUuid, onChanged, onClose }: PresetDialogProps) {
  const [name, setName] = useState('');
  return (
    <FormDialog
      title={t('Store where the camera looks now')}
      submit={t('Store preset')}
      onClose={onClose}
      onSubmit={async () => {
        await addPreset(cameraUuid, name.trim());
        onChanged();
        onClose();
      }}
    >
      <TextField label={t('Name')} isRequired maxLength={MAX_NAME_CHARS} value={name} onValue={setName} />
    </FormDialog>
  );
}

function RemoveDialog({
  cameraUuid,
  presets,
  onChanged,
  onClose,
}: PresetDialogProps & { readonly presets: PtzState['presets'] }) {
  const [chosen, setChosen] = useState(presets[0]?.presetToken ?? '');
  return (
    <FormDialog
      title={t('Remove a preset')}
      submit={t('Remove preset')}
      isDanger
      onClose={onClose}
      onSubmit={async () => {
        await removePreset(cameraUuid, chosen);
        onChanged();
        onClose();
      }}
    >
      <fieldset class="list-choice">
        <legend>{t('Which one?')}</legend>
        {presets.map(({ presetToken, name }) => (
          <label key={presetToken} class="check">
            <input
              type="radio"
              name="preset"
              checked={presetToken === chosen}
              onChange={() => setChosen(presetToken)}
            />
            {name === '' ? presetToken : name}
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}
