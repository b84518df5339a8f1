/** How long something lasts, in words. */

const MIN_SEC = 60;
const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;

/** `sec`: not negative. As in "45 s", "3 min", "2 h 5 min", "4 d 3 h". */
export function duration(sec: number): string {
  if (sec < MIN_SEC) return `${Math.floor(sec)} s`;
  if (sec < HOUR_SEC) return `${Math.floor(sec / MIN_SEC)} min`;
  if (sec < DAY_SEC) return `${Math.floor(sec / HOUR_SEC)} h ${Math.floor((sec % HOUR_SEC) / MIN_SEC)} min`;
  return `${Math.floor(sec / DAY_SEC)} d ${Math.floor((sec % DAY_SEC) / HOUR_SEC)} h`;
}
