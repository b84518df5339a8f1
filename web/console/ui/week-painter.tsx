/** A week to paint in a dialog: from a usual one, by hand, or by numbers; in words, and with the zone in which it counts. */

import type { Week } from '../week.ts';
import { weekText } from '../week-words.ts';
import { t } from '../words.ts';
import { ScheduleZone } from './schedule-zone.tsx';
import { WeekGrid } from './week-grid.tsx';
import { WeekNumbers } from './week-numbers.tsx';
import { WeekPresets } from './week-presets.tsx';

export function WeekPainter({
  week,
  cameraUuids,
  onWeek,
}: {
  readonly week: Week;
  /** Whose zones count; empty: those of a wall's cameras, each with its own. */
  readonly cameraUuids: readonly string[];
  readonly onWeek: (week: Week) => void;
}) {
  return (
    <>
      <WeekPresets onWeek={onWeek} />
      <WeekGrid week={week} isReadOnly={false} onWeek={onWeek} />
      <p class="hint" aria-live="polite">
        {week.length === 0 ? t('Drag to paint, over painted time to clear it.') : weekText(week).join('; ')}
      </p>
      <details class="more-settings">
        <summary>{t('Exact times')}</summary>
        <WeekNumbers week={week} onWeek={onWeek} />
      </details>
      {cameraUuids.length > 0 ? (
        <ScheduleZone cameraUuids={cameraUuids} />
      ) : (
        <p class="hint">{t('Times are the local time of each camera.')}</p>
      )}
    </>
  );
}
