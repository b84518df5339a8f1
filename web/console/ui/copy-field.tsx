/** A text to copy, such as a link or a key: all of it can be selected, and a button copies it. */

import { useId } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';

export function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="copy-field">
        <input id={id} readOnly value={value} onFocus={({ currentTarget }) => currentTarget.select()} />
        <CopyButton
          what=""
          text={value}
          onFailed={() => document.querySelector<HTMLInputElement>(`#${CSS.escape(id)}`)?.select()}
        />
      </div>
    </div>
  );
}
