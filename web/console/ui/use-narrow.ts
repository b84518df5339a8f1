/** Whether the console is shown on something as narrow as a phone: rows then have another height. */

import { useMatch } from './use-match.ts';

/** The same width as in the style sheets. */
const NARROW = matchMedia('(max-width: 720px)');

export function useNarrow(): boolean {
  return useMatch(NARROW);
}
