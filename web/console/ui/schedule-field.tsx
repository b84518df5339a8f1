/** Which schedule shows a share, or hides it. */

import type { ScheduleItem } from '../schedule-now.ts';
import { scheduleText } from '../schedule-text.ts';
import { Chips } from './chips.tsx';
import { SelectField } from './select.tsx';

export interface ScheduleChoice {
  /** Null: always shown. */
  readonly scheduleUuid: string | null;
  readonly invertSchedule: boolean;
}

export function ScheduleField({
  choice,
  schedules,
  onChoice,
}: {
  readonly choice: ScheduleChoice;
  readonly schedules: ReadonlyMap<string, ScheduleItem>;
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
          : { hint: `${scheduleText(chosen).join('; ')}, local time of the camera.` })}
        onValue={(uuid) => onChoice({ ...choice, scheduleUuid: uuid === '' ? null : uuid })}
      />
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
