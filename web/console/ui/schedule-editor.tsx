/** A weekly schedule on its page: painted, in words, with its next change. Other kinds are only shown. */

import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type ScheduleItem, scheduleNow, weekNow } from '../schedule-now.ts';
import { createWeekly, type OtherUses, updateWeekly } from '../schedule-state.ts';
import { OWN_TIME_ZONE, scheduleText } from '../schedule-text.ts';
import type { ShareItem } from '../share-item.ts';
import { SCHEDULES_PLACE, schedulePlace } from '../share-places.ts';
import { intervalsOf, isSameWeek, NEVER, type Week, weekOf } from '../week.ts';
import { weekText } from '../week-words.ts';
import { t, tRich } from '../words.ts';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { NextChange } from './next-change.tsx';
import { DeleteSchedule, ScheduleUses } from './schedule-uses.tsx';
import { useAction } from './use-action.ts';
import { useNow } from './use-now.ts';
import { WeekGrid } from './week-grid.tsx';
import { WeekNumbers } from './week-numbers.tsx';
import { WeekPresets } from './week-presets.tsx';

interface Facts {
  readonly shares: readonly ShareItem[];
  /** Number of all its shares; `shares` contains the first ones. */
  readonly shareCount: number;
  readonly uses: OtherUses;
  readonly timeZones: readonly string[];
}

type WeeklyItem = Extract<ScheduleItem, { strategy: 'WEEKLY_REPEATING_MINUTES' }>;

const TICK_MS = 5_000;
const MAX_NAME_CHARS = 256;

/** `schedule` null: a new one. */
export function ScheduleEditor({
  schedule,
  isReadOnly,
  onSaved,
  ...facts
}: Facts & {
  readonly schedule: WeeklyItem | null;
  readonly isReadOnly: boolean;
  readonly onSaved: () => void;
}) {
  const { route } = useLocation();
  const { draft, isChanged, isOvertaken, change, adopt } = useDraft(schedule);
  const { name, week } = draft;
  const setWeek = (painted: Week) => change({ name, week: painted });
  const action = useAction();
  useLeaveWarning(isChanged && !isReadOnly);
  const save = () =>
    void action.run(async () => {
      const intervals = intervalsOf(week);
      if (schedule === null) return route(schedulePlace(await createWeekly(name.trim(), intervals)), true);
      await updateWeekly(schedule.uuid, name.trim(), intervals);
      onSaved();
    });
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {!isReadOnly && (
        <div class="editor-head">
          <TextField
            label={t('Name')}
            isRequired
            maxLength={MAX_NAME_CHARS}
            value={name}
            onValue={(given) => change({ name: given, week })}
          />
          <WeekPresets onWeek={setWeek} />
        </div>
      )}
      <WeekGrid week={week} isReadOnly={isReadOnly} onWeek={setWeek} />
      {!isReadOnly && (
        <p class="hint">
          {t(
            'Drag to paint; drag over what is on to clear it. With a keyboard: arrows move, Ctrl by the hour, Shift selects, Space paints.',
          )}
        </p>
      )}
      <div class="editor-parts">
        <Words lines={weekText(week)} />
        <Now {...facts} nowOf={(zone, atMs) => weekNow(week, zone, atMs)} />
        {!isReadOnly && <WeekNumbers week={week} onWeek={setWeek} />}
        {schedule !== null && (
          <ScheduleUses shares={facts.shares} shareCount={facts.shareCount} uses={facts.uses} />
        )}
      </div>
      {isOvertaken && (
        <p class="outdated" role="alert">
          {tRich(
            'Someone else changed this schedule meanwhile. Saving replaces that. <button>Show theirs</button>',
            {
              button: (text) => (
                <button type="button" class="quiet" onClick={adopt}>
                  {text}
                </button>
              ),
            },
          )}
        </p>
      )}
      <FormError error={action.error} />
      {!isReadOnly && (
        <footer class="save-bar">
          <button type="submit" class="primary" disabled={action.isBusy || !isChanged}>
            {schedule === null ? t('Create schedule') : t('Save')}
          </button>
          {schedule === null ? (
            <a class="button" href={SCHEDULES_PLACE}>
              {t('Cancel')}
            </a>
          ) : (
            <DeleteSchedule schedule={schedule} shareCount={facts.shareCount} />
          )}
          <p role="status">{isChanged ? consequenceOf(facts.shareCount, schedule === null) : ''}</p>
        </footer>
      )}
    </form>
  );
}

/** Schedules of other kinds are made by the API. */
export function FixedSchedule({
  schedule,
  shares,
  shareCount,
  uses,
  timeZones,
}: Facts & { readonly schedule: ScheduleItem }) {
  return (
    <div class="editor">
      <p class="hint">{t('This kind of schedule is made and changed by the API.')}</p>
      <div class="editor-parts">
        <Words lines={scheduleText(schedule)} />
        <Now
          timeZones={schedule.strategy === 'ABSOLUTE_SECONDS' ? [OWN_TIME_ZONE] : timeZones}
          nowOf={(zone, atMs) => scheduleNow(schedule, zone, atMs)}
        />
        <ScheduleUses shares={shares} shareCount={shareCount} uses={uses} />
      </div>
    </div>
  );
}

function Words({ lines }: { readonly lines: readonly string[] }) {
  return (
    <section aria-live="polite">
      <h2>{t('When it is on')}</h2>
      <ul class="words">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

function Now({
  timeZones,
  nowOf,
}: {
  readonly timeZones: readonly string[];
  readonly nowOf: (timeZone: string, atMs: number) => ReturnType<typeof weekNow>;
}) {
  const nowMs = useNow(TICK_MS);
  return (
    <section>
      <h2>{t('Next change')}</h2>
      <ul class="words">
        {timeZones.map((zone) => (
          <li key={zone}>
            <NextChange now={nowOf(zone, nowMs)} timeZone={zone} />
            <small>{zone}</small>
          </li>
        ))}
      </ul>
      <p class="hint">{t('Weekly times are the local time of each camera.')}</p>
    </section>
  );
}

function consequenceOf(shares: number, isNew: boolean): string {
  if (isNew) return '';
  if (shares === 0) return t('Not saved yet.');
  return t(
    '{count, plural, one {Not saved yet. Saving shows or hides # share immediately.} other {Not saved yet. Saving shows or hides # shares immediately.}}',
    { count: shares },
  );
}

interface Draft {
  readonly name: string;
  readonly week: Week;
}

/** Holds unsaved edits. The draft takes over a change by others only while it has no edits. */
function useDraft(schedule: WeeklyItem | null) {
  const name = schedule?.name ?? '';
  const stored: Draft = { name, week: schedule === null ? NEVER : weekOf(schedule.intervalList) };
  const [draft, setDraft] = useState(stored);
  /** The stored schedule from which the draft began. */
  const [base, setBase] = useState(stored);
  const isChanged = !isSame(draft, stored);
  const isUntouched = isSame(draft, base);
  const adopt = () => {
    setDraft(stored);
    setBase(stored);
  };
  if (!isSame(base, stored) && (isUntouched || !isChanged)) adopt();
  return { draft, isChanged, isOvertaken: !isSame(base, stored) && isChanged, change: setDraft, adopt };
}

function isSame(one: Draft, other: Draft): boolean {
  return one.name === other.name && isSameWeek(one.week, other.week);
}

/** The browser asks before unsaved edits are lost. */
function useLeaveWarning(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isOn]);
}
