/** How far behind the camera a picture is, in a few characters. Pure. */

import { numberFormat } from './words/formats.ts';

/** "<0.1 s", "0.2 s", "12 s", "3 min", "2 h": how old a picture is. Clocks that disagree a little make no negative age. */
export function delayText(ageSec: number): string {
  const sec = Math.max(0, ageSec);
  const tenths = numberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
  if (sec < 0.095) return `<${tenths.format(0.1)} s`;
  if (sec < 9.95) return `${tenths.format(sec)} s`;
  if (sec < 99.5) return `${Math.round(sec)} s`;
  const minutes = Math.round(sec / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.round(sec / 3600)} h`;
}
