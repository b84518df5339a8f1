/** Seven days of a camera: a strip for each day, and its outages in words. */

import { UPTIME_NAMES, type UptimeSpan, upShare } from '../uptime.ts';
import { duration, ExactTime } from './time.tsx';

const DAY_NAME = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });
const SHARE = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 });
/** More than one reads. */
const MAX_LISTED = 50;
const LEGEND = ['up', 'down', 'not-running', 'unknown'] as const;

export function UptimeStrip({ spans }: { readonly spans: readonly UptimeSpan[] }) {
  const share = upShare(spans);
  const outages = spans.filter(({ state }) => state === 'down' || state === 'not-running').reverse();
  return (
    <div class="uptime">
      <p>
        {share === null
          ? 'Nothing is known of the last 7 days.'
          : `Up ${SHARE.format(share)} of the time that is known.`}
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
      </div>
      <p class="uptime-legend">
        {LEGEND.map((state) => (
          <span key={state}>
            <i class={state} /> {UPTIME_NAMES[state]}
          </span>
        ))}
      </p>
      <p class="hint">A camera that no one watches counts as it was last seen.</p>
      {outages.length > 0 && (
        <ul class="outages">
          {outages.slice(0, MAX_LISTED).map(({ startMs, endMs, state }) => (
            <li key={startMs}>
              <b>{UPTIME_NAMES[state]}</b> <ExactTime epochMs={startMs} />
              {endMs === spans.at(-1)?.endMs && state === 'down'
                ? ', until now'
                : `, for ${duration((endMs - startMs) / 1_000)}`}
            </li>
          ))}
          {outages.length > MAX_LISTED && <li>and {outages.length - MAX_LISTED} earlier ones</li>}
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

/** Days of the browser's zone, the newest first; one has 23 or 25 hours when its clock changes. */
function daysOf(spans: readonly UptimeSpan[]): Day[] {
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) return [];
  const days: Day[] = [];
  const day = new Date(first.startMs);
  day.setHours(0, 0, 0, 0);
  while (day.getTime() < last.endMs) {
    const dayMs = day.getTime();
    day.setDate(day.getDate() + 1);
    const endMs = day.getTime();
    const parts = spans
      .map((span) => ({
        ...span,
        startMs: Math.max(span.startMs, dayMs),
        endMs: Math.min(span.endMs, endMs),
      }))
      .filter((part) => part.endMs > part.startMs);
    days.push({ dayMs, endMs, parts });
  }
  return days.reverse();
}

function summaryOf(spans: readonly UptimeSpan[]): string {
  const of = (wanted: UptimeSpan['state']) => {
    const found = spans.filter(({ state }) => state === wanted);
    const sec = found.reduce((sum, { startMs, endMs }) => sum + (endMs - startMs) / 1_000, 0);
    return sec === 0 ? null : `${UPTIME_NAMES[wanted].toLowerCase()} for ${duration(sec)}`;
  };
  const parts = LEGEND.map(of).filter((text) => text !== null);
  return `The last 7 days: ${parts.length === 0 ? 'nothing is known' : parts.join(', ')}`;
}
