/** Whether a schedule is on now, and when that changes, on the clock of the cameras' zone. */

import { dayTimeFormat } from '../../words/formats.ts';
import type { ScheduleNow } from '../schedule-now.ts';
import { t, tRich } from '../words.ts';

export function NextChange({
  now,
  timeZone,
}: {
  readonly now: ScheduleNow | null;
  readonly timeZone: string;
}) {
  if (now === null) return <>{t('This browser does not know the time zone {timeZone}.', { timeZone })}</>;
  const kind = now.isOn ? 'seen visible' : 'seen hidden';
  if (now.changesAtMs === null) {
    return <span class={kind}>{now.isOn ? t('On, and stays so') : t('Off, and stays so')}</span>;
  }
  const iso = new Date(now.changesAtMs).toISOString();
  const time = <time dateTime={iso}>{zonedText(now.changesAtMs, timeZone)}</time>;
  return (
    <span class={kind}>
      {now.isOn ? tRich('On until {time}', { time }) : tRich('Off until {time}', { time })}
    </span>
  );
}

/** As in "Mon, 23 Nov, 09:00". */
function zonedText(epochMs: number, timeZone: string): string {
  return dayTimeFormat('dayMinutes', timeZone).format(epochMs);
}
