/** Settings: what is in effect and why, edits of it, the last changes, and the file's check and reload. */

import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import {
  type ConfigFindings,
  checkConfig,
  type ReloadOutcome,
  readSettings,
  reloadConfig,
  type Setting,
  type Settings,
} from '../gateway-state.ts';
import { matcherOf } from '../matcher.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { groupOf, SETTING_GROUPS, type SettingGroup, settingsReadAgain, titleOf } from '../settings-edit.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { RestartNotice } from '../ui/restart-notice.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Select } from '../ui/select.tsx';
import { SettingsForm } from '../ui/settings-form.tsx';
import { SettingsHistory } from '../ui/settings-history.tsx';
import { useAction } from '../ui/use-action.ts';
import { useSettingDrafts } from '../ui/use-setting-drafts.ts';
import { t, tRich } from '../words.ts';

const SOURCES = [
  { value: 'all', title: t('All settings') },
  { value: 'set', title: t('What is set') },
  { value: 'console', title: t('What was changed here') },
  { value: 'pending', title: t('What waits for a restart') },
];

const FILTERS: Readonly<Record<string, (setting: Setting) => boolean>> = {
  set: ({ source }) => source !== 'default',
  console: ({ isInConsole }) => isInConsole,
  pending: ({ isPending }) => isPending,
  all: () => true,
};

export function SettingsPage() {
  usePageTitle(t('Settings'));
  const reading = useReading(readSettings, [], ({ entity }) => entity === 'GATEWAY_SETTINGS');
  return (
    <>
      <h1>{t('Settings')}</h1>
      <ReadingView reading={reading} what={t('the settings')}>
        {(settings) => (
          <>
            <RestartNotice settings={settings} />
            <SettingGroups
              settings={settings}
              refresh={() => reading.refresh()}
              onRefused={() => settingsReadAgain(reading)}
            />
            <SettingsHistory revision={settings.revision} onReverted={() => reading.refresh()} />
            <ConfigFile file={settings.file ?? null} reloaded={() => reading.refresh()} />
          </>
        )}
      </ReadingView>
    </>
  );
}

function SettingGroups({
  settings,
  refresh,
  onRefused,
}: {
  readonly settings: Settings;
  readonly refresh: () => void;
  readonly onRefused: () => Promise<void>;
}) {
  const { drafts, saved, onDraft, onSaved } = useSettingDrafts(refresh);
  const { query } = useLocation();
  const [text, setText] = useState('');
  // The search of the console leads to one setting.
  useEffect(() => setText(query.text ?? ''), [query.text]);
  const [filter, setFilter] = useState('all');
  const matches = matcherOf(text);
  const isNarrowed = text.trim() !== '' || filter !== 'all';
  const isShown = (setting: Setting) =>
    FILTERS[filter]!(setting) &&
    matches(`${setting.path} ${titleOf(setting.path)} ${setting.meaning} ${groupOf(setting.path).title}`);
  const shown = settings.settings.filter(isShown);
  return (
    <section class="part">
      <p>
        {t(
          'What you save here takes precedence over the configuration file, which stays as it is. Environment variables take precedence over both.',
        )}
      </p>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <SearchField label={t('Search settings')} value={text} onValue={setText} />
        <Select label={t('Which settings')} value={filter} options={SOURCES} onValue={setFilter} />
        <p class="count" role="status">
          {t('{shown} of {count}', { shown: shown.length, count: settings.settings.length })}
        </p>
      </form>
      <p role="status" class={saved === '' ? 'off-screen' : 'saved'}>
        {saved}
      </p>
      {shown.length === 0 && <Notice title={t('No setting matches')} />}
      {SETTING_GROUPS.map((group) => {
        const all = settings.settings.filter(({ path }) => groupOf(path) === group);
        const found = all.filter(isShown);
        if (found.length === 0) return null;
        if (group.page !== undefined) return <GroupElsewhere key={group.title} group={group} />;
        const edited = all.filter(({ path }) => drafts[path] !== undefined).length;
        return (
          <details class="setting-group" key={`${group.title} ${isNarrowed}`} open={isNarrowed || edited > 0}>
            <summary>
              <h2>{group.title}</h2>
              <span class="hint">{group.hint}</span>
              {edited > 0 && <span class="badge">{t('Not saved')}</span>}
            </summary>
            <SettingsForm
              group={group}
              settings={all}
              shown={found}
              revision={settings.revision}
              drafts={drafts}
              onDraft={onDraft}
              onRefused={onRefused}
              onSaved={onSaved}
            />
          </details>
        );
      })}
    </section>
  );
}

