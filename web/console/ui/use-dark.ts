/** Whether the dark color scheme is in effect. Style sheets follow it automatically; drawings on a canvas do not. */

import { useMatch } from './use-match.ts';

const DARK = matchMedia('(prefers-color-scheme: dark)');

export function useDark(): boolean {
  return useMatch(DARK);
}
