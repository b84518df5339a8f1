/** The time, for what changes with it. */

import { useEffect, useState } from 'preact/hooks';

/** Epoch milliseconds, new every `everyMs`. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}
