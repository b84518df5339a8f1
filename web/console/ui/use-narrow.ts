/** Whether the console is shown on something as narrow as a phone: rows then have another height. */

import { useEffect, useState } from 'preact/hooks';

/** The same width as in the style sheets. */
const NARROW = matchMedia('(max-width: 720px)');

export function useNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const look = () => setIsNarrow(NARROW.matches);
    NARROW.addEventListener('change', look);
    return () => NARROW.removeEventListener('change', look);
  }, []);
  return isNarrow;
}
