/** Saves what lets others in, after a comparison, and offers the restart that applies it. */

import { useState } from 'preact/hooks';
import { readSettings, type Setting } from '../gateway-state.ts';
import { saveSettings } from '../settings-edit.ts';
import type { Edit } from '../setup-edits.ts';
import { t, tRich } from '../words.ts';
import { FormDialog } from './form-dialog.tsx';
import { RestartDialog } from './restart-dialog.tsx';
import { SettingComparison } from './setting-comparison.tsx';
import { StateLine } from './step.tsx';

export function SaveSetup({
  settings,
  edits,
  terms,
}: {
  readonly settings: readonly Setting[];
  /** Null: something is missing. */
  readonly edits: readonly Edit[] | null;
  /** Whether saving agrees to the terms of Let’s Encrypt. */
  readonly terms: boolean;
}) {
  const [opened, setOpened] = useState<'none' | 'comparison' | 'restart'>('none');
  const [state, setState] = useState<'none' | 'saved' | 'unseen'>('none');
  return (
    <>
      {state === 'saved' && (
        <StateLine kind="waiting">{t('Saved. A restart of the gateway applies it.')}</StateLine>
      )}
      {state === 'unseen' && (
        <StateLine kind="bad">
          {t('The gateway has not responded at this address for 90 seconds. Look at its log.')}
        </StateLine>
      )}
      <div class="buttons">
        <button
          type="button"
          class={state === 'saved' ? '' : 'primary'}
          disabled={edits === null}
          onClick={() => setOpened('comparison')}
        >
          {t('Save these settings…')}
        </button>
        {state === 'saved' && (
          <button type="button" class="primary" onClick={() => setOpened('restart')}>
            {t('Restart the gateway…')}
          </button>
        )}
      </div>
      {opened === 'restart' && (
        <RestartDialog onUnseen={() => setState('unseen')} onClose={() => setOpened('none')} />
      )}
      {opened === 'comparison' && edits !== null && (
        <FormDialog
          title={t('Save these settings?')}
          submit={t('Save')}
          onSubmit={async () => {
            const { revision } = await readSettings(AbortSignal.timeout(30_000));
            await saveSettings(revision, edits);
            setState('saved');
            setOpened('none');
          }}
          onClose={() => setOpened('none')}
        >
          <SettingComparison edits={edits} settings={settings} />
          {terms && (
            <p>
              {tRich('By saving, you agree to the <link>terms of Let’s Encrypt</link>.', {
                link: (text) => (
                  <a href="https://letsencrypt.org/repository/" target="_blank" rel="noreferrer">
                    {text}
                  </a>
                ),
              })}
            </p>
          )}
        </FormDialog>
      )}
    </>
  );
}
