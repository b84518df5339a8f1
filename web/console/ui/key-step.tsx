/** The step that makes an API key: shown once, with a call that works as it is. */

import { useState } from 'preact/hooks';
import { createKey } from '../api-keys.ts';
import { API_BASE, place } from '../places.ts';
import { t } from '../words.ts';
import { CopyField } from './copy-field.tsx';
import { FormError } from './form-error.tsx';
import { Step } from './step.tsx';
import { useAction } from './use-action.ts';

const KEY_NAME = t('First key');

export function KeyStep({
  number,
  keyNames,
  onCreated,
}: {
  readonly number: number;
  /** Keys that someone made. */
  readonly keyNames: readonly string[];
  readonly onCreated: () => void;
}) {
  const [made, setMade] = useState<string | null>(null);
  const { isBusy, error, run } = useAction();
  const create = () =>
    void run(async () => {
      const key = { displayName: KEY_NAME, role: 'operator', scope: undefined } as const;
      setMade(await createKey({ ...key, expiry: { kind: 'never' } }));
      onCreated();
    });
  return (
    <Step number={number} title={t('Get an API key')} isDone={keyNames.length > 0}>
      <p>
        {t(
          'Programs sign in with a key. The gateway shows it once, now, and cannot show it again. This one may do what an operator may; the page Keys makes others.',
        )}
      </p>
      {made !== null && (
        <>
          <CopyField label={t('API key')} value={made} />
          <CopyField label={t('A call that lists your cameras')} value={curlLine(made)} />
        </>
      )}
      <FormError error={error} />
      <div class="buttons">
        {made === null && (
          <button
            type="button"
            class={keyNames.length === 0 ? 'primary' : ''}
            disabled={isBusy}
            onClick={create}
          >
            {isBusy ? t('One moment…') : keyNames.length === 0 ? t('Create a key') : t('Create another key')}
          </button>
        )}
        {keyNames.length > 0 && (
          <a class="button" href={place('keys')}>
            {t('All keys')}
          </a>
        )}
      </div>
    </Step>
  );
}

function curlLine(key: string): string {
  const url = new URL('api/camera/getMinimalCameraStateList', API_BASE).href.replaceAll("'", '%27');
  return `curl -s '${url}' -H 'x-auth-apikey: ${key}' -d '{}'`;
}
