/** Whether the dark color scheme is in effect. Style sheets follow it automatically; drawings on a canvas do not. */

import { THEME } from '../../words/choices.ts';
import { useMatch } from './use-match.ts';

const DARK = matchMedia('(prefers-color-scheme: dark)');

export function useDark(): boolean {
  const isSystemDark = useMatch(DARK);
  return THEME === 'system' ? isSystemDark : THEME === 'dark';
}
