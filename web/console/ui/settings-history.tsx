/** The last changes of settings, each of which can be undone. */

import { useState } from 'preact/hooks';
import { useReading } from '../reading.ts';
import { readSettingsChanges, revertSettings, type Saved, type SettingsChange } from '../settings-edit.ts';
import { t } from '../words.ts';
import { FormDialog } from './form-dialog.tsx';
import { ReadingView } from './reading-view.tsx';
import { TimeAgo } from './time.tsx';

type ChangedSetting = SettingsChange['settings'][number];

export function SettingsHistory({
  revision,
  onReverted,
}: {
  /** Another one is read again. */
  readonly revision: number;
  readonly onReverted: (saved: Saved) => void;
}) {
  const reading = useReading(readSettingsChanges, [revision]);
  const [undone, setUndone] = useState<SettingsChange | null>(null);
  return (
    <section class="part">
      <h2>{t('Last changes')}</h2>
      <ReadingView reading={reading} what={t('the last changes')}>
        {({ changes, revision: current }) => (
          <>
            {changes.length === 0 && (
              <p class="hint">{t('Nothing has been changed here. The file has everything.')}</p>
            )}
            <ol class="setting-changes">
              {changes.map((change) => (
                <li key={change.revision}>
                  <div>
                    <p>
                      <b class="break">{change.actorName}</b> <TimeAgo epochMs={change.changedAtMs} />
                      {change.revertsRevision !== undefined && `, ${t('as an undo')}`}
                    </p>
                    <Changed settings={change.settings} />
                  </div>
                  <button
                    type="button"
                    onClick={() => setUndone(change)}
                    aria-label={t('Undo {names}', { names: namesOf(change) })}
                  >
                    {t('Undo')}
                  </button>
                </li>
              ))}
            </ol>
            {undone !== null && (
              <FormDialog
                title={t('Undo this change?')}
                submit={t('Undo')}
                onSubmit={async () => {
                  onReverted(await revertSettings(current, undone.revision));
                  setUndone(null);
                }}
                onClose={() => setUndone(null)}
              >
                <Changed settings={undone.settings} isUndone />
              </FormDialog>
            )}
          </>
        )}
      </ReadingView>
    </section>
  );
}

function namesOf({ settings }: SettingsChange): string {
  return settings.map(({ path }) => path).join(', ');
}

function Changed({
  settings,
  isUndone = false,
}: {
  readonly settings: readonly ChangedSetting[];
  readonly isUndone?: boolean;
}) {
  return (
    <ul class="comparison">
      {settings.map((setting) => {
        const before = valueText(setting.wasInConsole, setting.before, setting.isSecret);
        const after = valueText(setting.isInConsole, setting.after, setting.isSecret);
        return (
          <li key={setting.path}>
            <code>{setting.path}</code>
            <p>
              <del>{isUndone ? after : before}</del>
              <span aria-hidden="true"> → </span>
              <ins>{isUndone ? before : after}</ins>
            </p>
          </li>
        );
      })}
    </ul>
  );
}

function valueText(isInConsole: boolean, value: string | undefined, isSecret: boolean): string {
  if (!isInConsole) return t('what the file has');
  if (isSecret) return t('a secret');
  if (value === undefined) return t('no value');
  return value === '' ? t('none') : value;
}
