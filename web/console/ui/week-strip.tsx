/** A week at a glance: a line for each day. Words repeat it. */

import { DAYS_PER_WEEK, MINUTES_PER_DAY, partsOfDay, type Week } from '../week.ts';

const DAY_UNITS = 5;
const GAP_UNITS = 1;
const WIDTH_UNITS = 96;
const HEIGHT_UNITS = DAYS_PER_WEEK * (DAY_UNITS + GAP_UNITS) - GAP_UNITS;

export function WeekStrip({ week }: { readonly week: Week }) {
  return (
    <svg
      class="week-strip"
      viewBox={`0 0 ${WIDTH_UNITS} ${HEIGHT_UNITS}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {Array.from({ length: DAYS_PER_WEEK }, (_, day) => (
        <g key={day}>
          <rect class="off" x="0" y={day * (DAY_UNITS + GAP_UNITS)} width={WIDTH_UNITS} height={DAY_UNITS} />
          {partsOfDay(week, day).map(({ start, stop }) => (
            <rect
              key={start}
              class="on"
              x={unitsOf(start)}
              y={day * (DAY_UNITS + GAP_UNITS)}
              width={unitsOf(stop - start)}
              height={DAY_UNITS}
            />
          ))}
        </g>
      ))}
    </svg>
  );
}

function unitsOf(minutes: number): number {
  return (minutes / MINUTES_PER_DAY) * WIDTH_UNITS;
}
