/** A moment soon, as one says it: "17:00" today, "Mon 9:00" within the week, "24 Dec, 18:00" later. In the browser's zone. */

import { dayOf, dayTimeFormat } from '../../words/formats.ts';
import { gatewayNowMs } from '../gateway-clock.ts';

const TIME = dayTimeFormat('minutes');
const DAY_TIME = dayTimeFormat('weekdayMinutes');
const DATE_TIME = dayTimeFormat('shortMinutes');
const DATE_YEAR = dayTimeFormat('dateMinutes');
const EXACT = dayTimeFormat('exact');
const ZONE = dayTimeFormat('zone');
const YEAR = dayTimeFormat('year');
const MAX_WEEKDAY_MS = 6 * 86_400_000;

/** `hasZone`: with its name, as in "17:00 CEST", where rules count by the zones of cameras. */
export function ClockTime({
  epochMs,
  hasZone = false,
}: {
  readonly epochMs: number;
  readonly hasZone?: boolean;
}) {
  return (
    <time dateTime={new Date(epochMs).toISOString()} title={EXACT.format(epochMs)}>
      {clockText(epochMs, gatewayNowMs())}
      {hasZone && ` ${zoneName(epochMs)}`}
    </time>
  );
}

function zoneName(epochMs: number): string {
  return ZONE.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

function clockText(epochMs: number, nowMs: number): string {
  const [at, now] = [new Date(epochMs), new Date(nowMs)];
  if (dayOf(epochMs) === dayOf(nowMs)) return TIME.format(at);
  if (epochMs > nowMs && epochMs - nowMs < MAX_WEEKDAY_MS) return DAY_TIME.format(at);
  return (YEAR.format(at) === YEAR.format(now) ? DATE_TIME : DATE_YEAR).format(at);
}
