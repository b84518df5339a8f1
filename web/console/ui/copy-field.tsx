/** A text to take away, such as a link or a key: all of it can be selected, and a button copies it. */

import { useId, useRef, useState } from 'preact/hooks';
import { copyText } from '../copy.ts';
import { Icon } from './icon.tsx';

export function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState('');
  const copy = async () => {
    if (await copyText(value)) {
      setSaid('Copied');
      return;
    }
    field.current!.select();
    setSaid('Selected: copy it with your keyboard');
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="copy-field">
        <input
          id={id}
          ref={field}
          readOnly
          value={value}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <button type="button" onClick={() => void copy()}>
          <Icon name="copy" /> Copy
        </button>
      </div>
      <p class="hint" role="status">
        {said}
      </p>
    </div>
  );
}
