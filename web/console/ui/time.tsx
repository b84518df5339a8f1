/** Times as people say them; the exact one is in the tooltip and for machines in `datetime`. */

import { signal } from '@preact/signals';
import { dayTimeFormat, relativeFormat } from '../../words/formats.ts';
import { gatewayNowMs, onClockSet } from '../gateway-clock.ts';
import { t } from '../words.ts';
import { duration } from './duration.ts';

export { duration };

const SEC_MS = 1_000;
/** Closer than people notice. */
const NOW_SEC = 2;
const MIN_SEC = 60;
const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;

/** The gateway's time for everything that says "ago", once a second. */
export const nowEpochMs = signal(gatewayNowMs());
const readClock = (): void => {
  nowEpochMs.value = gatewayNowMs();
};
setInterval(readClock, SEC_MS);
onClockSet(readClock);

const EXACT = dayTimeFormat('dateSeconds');
const DAY = dayTimeFormat('date');
const CLOCK = dayTimeFormat('minutes');
const WHEN = dayTimeFormat('zonedSeconds');
const RELATIVE = relativeFormat({ numeric: 'always', style: 'short' });

/** As in "3 min. ago" or "in 2 hr.". */
export function TimeAgo({ epochMs }: { readonly epochMs: number }) {
  return <Exact epochMs={epochMs} text={relative((epochMs - nowEpochMs.value) / SEC_MS)} />;
}

/** As in "3 min": how long something lasts already. */
export function TimeSince({ epochMs }: { readonly epochMs: number }) {
  return <Exact epochMs={epochMs} text={duration(Math.max(0, (nowEpochMs.value - epochMs) / SEC_MS))} />;
}

/** As in "until 14:05, 12 min left": when something ends, and how much is left. */
export function TimeLeft({ epochMs }: { readonly epochMs: number }) {
  const leftSec = Math.max(0, (epochMs - nowEpochMs.value) / SEC_MS);
  const text = t('until {time}, {duration} left', {
    time: CLOCK.format(epochMs),
    duration: duration(leftSec),
  });
  return <Exact epochMs={epochMs} text={text} />;
}

/** As in "15 Apr, 10:20:00 CEST": what an auditor writes down. How long ago is in the tooltip. */
export function WhenTime({ epochMs }: { readonly epochMs: number }) {
  return (
    <time dateTime={new Date(epochMs).toISOString()} title={relative((epochMs - nowEpochMs.value) / SEC_MS)}>
      {WHEN.format(epochMs)}
    </time>
  );
}

export function ExactTime({ epochMs }: { readonly epochMs: number }) {
  return <Exact epochMs={epochMs} text={EXACT.format(epochMs)} />;
}

/** As in "Nov 30, 2026". */
export function ExactDay({ epochMs }: { readonly epochMs: number }) {
  return <Exact epochMs={epochMs} text={DAY.format(epochMs)} />;
}

export function Exact({ epochMs, text }: { readonly epochMs: number; readonly text: string }) {
  return (
    <time dateTime={new Date(epochMs).toISOString()} title={EXACT.format(epochMs)}>
      {text}
    </time>
  );
}

function relative(sec: number): string {
  const size = Math.abs(sec);
  if (size < NOW_SEC) return t('now');
  if (size < MIN_SEC) return RELATIVE.format(Math.round(sec), 'second');
  if (size < HOUR_SEC) return RELATIVE.format(Math.round(sec / MIN_SEC), 'minute');
  if (size < DAY_SEC) return RELATIVE.format(Math.round(sec / HOUR_SEC), 'hour');
  return RELATIVE.format(Math.round(sec / DAY_SEC), 'day');
}
