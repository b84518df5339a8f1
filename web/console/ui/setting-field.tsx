/** One setting: its meaning, a field for its value, and where the value in effect comes from. */

import { useId } from 'preact/hooks';
import type { Setting } from '../gateway-state.ts';
import { type Draft, isList, shownText, titleOf } from '../settings-edit.ts';
import { t } from '../words.ts';
import { PlainSelect } from './select.tsx';

const FLAG_WORDS: Readonly<Record<string, string>> = { true: t('Yes'), false: t('No') };

const LOCKS: Readonly<Record<NonNullable<Setting['lock']>, string>> = {
  environment: t('An environment variable sets it, so it cannot be changed here.'),
  start: t('The gateway needs it before it starts. Change it in the file.'),
  machine: t('It names a program or a folder of the machine. Change it in the file.'),
  record: t('Change it in the file.'),
};

export function SettingField({
  setting,
  draft,
  error,
  hasKey,
  onDraft,
}: {
  readonly setting: Setting;
  /** Undefined: untouched. */
  readonly draft: Draft | undefined;
  readonly error: string | null;
  /** The key in the file is shown, for those who write it. */
  readonly hasKey: boolean;
  readonly onDraft: (draft: Draft | undefined) => void;
}) {
  const id = useId();
  const { path, meaning, lock, isInConsole } = setting;
  const isLocked = lock !== undefined;
  const text = draft?.kind === 'text' ? draft.text : shownText(setting);
  const returnsToFile = draft?.kind === 'file';
  return (
    <div class={draft === undefined ? 'setting' : 'setting edited'} data-path={path}>
      <div class="setting-head">
        <label for={id}>{titleOf(path)}</label>
        {hasKey && <code>{path}</code>}
      </div>
      <p class="hint" id={`${id}-hint`}>
        {meaning}
      </p>
      <Control
        id={id}
        setting={setting}
        text={text}
        isDisabled={isLocked || returnsToFile}
        error={error}
        onText={(value) => onDraft({ kind: 'text', text: value })}
      />
      {error !== null && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      <p class="setting-source">
        <SourceText setting={setting} />
        {isLocked && <span>{LOCKS[lock]}</span>}
        {returnsToFile && <span>{t('Will be what the file has.')}</span>}
        {draft !== undefined && (
          <button
            type="button"
            class="quiet"
            onClick={() => onDraft(undefined)}
            aria-label={t('Leave as it is: {path}', { path })}
          >
            {t('Leave as it is')}
          </button>
        )}
        {draft === undefined && isInConsole && (
          <button
            type="button"
            class="quiet"
            onClick={() => onDraft({ kind: 'file' })}
            aria-label={t('Use the file’s value: {path}', { path })}
          >
            {t('Use the file’s value')}
          </button>
        )}
      </p>
    </div>
  );
}

function Control({
  id,
  setting,
  text,
  isDisabled,
  error,
  onText,
}: {
  readonly id: string;
  readonly setting: Setting;
  readonly text: string;
  readonly isDisabled: boolean;
  readonly error: string | null;
  readonly onText: (text: string) => void;
}) {
  const { choices, isSecret, isSet, expected, whenAbsent, defaultValue } = setting;
  const described = `${id}-hint${error === null ? '' : ` ${id}-error`}`;
  if (choices.length > 0) {
    const options = choices.map((value) => ({ value, title: FLAG_WORDS[value] ?? value }));
    const none = { value: '', title: t('Not set: {whenAbsent}', { whenAbsent: whenAbsent ?? '' }) };
    return (
      <PlainSelect
        label={setting.path}
        name={{ id, 'aria-describedby': described, ...(isDisabled ? { disabled: 'disabled' } : {}) }}
        value={text}
        options={defaultValue === undefined ? [none, ...options] : options}
        onValue={onText}
      />
    );
  }
  const empty = isSecret
    ? isSet
      ? t('Set. Type to replace it')
      : t('Not set')
    : t('Not set: {whenAbsent}', { whenAbsent: whenAbsent ?? t('nothing') });
  return (
    <input
      id={id}
      {...({ type: isSecret ? 'password' : 'text' } as { type: 'text' })}
      autocomplete={isSecret ? 'new-password' : 'off'}
      spellcheck={false}
      disabled={isDisabled}
      value={text}
      placeholder={
        isList(setting) && whenAbsent === undefined ? t('None. Separate several with commas') : empty
      }
      title={t('Expected: {expected}', { expected })}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
      aria-describedby={described}
      {...(error === null ? {} : { 'aria-invalid': true })}
    />
  );
}

function SourceText({ setting }: { readonly setting: Setting }) {
  const { source, line, variable, isPending, value, isSecret, isInConsole } = setting;
  const from = {
    default: t('Default'),
    environment: t('From the environment: {variable}', { variable: variable ?? '' }),
    file: line === undefined ? t('From the file') : t('From the file, line {line}', { line }),
    console: t('Set here'),
  }[source];
  return (
    <span>
      {isPending ? (
        <b>
          {isSecret
            ? t('Waits for a restart')
            : t('Waits for a restart. In effect now: {value}', { value: value ?? t('not set') })}
        </b>
      ) : (
        from
      )}
      {!isPending && isInConsole && source !== 'console' && `. ${t('What was saved here is not in effect')}`}
    </span>
  );
}
