/** Something that a person starts with a click: one at a time, with what went wrong. */

import { useState } from 'preact/hooks';
import { CallError } from '../api.ts';

export interface Action {
  readonly isBusy: boolean;
  /** Of the last run; null: it went well, or is still running. */
  readonly error: CallError | null;
  /** Does nothing while one is running. */
  readonly run: (work: () => Promise<void>) => Promise<void>;
}

export function useAction(): Action {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const run = async (work: () => Promise<void>) => {
    if (isBusy) return;
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
