/** Which schedule shows a share, or hides it. */

import type { ScheduleItem } from '../schedule-now.ts';
import { OWN_TIME_ZONE, scheduleText } from '../schedule-text.ts';
import { Chips } from './chips.tsx';
import { ScheduleZone } from './schedule-zone.tsx';
import { SelectField } from './select.tsx';

export interface ScheduleChoice {
  /** Null: always shown. */
  readonly scheduleUuid: string | null;
  readonly invertSchedule: boolean;
}

export function ScheduleField({
  choice,
  schedules,
  cameraUuids,
  onChoice,
}: {
  readonly choice: ScheduleChoice;
  readonly schedules: ReadonlyMap<string, ScheduleItem>;
  /** The cameras that it shows; empty: those of a wall, each with its own time. */
  readonly cameraUuids: readonly string[];
  readonly onChoice: (choice: ScheduleChoice) => void;
}) {
  const chosen = choice.scheduleUuid === null ? undefined : schedules.get(choice.scheduleUuid);
  return (
    <>
      <SelectField
        label="Schedule"
        value={choice.scheduleUuid ?? ''}
        options={[
          { value: '', title: 'None: always shown' },
          ...[...schedules.values()].map(({ uuid, name }) => ({ value: uuid, title: name })),
        ]}
        {...(chosen === undefined
          ? {}
          : { hint: `${scheduleText(chosen).join('; ')}${zoneText(chosen, cameraUuids)}.` })}
        onValue={(uuid) => onChoice({ ...choice, scheduleUuid: uuid === '' ? null : uuid })}
      />
      {chosen !== undefined && isLocal(chosen) && cameraUuids.length > 0 && (
        <ScheduleZone cameraUuids={cameraUuids} />
      )}
      {choice.scheduleUuid !== null && (
        <Chips
          legend="During this schedule"
          value={choice.invertSchedule ? 'hide' : 'show'}
          options={[
            { value: 'show', title: 'Show' },
            { value: 'hide', title: 'Hide' },
          ]}
          onValue={(value) => onChoice({ ...choice, invertSchedule: value === 'hide' })}
        />
      )}
    </>
  );
}

/** Whether it counts in the local time of the camera: other schedules are spans of time, the same everywhere. */
function isLocal({ strategy }: ScheduleItem): boolean {
  return strategy === 'WEEKLY_REPEATING_MINUTES' || strategy === 'RELATIVE_DATETIME_INTERVALS';
}

function zoneText(schedule: ScheduleItem, cameraUuids: readonly string[]): string {
  if (schedule.strategy === 'ABSOLUTE_SECONDS') return ` (${OWN_TIME_ZONE})`;
  return isLocal(schedule) && cameraUuids.length === 0 ? ', local time of each camera' : '';
}
