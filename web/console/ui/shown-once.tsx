/** What was created and is shown only now: a key, a token, a secret. */

import type { ComponentChildren } from 'preact';
import { t } from '../words.ts';
import { CopyField } from './copy-field.tsx';
import { Dialog } from './dialog.tsx';
import { DialogFooter } from './dialog-footer.tsx';

export function ShownOnce({
  title,
  values,
  onClose,
  children = t('Copy it now. It is shown only this once: the gateway does not keep it in a readable form.'),
}: {
  readonly title: string;
  readonly values: readonly (readonly [label: string, value: string])[];
  readonly onClose: () => void;
  /** What to know about it. */
  readonly children?: ComponentChildren;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="dialog-body">
        <p>{children}</p>
        {values.map(([label, value]) => (
          <CopyField key={label} label={label} value={value} />
        ))}
      </div>
      <DialogFooter>
        <button type="button" class="primary" onClick={onClose}>
          {t('I have copied it')}
        </button>
      </DialogFooter>
    </Dialog>
  );
}
