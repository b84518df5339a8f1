/** Whether a media query matches, as it changes. */

import { useEffect, useState } from 'preact/hooks';

export function useMatch(query: MediaQueryList): boolean {
  const [isMatch, setIsMatch] = useState(query.matches);
  useEffect(() => {
    const look = () => setIsMatch(query.matches);
    // It may have changed since it was read.
    look();
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, [query]);
  return isMatch;
}
