/** The time, for what changes with it. */

import { useEffect, useState } from 'preact/hooks';
import { gatewayNowMs } from '../gateway-clock.ts';

/** Epoch milliseconds, new every `everyMs`. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(gatewayNowMs);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(gatewayNowMs()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}
