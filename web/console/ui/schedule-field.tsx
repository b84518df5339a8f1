/** Which schedule shows a share, or hides it: a stored one, or one that is painted here. */

import type { ScheduleChoice } from '../schedule-choice.ts';
import { paintedName } from '../schedule-choice.ts';
import type { ScheduleItem } from '../schedule-now.ts';
import { OWN_TIME_ZONE, scheduleText } from '../schedule-text.ts';
import { NEVER } from '../week.ts';
import { t } from '../words.ts';
import { Chips } from './chips.tsx';
import { TextField } from './field.tsx';
import { ScheduleZone } from './schedule-zone.tsx';
import { SelectField } from './select.tsx';
import { WeekPainter } from './week-painter.tsx';

const MAX_NAME_CHARS = 256;

export interface ScheduleFieldProps {
  readonly choice: ScheduleChoice;
  readonly schedules: ReadonlyMap<string, ScheduleItem>;
  /** The cameras that it shows; empty: those of a wall, each with its own time. */
  readonly cameraUuids: readonly string[];
  /** Null: none. */
  readonly fault?: string | null;
  readonly onChoice: (choice: ScheduleChoice) => void;
}

export function ScheduleField({ fault = null, ...props }: ScheduleFieldProps) {
  const { choice, onChoice } = props;
  return (
    <>
      {choice.painted === null ? <StoredField {...props} /> : <PaintedField {...props} />}
      {fault !== null && (
        <p class="field-error" role="alert">
          {fault}
        </p>
      )}
      {(choice.scheduleUuid !== null || choice.painted !== null) && (
        <Chips
          legend={t('During this schedule')}
          value={choice.invertSchedule ? 'hide' : 'show'}
          options={[
            { value: 'show', title: t('Show') },
            { value: 'hide', title: t('Hide') },
          ]}
          onValue={(value) => onChoice({ ...choice, invertSchedule: value === 'hide' })}
        />
      )}
    </>
  );
}

type PartProps = Omit<ScheduleFieldProps, 'fault'>;

function StoredField({ choice, schedules, cameraUuids, onChoice }: PartProps) {
  const chosen = choice.scheduleUuid === null ? undefined : schedules.get(choice.scheduleUuid);
  return (
    <>
      <div class="with-button">
        <SelectField
          label={t('Schedule')}
          value={choice.scheduleUuid ?? ''}
          options={[
            { value: '', title: t('None: always shown') },
            ...[...schedules.values()].map(({ uuid, name }) => ({ value: uuid, title: name })),
          ]}
          {...(chosen === undefined
            ? {}
            : { hint: `${scheduleText(chosen).join('; ')}${zoneText(chosen, cameraUuids)}.` })}
          onValue={(uuid) => onChoice({ ...choice, scheduleUuid: uuid === '' ? null : uuid })}
        />
        <button
          type="button"
          onClick={() => onChoice({ ...choice, scheduleUuid: null, painted: { name: '', week: NEVER } })}
        >
          {t('New schedule')}
        </button>
      </div>
      {chosen !== undefined && isLocal(chosen) && cameraUuids.length > 0 && (
        <ScheduleZone cameraUuids={cameraUuids} />
      )}
    </>
  );
}

/** It is stored when the share is. */
function PaintedField({ choice, schedules, cameraUuids, onChoice }: PartProps) {
  const painted = choice.painted!;
  return (
    <fieldset class="painted">
      <legend>{t('New schedule')}</legend>
      <WeekPainter
        week={painted.week}
        cameraUuids={cameraUuids}
        onWeek={(week) => onChoice({ ...choice, painted: { ...painted, week } })}
      />
      <TextField
        label={t('Name of the schedule')}
        hint={
          painted.week.length === 0
            ? t('Empty: named by its times.')
            : t('Empty: {paintedName}', { paintedName: paintedName({ ...painted, name: '' }) })
        }
        maxLength={MAX_NAME_CHARS}
        value={painted.name}
        onValue={(name) => onChoice({ ...choice, painted: { ...painted, name } })}
      />
      <div class="buttons">
        <button type="button" onClick={() => onChoice({ ...choice, painted: null })}>
          {schedules.size === 0 ? t('No schedule') : t('Choose a stored schedule')}
        </button>
      </div>
    </fieldset>
  );
}

/** Whether it counts in the local time of the camera: other schedules are spans of time, the same everywhere. */
function isLocal({ strategy }: ScheduleItem): boolean {
  return strategy === 'WEEKLY_REPEATING_MINUTES' || strategy === 'RELATIVE_DATETIME_INTERVALS';
}

function zoneText(schedule: ScheduleItem, cameraUuids: readonly string[]): string {
  if (schedule.strategy === 'ABSOLUTE_SECONDS') return ` (${OWN_TIME_ZONE})`;
  return isLocal(schedule) && cameraUuids.length === 0 ? ` (${t('local time of each camera')})` : '';
}
