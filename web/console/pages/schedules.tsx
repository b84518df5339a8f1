/** All schedules: when each is on, and whether it is on now. */

import { usePageTitle } from '../page-title.ts';
import { useReading } from '../reading.ts';
import { type ScheduleItem, scheduleNow } from '../schedule-now.ts';
import { DEFAULT_TIME_ZONE, type LocationZone, listSchedules, listZones } from '../schedule-state.ts';
import { OWN_TIME_ZONE, scheduleText } from '../schedule-text.ts';
import { may } from '../session.ts';
import { NEW_SCHEDULE_PLACE, schedulePlace } from '../share-places.ts';
import { Icon } from '../ui/icon.tsx';
import { NextChange } from '../ui/next-change.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { useNow } from '../ui/use-now.ts';
import { useStateFilter } from '../ui/use-state-filter.tsx';
import { WeekStrip } from '../ui/week-strip.tsx';
import { weekOf } from '../week.ts';
import { t } from '../words.ts';

const NOW_STATES = [
  { value: 'on', title: t('On now') },
  { value: 'off', title: t('Off now') },
];
const TICK_MS = 5_000;
/** Lines of a schedule in the list; its page has all. */
const MAX_LINES = 3;

export function SchedulesPage() {
  usePageTitle(t('Schedules'));
  const reading = useReading(
    async (signal) => {
      const [schedules, zones] = await Promise.all([listSchedules(signal), listZones(signal)]);
      return { schedules, zones };
    },
    [],
    ({ entity }) => entity === 'SCHEDULE' || entity === 'LOCATION',
  );
  return (
    <>
      <div class="page-head">
        <h1>{t('Schedules')}</h1>
        {may('operator') && (
          <a class="button primary" href={NEW_SCHEDULE_PLACE}>
            <Icon name="plus" /> {t('New schedule')}
          </a>
        )}
      </div>
      <ReadingView reading={reading} what={t('schedules')}>
        {({ schedules, zones }) => <ScheduleList schedules={schedules} zones={zones} />}
      </ReadingView>
    </>
  );
}

function ScheduleList({
  schedules,
  zones,
}: {
  readonly schedules: readonly ScheduleItem[];
  readonly zones: readonly LocationZone[];
}) {
  const nowMs = useNow(TICK_MS);
  const timeZone = commonZone(zones);
  const nowOf = (schedule: ScheduleItem) => scheduleNow(schedule, timeZone, nowMs);
  const { shown, chips } = useStateFilter('schedules', t('Schedules'), schedules, {
    states: NOW_STATES,
    of: (schedule) => (nowOf(schedule)?.isOn === true ? 'on' : 'off'),
  });
  if (schedules.length === 0) {
    return (
      <Notice title={t('There are no schedules yet')} draws="schedules">
        <p>{t('A schedule shows a share at some times of the week and hides it at others.')}</p>
      </Notice>
    );
  }
  return (
    <>
      {chips}
      <ul class="schedules">
        {shown.map((schedule) => (
          <li key={schedule.uuid}>
            <a href={schedulePlace(schedule.uuid)}>{schedule.name}</a>
            <p class="now">
              <NextChange
                now={nowOf(schedule)}
                timeZone={schedule.strategy === 'ABSOLUTE_SECONDS' ? OWN_TIME_ZONE : timeZone}
              />
            </p>
            <p class="times">{shortened(scheduleText(schedule))}</p>
            {schedule.strategy === 'WEEKLY_REPEATING_MINUTES' && (
              <WeekStrip week={weekOf(schedule.intervalList)} />
            )}
          </li>
        ))}
      </ul>
      <p class="hint">
        {zones.length > 1
          ? t('Weekly times here are those of {timeZone}, the zone of most sites.', { timeZone })
          : t('Weekly times here are those of {timeZone}.', { timeZone })}{' '}
        {t('A share follows the local time of its camera.')}
      </p>
    </>
  );
}

/** The zone of most locations. */
function commonZone(zones: readonly LocationZone[]): string {
  const counts = new Map<string, number>();
  for (const { tz } of zones) counts.set(tz, (counts.get(tz) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? DEFAULT_TIME_ZONE;
}

function shortened(lines: readonly string[]): string {
  const rest = lines.length - MAX_LINES;
  const shown = lines.slice(0, MAX_LINES).join('; ');
  return rest > 0 ? t('{lines}; and {rest} more', { lines: shown, rest }) : shown;
}
