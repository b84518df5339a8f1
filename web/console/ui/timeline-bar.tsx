/** The row above the timeline: which site and cameras, and which day. */

import { useState } from 'preact/hooks';
import type { PickOption } from '../picker-rows.ts';
import { format } from '../time-axis.ts';
import { dateAt, type LocalDate, plusDays } from '../timeline-days.ts';
import { t } from '../words.ts';
import { DayPicker } from './day-picker.tsx';
import { Icon } from './icon.tsx';
import { SearchField } from './search-field.tsx';
import { Select } from './select.tsx';
import { useNarrow } from './use-narrow.ts';

export interface SiteChoice {
  readonly value: string;
  readonly options: readonly PickOption[];
  readonly onValue: (value: string) => void;
}

export function TimelineBar({
  site,
  cameraCount,
  search,
  onSearch,
  cameraUuids,
  timeZone,
  atMs,
  nowMs,
  onDay,
  onTime,
}: {
  readonly site: SiteChoice;
  /** A few need no search. */
  readonly cameraCount: number;
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly cameraUuids: readonly string[];
  readonly timeZone: string;
  readonly atMs: number;
  readonly nowMs: number;
  readonly onDay: (date: LocalDate) => void;
  readonly onTime: (epochMs: number) => void;
}) {
  const isNarrow = useNarrow();
  const shownText = format(timeZone, isNarrow ? 'shortMinutes' : 'dayMinutes', atMs);
  const [isPicking, setIsPicking] = useState(false);
  const today = dateAt(nowMs, timeZone);
  const shown = dateAt(atMs, timeZone);
  return (
    <div class="timeline-bar">
      <h1>{t('Timeline')}</h1>
      {site.options.length > 1 && (
        <Select label={t('Site')} value={site.value} options={site.options} onValue={site.onValue} />
      )}
      {cameraCount > 1 && <SearchField label={t('Find cameras')} value={search} onValue={onSearch} />}
      <div class="days" role="group" aria-label={t('Day')}>
        <button
          type="button"
          class="icon-only turned"
          aria-label={t('Day before')}
          onClick={() => onDay(plusDays(shown, -1))}
        >
          <Icon name="earlier" />
        </button>
        <button
          type="button"
          class="shown-day"
          aria-label={t('Go to a date, now {format}', { format: shownText })}
          onClick={() => setIsPicking(true)}
        >
          <Icon name="schedule" />
          {shownText}
        </button>
        <button
          type="button"
          class="icon-only turned"
          aria-label={t('Day after')}
          disabled={shown >= today}
          onClick={() => onDay(plusDays(shown, 1))}
        >
          <Icon name="later" />
        </button>
        <button type="button" onClick={() => onDay(plusDays(today, -1))}>
          {t('Yesterday')}
        </button>
        <button type="button" onClick={() => onDay(today)}>
          {t('Today')}
        </button>
      </div>
      {isPicking && (
        <DayPicker
          {...{ cameraUuids, timeZone, atMs, nowMs }}
          onDay={(date) => {
            setIsPicking(false);
            onDay(date);
          }}
          onTime={(epochMs) => {
            setIsPicking(false);
            onTime(epochMs);
          }}
          onClose={() => setIsPicking(false)}
        />
      )}
    </div>
  );
}
