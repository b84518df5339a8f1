/** How a camera is recorded: what is in effect, and for administrators a form that changes it. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { cameraSourcePlace } from '../camera-places.ts';
import {
  type RecordingDraft,
  type RecordingMode,
  type RecordingSettings,
  reasonText,
  recordingSign,
  saveRecording,
} from '../camera-recording.ts';
import { bytesText } from '../gateway-state.ts';
import type { ReadingHandle } from '../reading.ts';
import { cameraStayText } from '../retention-words.ts';
import type { ScheduleItem } from '../schedule-now.ts';
import { scheduleText } from '../schedule-text.ts';
import { may } from '../session.ts';
import { isSameWeek, NEVER, type Week, weekOf } from '../week.ts';
import { weekText } from '../week-words.ts';
import { t, tIn, tRich } from '../words.ts';
import { Chips } from './chips.tsx';
import { FormDialog } from './form-dialog.tsx';
import { FormError } from './form-error.tsx';
import { EventFields, fileText, KeepFields, StreamsField } from './recording-fields.tsx';
import { useAction } from './use-action.ts';
import { WeekPainter } from './week-painter.tsx';

const MODES = [
  { value: 'off', title: t('Off') },
  { value: 'always', title: t('Always') },
  { value: 'schedule', title: t('By schedule') },
  { value: 'events', title: t('Around events') },
] as const satisfies readonly { readonly value: RecordingMode; readonly title: string }[];
const MODE_TEXTS: Readonly<Record<RecordingMode, string>> = {
  off: t('Off: only shares that show the past, and people, record it.'),
  always: t('Always.'),
  schedule: t('By schedule.'),
  events: t('Around events: alerts of the camera, and of doors that it belongs to.'),
};

interface CameraName {
  readonly uuid: string;
  readonly name: string;
}

export function RecordingPanel({
  camera,
  reading,
  settings,
  isOffline,
}: {
  readonly camera: CameraName;
  readonly reading: ReadingHandle<RecordingSettings>;
  readonly settings: RecordingSettings;
  readonly isOffline: boolean;
}) {
  const sign = recordingSign(settings, isOffline);
  return (
    <section class="sheet recording-panel" aria-labelledby="recording-title">
      <h2 id="recording-title">{tIn('heading', 'Recording')}</h2>
      <p role="status">
        <span class={`record-sign ${sign.tone}`}>{sign.text}</span>{' '}
        {sign.tone === 'failed' && settings.code !== undefined && <code>{settings.code}</code>}
      </p>
      {settings.reasons.length > 0 && (
        <ul class="reasons" aria-label={t('Why it is recorded')}>
          {settings.reasons.map((reason) => (
            <li key={reason}>{reasonText(reason)}</li>
          ))}
        </ul>
      )}
      {settings.forecast !== undefined && (
        <p class="hint">
          {cameraStayText(settings.forecast)}{' '}
          {t('It records {size} a day.', { size: bytesText(settings.forecast.bytesPerDay) })}
        </p>
      )}
      {may('admin') ? (
        <Form camera={camera} reading={reading} settings={settings} />
      ) : (
        <InWords settings={settings} />
      )}
    </section>
  );
}

/** For those who cannot change it. */
function InWords({ settings }: { readonly settings: RecordingSettings }) {
  const lines = settings.recording === 'schedule' ? linesOf(settings) : [];
  return (
    <>
      <p class="hint">{MODE_TEXTS[settings.recording]}</p>
      <Lines lines={lines} timeZone={settings.timeZone} />
    </>
  );
}

function linesOf({ schedule, scheduleTimes }: RecordingSettings): readonly string[] {
  if (schedule !== null) return scheduleText(schedule);
  return scheduleTimes === undefined ? [] : weekText(weekOf(scheduleTimes));
}

function Lines({ lines, timeZone }: { readonly lines: readonly string[]; readonly timeZone: string }) {
  if (lines.length === 0) return null;
  return (
    <ul class="words">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
      <li class="hint">{timeZone}</li>
    </ul>
  );
}

function draftOf(settings: RecordingSettings): RecordingDraft {
  const { recording, preRollSec, postRollSec, keepHours, maxBytes, defaults, scheduleTimes, schedule } =
    settings;
  return {
    mode: recording,
    streams: settings.streams ?? defaults.streams,
    week: weekIn(schedule) ?? (scheduleTimes === undefined ? NEVER : weekOf(scheduleTimes)),
    preRollSec: preRollSec ?? defaults.preRollSec,
    postRollSec: postRollSec ?? defaults.postRollSec,
    keepHours: keepHours ?? null,
    keepSubHours: settings.keepSubHours ?? null,
    maxBytes: maxBytes ?? null,
  };
}

function weekIn(schedule: ScheduleItem | null): Week | null {
  return schedule?.strategy === 'WEEKLY_REPEATING_MINUTES' ? weekOf(schedule.intervalList) : null;
}

