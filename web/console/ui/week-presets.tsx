/** Weeks that people start from. */

import { ALWAYS, NEVER, paintTimes, type Week } from '../week.ts';
import { t } from '../words.ts';

const WEEKDAYS = [0, 1, 2, 3, 4];
const WEEKEND = [5, 6];
const HOUR = 60;

const PRESETS: readonly { readonly title: string; readonly week: Week }[] = [
  { title: t('Office hours'), week: paintTimes(NEVER, WEEKDAYS, 9 * HOUR, 17 * HOUR, true) },
  { title: t('Nights'), week: paintTimes(NEVER, [...WEEKDAYS, ...WEEKEND], 22 * HOUR, 6 * HOUR, true) },
  {
    title: t('18:00 to 6:00'),
    week: paintTimes(NEVER, [...WEEKDAYS, ...WEEKEND], 18 * HOUR, 6 * HOUR, true),
  },
  { title: t('Weekend'), week: paintTimes(NEVER, WEEKEND, 0, 0, true) },
  { title: t('Always'), week: ALWAYS },
  { title: t('Clear'), week: NEVER },
];

export function WeekPresets({ onWeek }: { readonly onWeek: (week: Week) => void }) {
  return (
    <fieldset class="presets">
      <legend>{t('Start from')}</legend>
      {PRESETS.map(({ title, week }) => (
        <button key={title} type="button" onClick={() => onWeek(week)}>
          {title}
        </button>
      ))}
    </fieldset>
  );
}
