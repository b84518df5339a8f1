/** Dialogs that change something. */

import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.tsx';
import { DialogFooter, SubmitButton } from './dialog-footer.tsx';
import { FormError } from './form-error.tsx';
import { useAction } from './use-action.ts';

/**
 * A dialog that changes something. `onSubmit` closes it at its end. If it fails with a CallError, the dialog stays and shows
 * that.
 */
export function FormDialog({
  title,
  submit,
  isDanger = false,
  isReady = true,
  onSubmit,
  onClose,
  children,
}: {
  readonly title: string;
  /** On the button, such as "Create key". */
  readonly submit: string;
  readonly isDanger?: boolean;
  /** False: something is missing, and the form says what. */
  readonly isReady?: boolean;
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}) {
  const { isBusy, error, run } = useAction();
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(onSubmit);
        }}
      >
        <div class="dialog-body">
          {children}
          <FormError error={error} />
        </div>
        <DialogFooter onBack={onClose}>
          <SubmitButton text={submit} isBusy={isBusy} isDanger={isDanger} isReady={isReady} />
        </DialogFooter>
      </form>
    </Dialog>
  );
}
