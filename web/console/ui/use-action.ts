/** Something that a person starts with a click or a key: one at a time, with what went wrong. */

import { useRef, useState } from 'preact/hooks';
import { CallError } from '../api.ts';

export interface Action {
  readonly isBusy: boolean;
  /** Error of the last run; null: it succeeded, or is still running. */
  readonly error: CallError | null;
  /** Does nothing while one is running. */
  readonly run: (work: () => Promise<void>) => Promise<void>;
}

export function useAction(): Action {
  const isRunning = useRef(false);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const run = async (work: () => Promise<void>) => {
    // A second click can come before the page shows that the first one did something.
    if (isRunning.current) return;
    isRunning.current = true;
    setIsBusy(true);
    setError(null);
    try {
      await work();
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown;
      setError(thrown);
    } finally {
      isRunning.current = false;
      setIsBusy(false);
    }
  };
  return { isBusy, error, run };
}
