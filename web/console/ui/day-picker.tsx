/** Where to go on the timeline: a day, with those marked on which there are recordings, and a time, by the clock of the site. */

import { useState } from 'preact/hooks';
import { useReading } from '../reading.ts';
import { epochMsOf } from '../schedule-now.ts';
import { format, zonedInput } from '../time-axis.ts';
import { dateAt, daySpan, type LocalDate, monthOf, recordedDays, weeksOf } from '../timeline-days.ts';
import { readRecorded } from '../timeline-state.ts';
import { useLast } from '../use-timeline-view.ts';
import { t } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { Icon } from './icon.tsx';

/** A mark for a day needs no finer gaps. */
const JOIN_MS = 3_600_000;
const DATE_CHARS = 10;
const WEEKDAYS = [t('Mon'), t('Tue'), t('Wed'), t('Thu'), t('Fri'), t('Sat'), t('Sun')] as const;

export function DayPicker({
  cameraUuids,
  timeZone,
  atMs,
  nowMs,
  onDay,
  onTime,
  onClose,
}: {
  /** Whose recordings are marked. */
  readonly cameraUuids: readonly string[];
  readonly timeZone: string;
  readonly atMs: number;
  readonly nowMs: number;
  readonly onDay: (date: LocalDate) => void;
  readonly onTime: (epochMs: number) => void;
  readonly onClose: () => void;
}) {
  const [date, setDate] = useState(dateAt(atMs, timeZone));
  const [time, setTime] = useState(zonedInput(atMs, timeZone).slice(DATE_CHARS + 1));
  const [month, setMonth] = useState(monthOf(date));
  const today = dateAt(nowMs, timeZone);
  const range = {
    fromMs: daySpan(`${month}-01`, timeZone).fromMs,
    toMs: daySpan(`${monthOf(`${month}-01`, 1)}-01`, timeZone).fromMs,
  };
  const reading = useReading(
    (signal) => readRecorded(cameraUuids, range, JOIN_MS, signal),
    [cameraUuids.join(), month],
  );
  const recorded = useLast(reading, null);
  const isRead = recorded !== null && recorded.range.fromMs === range.fromMs;
  const marked = isRead
    ? recordedDays(month, [...recorded.byCamera.values()].flat(), timeZone)
    : new Set<LocalDate>();
  const step = (later: number) => setMonth(monthOf(`${month}-01`, later));
  return (
    <Dialog title={t('Go to')} onClose={onClose}>
      <form
        class="form day-picker"
        onSubmit={(event) => {
          event.preventDefault();
          onTime(epochMsOf(`${date}T${time || '00:00:00'}`, timeZone));
        }}
      >
        <div class="month-head">
          <button
            type="button"
            class="quiet icon-only turned"
            aria-label={t('Earlier month')}
            onClick={() => step(-1)}
          >
            <Icon name="earlier" />
          </button>
          <h3 aria-live="polite">{format(timeZone, 'month', range.fromMs)}</h3>
          <button
            type="button"
            class="quiet icon-only turned"
            aria-label={t('Later month')}
            disabled={month >= monthOf(today)}
            onClick={() => step(1)}
          >
            <Icon name="later" />
          </button>
        </div>
        <table class="month">
          <thead>
            <tr>
              {WEEKDAYS.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeksOf(month).map((week) => (
              <tr key={week.find((day) => day !== null)}>
                {week.map((day, index) => (
                  <td key={index}>
                    {day !== null && (
                      <button
                        type="button"
                        class={marked.has(day) ? 'day recorded' : 'day'}
                        aria-current={day === date ? 'date' : undefined}
                        aria-label={`${format(timeZone, 'day', daySpan(day, timeZone).fromMs)}${marked.has(day) ? ', recorded' : ''}`}
                        disabled={day > today}
                        onClick={() => {
                          setDate(day);
                          onDay(day);
                        }}
                      >
                        {Number(day.slice(-2))}
                      </button>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        <p class="hint month-legend">
          {t('Marked days have recordings. Times are those of the site ({timeZone}).', { timeZone })}
        </p>
        <div class="go-to">
          <label>
            <span class="name">{t('Date')}</span>
            <input
              type="date"
              value={date}
              max={today}
              required
              onInput={({ currentTarget: { value } }) => {
                setDate(value);
                if (value !== '') setMonth(monthOf(value));
              }}
            />
          </label>
          <label>
            <span class="name">{t('Time')}</span>
            <input
              type="time"
              step="1"
              value={time}
              required
              onInput={({ currentTarget }) => setTime(currentTarget.value)}
            />
          </label>
          <button type="submit" class="primary">
            {t('Go')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
