/** How a camera is recorded: what is in effect, and for administrators a form that changes it. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { cameraSourcePlace } from '../camera-places.ts';
import {
  followFile,
  isForbidden,
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
import { EventFields, KeepFields, StreamsField } from './recording-fields.tsx';
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
      <div class="record-state">
        <p role="status">
          <span class={`record-sign ${sign.tone}`}>{sign.text}</span>
        </p>
        {settings.reasons.length > 0 && (
          <ul class="reasons" aria-label={t('Why it is recorded')}>
            {settings.reasons.map((reason) => (
              <li key={reason}>{reasonText(reason)}</li>
            ))}
          </ul>
        )}
      </div>
      {settings.forecast !== undefined && (
        <p class="hint">
          {cameraStayText(settings.forecast)}{' '}
          {t('It records {size} a day.', { size: bytesText(settings.forecast.bytesPerDay) })}
        </p>
      )}
      {!may('admin') ? (
        <InWords settings={settings} />
      ) : isForbidden(settings) ? (
        <Forbidden camera={camera} />
      ) : (
        <Form camera={camera} reading={reading} settings={settings} />
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
    keepKeyFramesHours: settings.keepKeyFramesHours ?? null,
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
  const { setInFile } = settings;
  const isChanged = DRAFT_FIELDS.some((field) => draft[field] !== before[field]);
  const isWeekOwn = schedule === null || weekIn(schedule) !== null;
  const save = async (chosen: RecordingDraft) => {
    const isWeekNew = !isSameWeek(chosen.week, before.week);
    const { scheduleUuid } = settings;
    await saveRecording(camera, before, chosen, { scheduleUuid, isWeekNew, setInFile });
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
        <Chips
          legend={t('Record')}
          value={isPainting ? 'schedule' : draft.mode}
          options={MODES}
          onValue={(value) => {
            const mode = MODES.find((each) => each.value === value);
            if (mode !== undefined) choose(mode.value);
          }}
        />
        {setInFile.length > 0 && (
          <p class="hint">
            {t('These settings are from the configuration file. What you save here counts instead.')}
          </p>
        )}
        {draft.mode === 'off' && (
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
              <p class="hint">{t('Another program made these times.')}</p>
            )}
          </>
        )}
        {draft.mode === 'events' && <EventFields {...{ draft, settings, change }} />}
        {draft.mode !== 'off' && <StreamsField {...{ draft, settings, change }} />}
        <KeepFields {...{ draft, settings, change }} />
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
      {settings.ignoredInFile.length > 0 && <OverFile camera={camera} reading={reading} />}
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

/** What prevents it, and where. */
function Forbidden({ camera: { uuid } }: { readonly camera: CameraName }) {
  const code = (key: ComponentChildren) => <code>{key}</code>;
  return (
    <div class="in-file">
      <p>{t('Recording is forbidden for this camera.')}</p>
      <p class="hint break">
        {tRich(
          'Its lines in the configuration file say <code>recording: off</code>, so that no one records it. To choose here, delete that and reload the file.',
          { code },
        )}
      </p>
      <p>
        <a class="button" href={cameraSourcePlace(uuid)}>
          {t('Show its lines')}
        </a>
      </p>
    </div>
  );
}

/** The fields of a draft that are saved, besides the week. */
const DRAFT_FIELDS = [
  ...(['mode', 'streams', 'preRollSec', 'postRollSec'] as const),
  ...(['keepHours', 'keepSubHours', 'keepKeyFramesHours', 'maxBytes'] as const),
];

/** For a camera whose settings of the file do not count. */
function OverFile({
  camera,
  reading,
}: {
  readonly camera: CameraName;
  readonly reading: ReadingHandle<RecordingSettings>;
}) {
  const { isBusy, error, run } = useAction();
  return (
    <>
      <p class="hint">
        {t('Chosen here. The configuration file has settings for this camera, which do not count.')}{' '}
        <button
          type="button"
          class="quiet"
          disabled={isBusy}
          onClick={() =>
            void run(async () => {
              await followFile(camera.uuid);
              reading.refresh();
            })
          }
        >
          {t('Use the file’s settings')}
        </button>
      </p>
      <FormError error={error} />
    </>
  );
}
