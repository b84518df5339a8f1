/** The gateway's own OpenID Connect provider: settings of the gateway, for those who may read them. */

import { readSettings, type Settings } from '../gateway-state.ts';
import { useReading } from '../reading.ts';
import { groupOf, OIDC_SETTINGS, settingsReadAgain } from '../settings-edit.ts';
import { t } from '../words.ts';
import { CopyField } from './copy-field.tsx';
import { ReadingView } from './reading-view.tsx';
import { RestartNotice } from './restart-notice.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useSettingDrafts } from './use-setting-drafts.ts';

const FORBIDDEN = 403;

export function OidcPart() {
  const reading = useReading(readSettings, [], ({ entity }) => entity === 'GATEWAY_SETTINGS');
  const { drafts, saved, onDraft, onSaved } = useSettingDrafts(reading.refresh);
  const state = reading.state.value;
  // Administrators of other organizations have those of their own: this provider is the whole gateway's.
  if (state.kind === 'failed' && state.error.status === FORBIDDEN) return null;
  return (
    <section class="part" aria-labelledby="oidc">
      <h2 id="oidc">{t('The provider of this gateway')}</h2>
      <p>
        {t(
          'One OpenID Connect provider for all people of this gateway, such as Google or Entra ID. It says who someone is; people are invited as usual, or its groups decide their role.',
        )}
      </p>
      <ReadingView reading={reading} what={t('the settings')}>
        {(settings) => {
          const own = settings.settings.filter(({ path }) => groupOf(path) === OIDC_SETTINGS);
          return (
            <>
              <RestartNotice settings={settings} />
              <h3>{t('Give this to the provider')}</h3>
              <CopyField label={t('Redirect address')} value={addressOf(settings, 'oidc/callback')} />
              <CopyField label={t('Address after signing out')} value={addressOf(settings, '')} />
              <h3>{t('What the provider gave us')}</h3>
              <p role="status" class={saved === '' ? 'off-screen' : 'saved'}>
                {saved}
              </p>
              <SettingsForm
                group={OIDC_SETTINGS}
                settings={own}
                shown={own}
                revision={settings.revision}
                drafts={drafts}
                hasKeys={false}
                onDraft={onDraft}
                onRefused={() => settingsReadAgain(reading)}
                onSaved={onSaved}
              />
            </>
          );
        }}
      </ReadingView>
    </section>
  );
}

/** As people open the console from outside. */
function addressOf({ settings }: Settings, path: string): string {
  const base = settings.find((setting) => setting.path === 'public.apiUrl')?.value ?? location.origin;
  return `${base.replace(/\/$/, '')}/console/${path}`;
}
