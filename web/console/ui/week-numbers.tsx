/** Times to the minute, for fingers that are wider than a quarter of an hour: turned on or off on some days. */

import { useId, useState } from 'preact/hooks';
import { MINUTES_PER_HOUR, paintTimes, type Week } from '../week.ts';
import { DAY_NAMES } from '../week-words.ts';
import { t } from '../words.ts';
import { SelectField } from './select.tsx';

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const DAY_CHOICES: readonly { readonly title: string; readonly days: readonly number[] }[] = [
  { title: t('Monday to Friday'), days: EVERY_DAY.slice(0, 5) },
  { title: t('Saturday and Sunday'), days: EVERY_DAY.slice(5) },
  { title: t('Every day'), days: EVERY_DAY },
  ...EVERY_DAY.map((day) => ({ title: DAY_NAMES[day]!, days: [day] })),
];

export function WeekNumbers({
  week,
  onWeek,
}: {
  readonly week: Week;
  readonly onWeek: (week: Week) => void;
}) {
  const [choice, setChoice] = useState('0');
  const [from, setFrom] = useState('09:00');
  const [to, setTo] = useState('17:00');
  const [fromMinute, toMinute] = [minuteOf(from), minuteOf(to)];
  const isComplete = fromMinute !== null && toMinute !== null;
  const isOvernight = isComplete && toMinute <= fromMinute && toMinute > 0;
  const set = (isOn: boolean) => {
    if (isComplete) onWeek(paintTimes(week, DAY_CHOICES[Number(choice)]!.days, fromMinute, toMinute, isOn));
  };
  return (
    <fieldset class="numbers">
      <legend>{t('Exact times')}</legend>
      <SelectField
        label={t('Days')}
        value={choice}
        options={DAY_CHOICES.map(({ title }, i) => ({ value: String(i), title }))}
        onValue={setChoice}
      />
      <TimeField label={t('From')} value={from} onValue={setFrom} />
      <TimeField label={isOvernight ? t('To, the next day') : t('To')} value={to} onValue={setTo} />
      <div class="buttons">
        <button type="button" disabled={!isComplete} onClick={() => set(true)}>
          {t('Turn on')}
        </button>
        <button type="button" disabled={!isComplete} onClick={() => set(false)}>
          {t('Turn off')}
        </button>
      </div>
    </fieldset>
  );
}

function TimeField({
  label,
  value,
  onValue,
}: {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="time"
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </div>
  );
}

/** Minute of the day. Null: not filled in. */
function minuteOf(value: string): number | null {
  const [hour, minute] = value.split(':').map(Number);
  return hour === undefined || minute === undefined ? null : hour * MINUTES_PER_HOUR + minute;
}