/** Settings that have a page with what belongs to them. */
function GroupElsewhere({ group: { title, hint, page } }: { readonly group: SettingGroup }) {
  return (
    <a class="setting-group elsewhere" href={place(page ?? '')}>
      <h2>{title}</h2>
      <span class="hint">{hint}</span>
    </a>
  );
}

type Result =
  | { readonly kind: 'checked'; readonly findings: ConfigFindings }
  | { readonly kind: 'reloaded'; readonly outcome: ReloadOutcome };

function ConfigFile({ file, reloaded }: { readonly file: string | null; readonly reloaded: () => void }) {
  const { isBusy, error, run } = useAction();
  const [result, setResult] = useState<Result | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  if (file === null) {
    return (
      <section class="part">
        <h2>{t('Configuration file')}</h2>
        <p class="hint">
          {tRich(
            'There is none. To have one, put a <code>sluice.yaml</code> where the gateway starts, and restart it.',
            { code: (text) => <code>{text}</code> },
          )}
        </p>
      </section>
    );
  }
  return (
    <section class="part">
      <h2>{t('Configuration file')}</h2>
      <p class="break">{tRich('The gateway reads {code}.', { code: <code>{file}</code> })}</p>
      <div class="buttons">
        <button
          type="button"
          disabled={isBusy}
          onClick={() => void run(async () => setResult({ kind: 'checked', findings: await checkConfig() }))}
        >
          {t('Check the file')}
        </button>
        <button type="button" disabled={isBusy} onClick={() => setIsAsking(true)}>
          {t('Reload the file')}
        </button>
      </div>
      <div role="status">{result !== null && <ResultText result={result} />}</div>
      <FormError error={error} />
      {isAsking && (
        <FormDialog
          title={t('Reload the configuration?')}
          submit={t('Reload')}
          onSubmit={async () => {
            setResult({ kind: 'reloaded', outcome: await reloadConfig() });
            setIsAsking(false);
            reloaded();
          }}
          onClose={() => setIsAsking(false)}
        >
          <p>
            {t(
              'Cameras that the file no longer has are closed, and changed ones are opened again. Everyone else notices nothing. An invalid file changes nothing.',
            )}
          </p>
        </FormDialog>
      )}
    </section>
  );
}

function ResultText({ result }: { readonly result: Result }) {
  if (result.kind === 'reloaded') {
    const { cameras, applied, needsRestart } = result.outcome;
    return (
      <p>
        {t('Reloaded: {created} cameras are new, {updated} changed, {removed} are gone.', {
          created: cameras.created,
          updated: cameras.updated,
          removed: cameras.removed,
        })}{' '}
        {applied.length > 0 && t('In effect: {applied}.', { applied: applied.join(', ') })}{' '}
        {needsRestart.length > 0 &&
          t('Waiting for a restart: {needsRestart}.', { needsRestart: needsRestart.join(', ') })}
      </p>
    );
  }
  const { isValid, findings, findingCount } = result.findings;
  if (isValid) return <p>{t('The file is valid.')}</p>;
  return (
    <>
      <p>
        {t('{count, plural, one {One thing is wrong:} other {# things are wrong:}}', { count: findingCount })}
      </p>
      <ul class="findings">
        {findings.map(({ path, line, sentence }) => (
          <li class="error" key={`${path} ${line}`}>
            {line !== undefined && <b>{t('Line {line}:', { line })} </b>}
            {sentence}
          </li>
        ))}
      </ul>
    </>
  );
}
