/** Times as people say them; the exact one is in the tooltip and for machines in `datetime`. */

import { signal } from '@preact/signals';

const SEC_MS = 1_000;
/** Closer than the clocks of the gateway and the browser are to each other. */
const NOW_SEC = 2;
const MIN_SEC = 60;
const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;

/** The time for everything that says "ago", once a second. */
const nowEpochMs = signal(Date.now());
setInterval(() => {
  nowEpochMs.value = Date.now();
}, SEC_MS);

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'always', style: 'short' });

/** As in "3 min. ago" or "in 2 hr.". */
export function TimeAgo({ epochMs }: { readonly epochMs: number }) {
  return <Exact epochMs={epochMs} text={relative((epochMs - nowEpochMs.value) / SEC_MS)} />;
}

/** As in "3 min": how long something lasts already. */
export function TimeSince({ epochMs }: { readonly epochMs: number }) {
  return <Exact epochMs={epochMs} text={duration(Math.max(0, (nowEpochMs.value - epochMs) / SEC_MS))} />;
}

export function ExactTime({ epochMs }: { readonly epochMs: number }) {
  return <Exact epochMs={epochMs} text={EXACT.format(epochMs)} />;
}

function Exact({ epochMs, text }: { readonly epochMs: number; readonly text: string }) {
  return (
    <time dateTime={new Date(epochMs).toISOString()} title={EXACT.format(epochMs)}>
      {text}
    </time>
  );
}

function relative(sec: number): string {
  const size = Math.abs(sec);
  if (size < NOW_SEC) return 'now';
  if (size < MIN_SEC) return RELATIVE.format(Math.round(sec), 'second');
  if (size < HOUR_SEC) return RELATIVE.format(Math.round(sec / MIN_SEC), 'minute');
  if (size < DAY_SEC) return RELATIVE.format(Math.round(sec / HOUR_SEC), 'hour');
  return RELATIVE.format(Math.round(sec / DAY_SEC), 'day');
}

/** `sec`: not negative. As in "45 s", "3 min", "2 h 5 min", "4 d 3 h". */
export function duration(sec: number): string {
  if (sec < MIN_SEC) return `${Math.floor(sec)} s`;
  if (sec < HOUR_SEC) return `${Math.floor(sec / MIN_SEC)} min`;
  if (sec < DAY_SEC) return `${Math.floor(sec / HOUR_SEC)} h ${Math.floor((sec % HOUR_SEC) / MIN_SEC)} min`;
  return `${Math.floor(sec / DAY_SEC)} d ${Math.floor((sec % DAY_SEC) / HOUR_SEC)} h`;
}
