/** Seven days of a camera: a strip for each day, and its outages in words. */

import { TIME_ZONE } from '../../words/choices.ts';
import { dayTimeFormat, numberFormat } from '../../words/formats.ts';
import { dateAt, daySpan, plusDays } from '../timeline-days.ts';
import { UPTIME_NAMES, type UptimeSpan, type UptimeState, upShare } from '../uptime.ts';
import { t, tRich } from '../words.ts';
import { duration, ExactTime } from './time.tsx';

const DAY_NAME = dayTimeFormat('day');
const SHARE = numberFormat({ style: 'percent', maximumFractionDigits: 2 });
/** More than one reads. */
const MAX_LISTED = 50;
/** As in "up for 3 h". */
const SUMMARIES: Readonly<Record<UptimeState, (duration: string) => string>> = {
  up: (duration) => t('up for {duration}', { duration }),
  down: (duration) => t('down for {duration}', { duration }),
  'not-running': (duration) => t('gateway was not running for {duration}', { duration }),
  unknown: (duration) => t('not known for {duration}', { duration }),
};
/** Of a day; on those with 23 or 25, they are an hour off at most. */
const HOURS = [0, 6, 12, 18, 24];
const LEGEND = ['up', 'down', 'not-running', 'unknown'] as const;

export function UptimeStrip({ spans }: { readonly spans: readonly UptimeSpan[] }) {
  const share = upShare(spans);
  const outages = spans.filter(({ state }) => state === 'down' || state === 'not-running').reverse();
  return (
    <div class="uptime">
      <p>
        {share === null
          ? t('Nothing is known of the last 7 days.')
          : t('Up {time} of the time that is known.', { time: SHARE.format(share) })}
      </p>
      <div class="uptime-days" role="img" aria-label={summaryOf(spans)}>
        {daysOf(spans).map(({ dayMs, endMs, parts }) => (
          <div class="uptime-day" key={dayMs}>
            <span>{DAY_NAME.format(dayMs)}</span>
            <span class="uptime-bar">
              {parts.map(({ startMs, endMs: partEndMs, state }) => (
                <i
                  key={startMs}
                  class={state}
                  style={{
                    left: `${(100 * (startMs - dayMs)) / (endMs - dayMs)}%`,
                    width: `${(100 * (partEndMs - startMs)) / (endMs - dayMs)}%`,
                  }}
                />
              ))}
            </span>
          </div>
        ))}
        <div class="uptime-day uptime-axis" aria-hidden="true">
          <span />
          <span class="uptime-hours">
            {HOURS.map((hour) => (
              <span key={hour}>{hour}</span>
            ))}
          </span>
        </div>
      </div>
      <p class="uptime-legend">
        {LEGEND.map((state) => (
          <span key={state}>
            <i class={state} /> {UPTIME_NAMES[state]}
          </span>
        ))}
      </p>
      <p class="hint">{t('A camera that no one watches counts as it was last seen.')}</p>
      {outages.length > 0 && (
        <ul class="outages">
          {outages.slice(0, MAX_LISTED).map(({ startMs, endMs, state }) => (
            <li key={startMs}>
              {endMs === spans.at(-1)?.endMs && state === 'down'
                ? tRich('{state} {time}, until now', {
                    state: <b>{UPTIME_NAMES[state]}</b>,
                    time: <ExactTime epochMs={startMs} />,
                  })
                : tRich('{state} {time}, for {duration}', {
                    state: <b>{UPTIME_NAMES[state]}</b>,
                    time: <ExactTime epochMs={startMs} />,
                    duration: duration((endMs - startMs) / 1_000),
                  })}
            </li>
          ))}
          {outages.length > MAX_LISTED && (
            <li>{t('and {count} earlier ones', { count: outages.length - MAX_LISTED })}</li>
          )}
        </ul>
      )}
    </div>
  );
}

interface Day {
  readonly dayMs: number;
  readonly endMs: number;
  readonly parts: readonly UptimeSpan[];
}

/** Days of the document's zone, the newest first; one has 23 or 25 hours when its clock changes. */
function daysOf(spans: readonly UptimeSpan[]): Day[] {
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) return [];
  const days: Day[] = [];
  let date = dateAt(first.startMs, TIME_ZONE);
  for (let endMs = 0; endMs < last.endMs; date = plusDays(date, 1)) {
    const { fromMs: dayMs, toMs } = daySpan(date, TIME_ZONE);
    endMs = toMs;
    const parts = spans
      .map((span) => ({
        ...span,
        startMs: Math.max(span.startMs, dayMs),
        endMs: Math.min(span.endMs, toMs),
      }))
      .filter((part) => part.endMs > part.startMs);
    days.push({ dayMs, endMs: toMs, parts });
  }
  return days.reverse();
}

function summaryOf(spans: readonly UptimeSpan[]): string {
  const of = (wanted: UptimeSpan['state']) => {
    const found = spans.filter(({ state }) => state === wanted);
    const sec = found.reduce((sum, { startMs, endMs }) => sum + (endMs - startMs) / 1_000, 0);
    return sec === 0 ? null : SUMMARIES[wanted](duration(sec));
  };
  const parts = LEGEND.map(of).filter((text) => text !== null);
  return parts.length === 0
    ? t('The last 7 days: nothing is known')
    : t('The last 7 days: {parts}', { parts: parts.join(', ') });
}
