/** Cameras that answer an ONVIF scan: log in to several, see their streams, and add them in one step. */

import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type Choices, type Login, NO_PLACE } from '../camera-adding.ts';
import { cameraPlace } from '../camera-places.ts';
import { isAddable, isCheckable, MAX_ROWS, type OnvifRow, rowName } from '../onvif-rows.ts';
import { t } from '../words.ts';
import { PlaceFields } from './camera-place-fields.tsx';
import { Check } from './check.tsx';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { LoginFields } from './login-fields.tsx';
import { OnvifRowView } from './onvif-row-view.tsx';
import { SelectField } from './select.tsx';
import { type Together, useOnvifRows } from './use-onvif-rows.ts';

type Finder = ReturnType<typeof useOnvifRows>;

const NO_LOGIN: Login = { username: '', password: '' };

export function NetworkFinder({ choices }: { readonly choices: Choices }) {
  const finder = useOnvifRows();
  return (
    <div class="wizard">
      <FoundList finder={finder} />
      <div class="part follows">
        <LoginSheet finder={finder} />
        <AddSheet finder={finder} choices={choices} />
      </div>
    </div>
  );
}

function FoundList({ finder }: { readonly finder: Finder }) {
  const { rows, isWorking, scan, change } = finder;
  return (
    <div class="part">
      <div class="section-head">
        <h2 aria-live="polite">{scan.isBusy ? t('Looking for cameras…') : foundText(rows.length)}</h2>
        <button type="button" disabled={scan.isBusy || isWorking} onClick={scan.start}>
          {t('Look again')}
        </button>
      </div>
      <FormError error={scan.error} />
      {rows.length === 0 && !scan.isBusy && (
        <p class="hint">
          {t(
            'Turn on ONVIF in the cameras; many have it off. Cameras in another network do not hear the gateway: enter their addresses.',
          )}
        </p>
      )}
      {rows.length > 1 && !isWorking && (
        <Check
          label={t('Choose all that are new')}
          isChecked={rows.every((row) => row.isChosen || row.found.known || row.step.kind === 'added')}
          onCheck={finder.chooseAll}
        />
      )}
      {rows.length > 0 && (
        <ul class="found" aria-label={t('Cameras found')}>
          {rows.map((row) => (
            <OnvifRowView
              key={row.found.address}
              row={row}
              isWorking={isWorking}
              onChoose={(isChosen) => change(row.found.address, { isChosen })}
              onName={(name) => change(row.found.address, { name })}
              onProfile={(checked, token) => void finder.tryOther(row, checked, token)}
            />
          ))}
        </ul>
      )}
      <OtherAddress isFull={rows.length >= MAX_ROWS} onAddress={finder.put} />
    </div>
  );
}

function LoginSheet({ finder: { rows, isWorking, check } }: { readonly finder: Finder }) {
  const [login, setLogin] = useState(NO_LOGIN);
  const form = useRef<HTMLFormElement>(null);
  const checkable = rows.filter(isCheckable);
  const isRefused = rows.some(({ step }) => step.kind === 'failed' && step.isLogin);
  const submit = async () => {
    const refused = await check(checkable, login);
    if (refused !== null && refused > 0) {
      form.current!.querySelector<HTMLElement>('[name="password"]')?.focus();
    }
  };
  return (
    <form
      class="form sheet"
      noValidate
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h2>{t('1. Log in')}</h2>
      <LoginFields
        {...login}
        passwordHint={t('Every chosen camera gets it, once: choose only those that you know.')}
        error={isRefused ? t('Wrong user name or password. The cameras that refused it say so.') : null}
        onLogin={setLogin}
      />
      <footer>
        <button
          type="submit"
          class={rows.some(isAddable) ? '' : 'primary'}
          disabled={checkable.length === 0 || isWorking}
        >
          {t('Check {cameras}', { cameras: camerasText(checkable.length) })}
        </button>
      </footer>
    </form>
  );
}

function AddSheet({ finder, choices }: { readonly finder: Finder; readonly choices: Choices }) {
  const { route } = useLocation();
  const { rows, isWorking } = finder;
  const [where, setWhere] = useState(NO_PLACE);
  const [audio, setAudio] = useState<NonNullable<Together['audio']>>('auto');
  const addable = rows.filter(isAddable);
  const submit = async () => {
    const { locationUuid, nvrUuid } = where;
    const added = await finder.add(addable, { locationUuid, nvrUuid, audio });
    const [only] = added ?? [];
    if (only !== undefined && addable.length === 1) route(cameraPlace(only));
  };
  return (
    <form
      class="form sheet"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h2>{t('2. Add')}</h2>
      <PlaceFields where={where} choices={choices} hasName={false} onPlace={setWhere} />
      <SelectField
        label={t('Sound')}
        value={audio}
        options={[
          { value: 'auto', title: t('As browsers play it best') },
          { value: 'aac', title: t('Always AAC, converted by the gateway') },
          { value: 'off', title: t('None') },
        ]}
        onValue={setAudio}
      />
      <p class="hint">
        {t('The gateway keeps the login for video, and for ONVIF: motion, PTZ and the clock.')}
      </p>
      <p role="status">{endsText(rows)}</p>
      <footer>
        <button
          type="submit"
          class={addable.length === 0 ? '' : 'primary'}
          disabled={addable.length === 0 || isWorking}
        >
          {t('Add {cameras}', { cameras: camerasText(addable.length) })}
        </button>
      </footer>
    </form>
  );
}

function OtherAddress({
  isFull,
  onAddress,
}: {
  readonly isFull: boolean;
  readonly onAddress: (address: string) => void;
}) {
  const [address, setAddress] = useState('');
  return (
    <form
      class="beside"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const trimmed = address.trim();
        if (trimmed === '' || isFull) return;
        onAddress(trimmed);
        setAddress('');
      }}
    >
      <TextField
        label={t('Another address')}
        hint={t('An IP address, with its ONVIF port if that is not 80: 192.0.2.10:8000')}
        maxLength={64}
        value={address}
        onValue={setAddress}
      />
      <button type="submit" disabled={address.trim() === '' || isFull}>
        {t('Put on the list')}
      </button>
    </form>
  );
}

function foundText(count: number): string {
  if (count === 0) return t('No camera answered');
  return t('{count, plural, one {# camera} other {# cameras}}', { count });
}

function camerasText(count: number): string {
  return t('{count, plural, one {# camera} other {# cameras}}', { count });
}

/** Results for the cameras to add, with each failure by name. */
function endsText(rows: readonly OnvifRow[]): string {
  const added = rows.filter(({ step }) => step.kind === 'added').length;
  const refused = rows.filter(({ step }) => step.kind === 'ready' && step.refusal !== null);
  if (added + refused.length === 0) return '';
  const names = refused.map((row) => rowName(row)).join(', ');
  const text = t('{count, plural, one {# camera added.} other {# cameras added.}}', { count: added });
  return refused.length === 0 ? text : `${text} ${t('Not added: {names}.', { names })}`;
}
