/** Changes: dialogs that make them, and what is said when they fail. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { CallError } from '../api.ts';
import { Dialog } from './dialog.tsx';

/**
 * A dialog that changes something. `onSubmit` closes it at its end. If it fails with a CallError, the dialog stays and shows
 * that.
 */
export function FormDialog({
  title,
  submit,
  isDanger = false,
  onSubmit,
  onClose,
  children,
}: {
  readonly title: string;
  /** On the button, such as "Create key". */
  readonly submit: string;
  readonly isDanger?: boolean;
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}) {
  const { isBusy, error, run } = useChange();
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
          {error !== null && <ChangeError error={error} />}
        </div>
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={isDanger ? 'danger' : 'primary'} disabled={isBusy}>
            {isBusy ? 'One moment…' : submit}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** One change at a time, and why the last one failed. */
export function useChange() {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const run = async (work: () => Promise<void>): Promise<void> => {
    setIsBusy(true);
    setError(null);
    try {
      await work();
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown;
      setError(thrown);
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, error, run };
}

export function ChangeError({ error }: { readonly error: CallError }) {
  return (
    <p class="form-error" role="alert">
      {error.message}
      {error.retryAfterSec !== null && ` Try again in ${error.retryAfterSec} s.`}
      {error.requestId !== null && (
        <span class="request-id">
          {' '}
          Request <code>{error.requestId}</code>
        </span>
      )}
    </p>
  );
}