function Form({
  camera,
  reading,
  settings,
}: {
  readonly camera: CameraName;
  readonly reading: ReadingHandle<RecordingSettings>;
  readonly settings: RecordingSettings;
}) {
  const { schedule } = settings;
  const [isPainting, setIsPainting] = useState(false);
  const { before, draft, setDraft, isOvertaken, adopt } = useDraft(draftOf(settings), isPainting);
  const { isBusy, error, run } = useAction();
  const change = (part: Partial<RecordingDraft>) => setDraft({ ...draft, ...part });
  const inFile = (setting: RecordingSettings['setInFile'][number]) => settings.setInFile.includes(setting);
  const isChanged = DRAFT_FIELDS.some((field) => draft[field] !== before[field]);
  const isWeekOwn = !inFile('schedule') && (schedule === null || weekIn(schedule) !== null);
  const save = async (chosen: RecordingDraft) => {
    const isWeekNew = !isSameWeek(chosen.week, before.week);
    await saveRecording(camera, before, chosen, { scheduleUuid: settings.scheduleUuid, isWeekNew });
    reading.refresh();
  };
  const choose = (mode: RecordingMode) => {
    if (mode === 'schedule' && isWeekOwn) setIsPainting(true);
    else change({ mode });
  };
  return (
    <>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void run(() => save(draft));
        }}
      >
        {inFile('recording') ? (
          <InFile camera={camera} text={MODE_TEXTS[settings.recording]} />
        ) : (
          <Chips
            legend={t('Record')}
            value={isPainting ? 'schedule' : draft.mode}
            options={MODES}
            onValue={(value) => {
              const mode = MODES.find((each) => each.value === value);
              if (mode !== undefined) choose(mode.value);
            }}
          />
        )}
        {draft.mode === 'off' && !inFile('recording') && (
          <p class="hint">{t('“By schedule” records at the hours that you paint into a week.')}</p>
        )}
        {draft.mode === 'schedule' && (
          <>
            <Lines lines={linesOf(settings)} timeZone={settings.timeZone} />
            {isWeekOwn ? (
              <button type="button" onClick={() => setIsPainting(true)}>
                {t('Change the times')}
              </button>
            ) : (
              <p class="hint">
                {inFile('schedule') ? fileText('schedule') : t('Another program made these times.')}
              </p>
            )}
          </>
        )}
        {draft.mode === 'events' && <EventFields {...{ draft, settings, change, inFile }} />}
        {draft.mode !== 'off' && <StreamsField {...{ draft, settings, change, inFile }} />}
        <KeepFields {...{ draft, settings, change, inFile }} />
        <FormError error={error} />
        {isOvertaken && !isPainting && !isBusy && (
          <p class="outdated" role="alert">
            {tRich(
              'Someone else changed this in the meantime. Saving replaces that. <button>Show theirs</button>',
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
        {isChanged && (
          <footer>
            <button type="submit" class="primary" disabled={isBusy}>
              {isBusy ? t('Saving…') : t('Save')}
            </button>
            <button type="button" disabled={isBusy} onClick={() => setDraft(before)}>
              {t('Discard')}
            </button>
          </footer>
        )}
      </form>
      {isPainting && (
        <WeekDialog
          camera={camera}
          week={draft.week}
          onClose={() => setIsPainting(false)}
          onSave={async (week) => {
            const painted = { ...draft, mode: 'schedule', week } as const;
            await save(painted);
            setDraft(painted);
            setIsPainting(false);
          }}
        />
      )}
    </>
  );
}

/** Holds unsaved edits. The draft takes over a change by others only while it has no edits. */
function useDraft(stored: RecordingDraft, isPainting: boolean) {
  const [draft, setDraft] = useState(stored);
  /** The stored settings from which the draft began. */
  const [base, setBase] = useState(stored);
  const isUntouched = isSameDraft(draft, base) && !isPainting;
  const adopt = () => {
    setDraft(stored);
    setBase(stored);
  };
  if (!isSameDraft(base, stored) && (isUntouched || isSameDraft(draft, stored))) adopt();
  return { before: stored, draft, setDraft, isOvertaken: !isSameDraft(base, stored), adopt };
}

function isSameDraft(
  { week, ...one }: RecordingDraft,
  { week: otherWeek, ...other }: RecordingDraft,
): boolean {
  return isSameWeek(week, otherWeek) && JSON.stringify(one) === JSON.stringify(other);
}

/** When to record, painted. */
function WeekDialog({
  camera: { uuid, name },
  week: initial,
  onClose,
  onSave,
}: {
  readonly camera: CameraName;
  readonly week: Week;
  readonly onClose: () => void;
  readonly onSave: (week: Week) => Promise<void>;
}) {
  const [week, setWeek] = useState(initial);
  return (
    <FormDialog
      title={t('When to record {name}', { name })}
      submit={t('Save')}
      isReady={week.length > 0}
      onClose={onClose}
      onSubmit={() => onSave(week)}
    >
      <WeekPainter week={week} cameraUuids={[uuid]} onWeek={setWeek} />
    </FormDialog>
  );
}

/** What manages it, where, and what can be done instead. */
function InFile({ camera: { uuid, name }, text }: { readonly camera: CameraName; readonly text: string }) {
  const code = (key: ComponentChildren) => <code>{key}</code>;
  return (
    <div class="in-file">
      <p>{text}</p>
      <p class="hint break">
        {tRich('The configuration file decides: the key <code>recording</code> of the camera {name}.', {
          code,
          name,
        })}{' '}
        <a href={cameraSourcePlace(uuid)}>{t('Where is it?')}</a>
      </p>
      <p class="hint break">
        {tRich(
          'To record at some hours, write <code>recording: schedule</code> there, with <code>recordingSchedule: Mon-Fri 20:00-06:00</code>. To choose here instead, delete the key and reload the file.',
          { code },
        )}
      </p>
    </div>
  );
}

/** The fields of a draft that are saved, besides the week. */
const DRAFT_FIELDS = [
  ...(['mode', 'streams', 'preRollSec', 'postRollSec'] as const),
  ...(['keepHours', 'keepSubHours', 'maxBytes'] as const),
];
