/** One group of settings as one form. What is risky is compared before it is saved. */

import { useState } from 'preact/hooks';
import { CallError } from '../api.ts';
import type { Setting } from '../gateway-state.ts';
import {
  checkSettings,
  type Draft,
  type Drafts,
  editsOf,
  isRisky,
  type Saved,
  type SettingGroup,
  saveSettings,
} from '../settings-edit.ts';
import { t } from '../words.ts';
import { FormDialog } from './form-dialog.tsx';
import { FormError } from './form-error.tsx';
import { SettingComparison } from './setting-comparison.tsx';
import { SettingField } from './setting-field.tsx';
import { useAction } from './use-action.ts';

/** Sentences by key; '' for those that no field of the form is about. */
type Faults = Readonly<Record<string, string>>;

export function SettingsForm({
  group,
  settings,
  shown,
  revision,
  drafts,
  hasKeys = true,
  onDraft,
  onSaved,
  onRefused,
}: {
  readonly group: SettingGroup;
  /** All of the group. */
  readonly settings: readonly Setting[];
  /** Those that the search found. */
  readonly shown: readonly Setting[];
  readonly revision: number;
  readonly drafts: Drafts;
  /** Their keys in the file are shown. */
  readonly hasKeys?: boolean;
  readonly onDraft: (path: string, draft: Draft | undefined) => void;
  readonly onSaved: (saved: Saved, paths: readonly string[]) => void;
  /** Perhaps because someone else saved in the meantime: reads the settings again, before anything else is saved. */
  readonly onRefused: () => Promise<void>;
}) {
  const { isBusy, error, run } = useAction();
  const [faults, setFaults] = useState<Faults>({});
  const [isComparing, setIsComparing] = useState(false);
  const edits = editsOf(settings, drafts);
  const save = async () => {
    try {
      onSaved(
        await saveSettings(revision, edits),
        edits.map(({ path }) => path),
      );
    } catch (thrown) {
      if (thrown instanceof CallError) await onRefused();
      throw thrown;
    }
  };
  const submit = () =>
    run(async () => {
      const { findings } = await checkSettings(edits);
      setFaults(faultsOf(findings, settings));
      if (findings.length > 0) return;
      if (edits.some(({ path }) => isRisky(path))) setIsComparing(true);
      else await save();
    });
  return (
    <form
      class="settings-form"
      aria-label={group.title}
      onSubmit={(event) => {
        event.preventDefault();
        if (edits.length > 0) void submit();
      }}
    >
      {shown.map((setting) => (
        <SettingField
          key={setting.path}
          setting={setting}
          draft={drafts[setting.path]}
          error={faults[setting.path] ?? null}
          hasKey={hasKeys}
          onDraft={(draft) => {
            setFaults(({ [setting.path]: _gone, ...rest }) => rest);
            onDraft(setting.path, draft);
          }}
        />
      ))}
      {faults[''] !== undefined && (
        <p class="form-error" role="alert">
          {faults['']}
        </p>
      )}
      <FormError error={error} />
      <footer>
        <button type="submit" class="primary" disabled={isBusy || edits.length === 0}>
          {isBusy ? t('Checking…') : saveText(edits.length)}
        </button>
      </footer>
      {isComparing && (
        <FormDialog
          title={t('Save these changes?')}
          submit={t('Save')}
          onSubmit={async () => {
            await save();
            setIsComparing(false);
          }}
          onClose={() => setIsComparing(false)}
        >
          <SettingComparison edits={edits} settings={settings} />
        </FormDialog>
      )}
    </form>
  );
}

function saveText(count: number): string {
  if (count === 0) return t('Save');
  return t('{count, plural, one {Save # change} other {Save # changes}}', { count });
}

function faultsOf(
  findings: readonly { readonly path: string; readonly sentence: string }[],
  settings: readonly Setting[],
): Faults {
  const faults: Record<string, string> = {};
  for (const { path, sentence } of findings) {
    const key = settings.some((setting) => setting.path === path) ? path : '';
    faults[key] = faults[key] === undefined ? sentence : `${faults[key]} ${sentence}`;
  }
  return faults;
}
