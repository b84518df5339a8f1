/** Pages of a wall, changed by hand or every few seconds. A tour stops when a person touches the wall. */

import { useEffect, useState } from 'preact/hooks';

/** As the gateway allows. */
export const MIN_TOUR_SEC = 5;
export const MAX_TOUR_SEC = 600;
export const DEFAULT_TOUR_SEC = 15;

export interface Tour {
  /** The page that is shown. */
  readonly page: number;
  /** It changes on its own, unless it is held. */
  readonly isOn: boolean;
  readonly turn: (by: 1 | -1) => void;
  readonly goTo: (page: number) => void;
  readonly toggle: () => void;
  readonly stop: () => void;
}

/** `pages`: how many. `everySec` 0: it does not begin on its own. `isHeld`: something else is forward, and the page waits. */
export function useTour(pages: number, everySec: number, isHeld: boolean): Tour {
  const [shown, setShown] = useState(0);
  const [isOn, setIsOn] = useState(everySec > 0);
  const page = pages === 0 ? 0 : Math.min(shown, pages - 1);
  // Someone set, or took away, the tour of the wall meanwhile.
  useEffect(() => setIsOn(everySec > 0), [everySec]);
  const isRunning = isOn && pages > 1 && !isHeld;
  useEffect(() => {
    if (!isRunning) return;
    const sec = everySec > 0 ? everySec : DEFAULT_TOUR_SEC;
    const timer = setTimeout(() => setShown((page + 1) % pages), sec * 1_000);
    return () => clearTimeout(timer);
  }, [isRunning, everySec, page, pages]);
  return {
    page,
    isOn: isOn && pages > 1,
    turn: (by) => setShown((page + by + pages) % Math.max(1, pages)),
    goTo: setShown,
    toggle: () => setIsOn(!isOn),
    stop: () => setIsOn(false),
  };
}
