/** Whether the dark color scheme is in effect. Style sheets know by themselves; what is drawn on a canvas does not. */

import { useMatch } from './use-match.ts';

const DARK = matchMedia('(prefers-color-scheme: dark)');

export function useDark(): boolean {
  return useMatch(DARK);
}
