/** A camera whose device pushes its video: it gets a key, which is shown once. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Choices, createPushedCamera, NO_PLACE, type PushedCamera } from '../camera-adding.ts';
import { cameraPlace } from '../camera-places.ts';
import { onceKeeper } from '../in-turn.ts';
import { session } from '../session.ts';
import { t, tRich } from '../words.ts';
import { PlaceFields } from './camera-place-fields.tsx';
import { CopyField } from './copy-field.tsx';
import { FormError } from './form-error.tsx';
import { useAction } from './use-action.ts';

export function PushForm({ choices }: { readonly choices: Choices }) {
  const [where, setWhere] = useState(NO_PLACE);
  const [nameError, setNameError] = useState<string | null>(null);
  const [made, setMade] = useState<PushedCamera | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const change = useAction();
  const once = useMemo(onceKeeper, []);
  if (made !== null) return <PushedKey camera={made} name={where.name} />;
  return (
    <form
      class="form sheet narrow"
      noValidate
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (where.name.trim() === '') {
          setNameError(t('Enter a name for the camera.'));
          form.current!.querySelector<HTMLElement>('[name="name"]')?.focus();
          return;
        }
        void change.run(async () => setMade(await createPushedCamera(where, once(where))));
      }}
    >
      <PlaceFields
        where={where}
        choices={choices}
        nameError={nameError}
        onPlace={(next) => {
          setNameError(null);
          setWhere(next);
        }}
      />
      <FormError error={change.error} />
      <footer>
        <button type="submit" class="primary" disabled={change.isBusy}>
          {change.isBusy ? t('Adding…') : t('Add camera')}
        </button>
      </footer>
    </form>
  );
}

function PushedKey({ camera, name }: { readonly camera: PushedCamera; readonly name: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current!.focus(), []);
  const { deviceUuid, publishKey } = camera;
  const host = new URL(session.value?.publicMediaUrl ?? location.href).hostname;
  return (
    <section class="form sheet narrow">
      <h2 ref={heading} tabIndex={-1} class="break">
        {t('{name} waits for its device', { name })}
      </h2>
      <p>
        {t(
          'Enter these in the device. The key is shown only now; another one takes its place if you lose it.',
        )}
      </p>
      <CopyField label={t('Server')} value={`rtmp://${host}:1935/live`} />
      <CopyField label={t('Stream key')} value={publishKey} />
      <p class="hint">
        {tRich(
          'The port is that of <code>rtmp.listen</code> in sluice.yaml, without which the gateway does not listen. Set the device to H.264 or H.265 with a key frame every 2 s or less.',
          { code: (text) => <code>{text}</code> },
        )}
      </p>
      <footer>
        <a class="button primary" href={cameraPlace(deviceUuid.split('.')[0]!)}>
          {t('Open its page')}
        </a>
      </footer>
    </section>
  );
}
