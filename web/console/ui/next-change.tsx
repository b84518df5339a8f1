/** Whether a schedule is on now, and when that changes, on the clock of the cameras' zone. */

import type { ScheduleNow } from '../schedule-now.ts';

export function NextChange({
  now,
  timeZone,
}: {
  readonly now: ScheduleNow | null;
  readonly timeZone: string;
}) {
  if (now === null) return <>This browser does not know the time zone {timeZone}.</>;
  const kind = now.isOn ? 'seen visible' : 'seen hidden';
  const word = now.isOn ? 'On' : 'Off';
  if (now.changesAtMs === null) return <span class={kind}>{word}, and stays so</span>;
  return (
    <span class={kind}>
      {word} until{' '}
      <time dateTime={new Date(now.changesAtMs).toISOString()}>{zonedText(now.changesAtMs, timeZone)}</time>
    </span>
  );
}

/** As in "Mon, 23 Nov, 09:00". */
function zonedText(epochMs: number, timeZone: string): string {
  return new Intl.DateTimeFormat(undefined, {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(epochMs);
}
