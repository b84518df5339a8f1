/** Whether nobody has moved, pressed, or typed anything for a while: then controls and pointer are in the way of the picture. */

import { useEffect, useState } from 'preact/hooks';

const EVENTS = ['pointermove', 'pointerdown', 'keydown', 'focusin', 'wheel'] as const;

export function useIdle(afterMs: number): boolean {
  const [isIdle, setIsIdle] = useState(false);
  useEffect(() => {
    const left = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wake = () => {
      setIsIdle(false);
      clearTimeout(timer);
      timer = setTimeout(() => setIsIdle(true), afterMs);
    };
    for (const name of EVENTS) {
      document.addEventListener(name, wake, { passive: true, capture: true, signal: left.signal });
    }
    wake();
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [afterMs]);
  return isIdle;
}
