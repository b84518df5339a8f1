/** What waits for a restart, and the restart. */

import { useState } from 'preact/hooks';
import type { Settings } from '../gateway-state.ts';
import { t } from '../words.ts';
import { RestartDialog } from './restart-dialog.tsx';

const IGNORED: Readonly<Record<NonNullable<Settings['ignoredBecause']>, string>> = {
  option: t(
    'The gateway was started without them. Correct what was wrong, and restart it here to use them again.',
  ),
  invalid: t('They do not fit the configuration file.'),
  unreadable: t('What was saved is damaged.'),
  start: t('The gateway did not start with them, so it runs with the file alone.'),
};

export function RestartNotice({ settings }: { readonly settings: Settings }) {
  const [isAsking, setIsAsking] = useState(false);
  const [isUnseen, setIsUnseen] = useState(false);
  const { ignoredBecause, ignoredDetail } = settings;
  const pending = settings.settings.filter(({ isPending }) => isPending).map(({ path }) => path);
  if (ignoredBecause === undefined && pending.length === 0) return null;
  return (
    <section class="restart-notice" aria-label={t('Waits for a restart')}>
      {ignoredBecause !== undefined ? (
        <>
          <h2>{t('The settings saved here are not in effect')}</h2>
          <p>{IGNORED[ignoredBecause]}</p>
          {ignoredDetail !== undefined && <p class="break">{ignoredDetail}</p>}
        </>
      ) : (
        <>
          <h2>
            {t('{count, plural, one {# setting waits for a restart} other {# settings wait for a restart}}', {
              count: pending.length,
            })}
          </h2>
          <p class="break">{pending.join(', ')}</p>
        </>
      )}
      <button type="button" class="primary" onClick={() => setIsAsking(true)}>
        {t('Restart the gateway…')}
      </button>
      {isUnseen && (
        <p class="form-error" role="alert">
          {t(
            'The gateway has not responded at this address for 90 seconds. If you changed its address, open the console there. Otherwise, look at its log.',
          )}
        </p>
      )}
      {isAsking && <RestartDialog onUnseen={() => setIsUnseen(true)} onClose={() => setIsAsking(false)} />}
    </section>
  );
}
