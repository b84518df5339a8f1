/** How long something lasts, in words. */

import { t } from '../words.ts';

const MIN_SEC = 60;
const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;

/** `sec`: not negative. As in "45 s", "3 min", "2 h 5 min", "4 d 3 h". */
export function duration(sec: number): string {
  const [days, hours] = [Math.floor(sec / DAY_SEC), Math.floor(sec / HOUR_SEC)];
  const minutes = Math.floor(sec / MIN_SEC);
  if (minutes === 0) return t('{seconds} s', { seconds: Math.floor(sec) });
  if (hours === 0) return t('{minutes} min', { minutes });
  if (days === 0) return t('{hours} h {minutes} min', { hours, minutes: minutes % 60 });
  return t('{days} d {hours} h', { days, hours: hours % 24 });
}
