/** Edits of settings that are not saved yet, and what the last save did. */

import { useState } from 'preact/hooks';
import type { Draft, Drafts, Saved } from '../settings-edit.ts';
import { t } from '../words.ts';

export interface SettingDrafts {
  readonly drafts: Drafts;
  /** Empty: nothing was saved yet. */
  readonly saved: string;
  readonly onDraft: (path: string, draft: Draft | undefined) => void;
  readonly onSaved: (saved: Saved, paths: readonly string[]) => void;
}

/** `refresh`: reads the settings again. */
export function useSettingDrafts(refresh: () => void): SettingDrafts {
  const [drafts, setDrafts] = useState<Drafts>({});
  const [saved, setSaved] = useState('');
  return {
    drafts,
    saved,
    onDraft: (path, draft) =>
      setDrafts(({ [path]: _before, ...rest }) => (draft === undefined ? rest : { ...rest, [path]: draft })),
    onSaved: ({ needsRestart }, paths) => {
      setDrafts((all) => Object.fromEntries(Object.entries(all).filter(([path]) => !paths.includes(path))));
      const waits = needsRestart.some((path) => paths.includes(path));
      setSaved(waits ? t('Saved. A restart applies it.') : t('Saved and in effect.'));
      refresh();
    },
  };
}
