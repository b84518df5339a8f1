/** The last changes of settings, each of which can be undone. */

import { useState } from 'preact/hooks';
import { useReading } from '../reading.ts';
import { readSettingsChanges, revertSettings, type Saved, type SettingsChange } from '../settings-edit.ts';
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
      <h2>Last changes</h2>
      <ReadingView reading={reading} what="the last changes">
        {({ changes, revision: current }) => (
          <>
            {changes.length === 0 && (
              <p class="hint">Nothing has been changed here. The file has everything.</p>
            )}
            <ol class="setting-changes">
              {changes.map((change) => (
                <li key={change.revision}>
                  <div>
                    <p>
                      <b class="break">{change.actorName}</b> <TimeAgo epochMs={change.changedAtMs} />
                      {change.revertsRevision !== undefined && ', as an undo'}
                    </p>
                    <Changed settings={change.settings} />
                  </div>
                  <button
                    type="button"
                    onClick={() => setUndone(change)}
                    aria-label={`Undo ${namesOf(change)}`}
                  >
                    Undo
                  </button>
                </li>
              ))}
            </ol>
            {undone !== null && (
              <FormDialog
                title="Undo this change?"
                submit="Undo"
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
  if (!isInConsole) return 'what the file has';
  if (isSecret) return 'a secret';
  if (value === undefined) return 'no value';
  return value === '' ? 'none' : value;
}
