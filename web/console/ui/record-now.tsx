/** Records the camera now, for a while: begins, extends, ends. */

import {
  isForbidden,
  MANUAL_SEC,
  type RecordingSettings,
  startRecording,
  stopRecording,
} from '../camera-recording.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import type { ReadingHandle } from '../reading.ts';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';
import type { Action } from './use-action.ts';
import { useNow } from './use-now.ts';

const TICK_MS = 1_000;

export interface RecordNowState {
  readonly reading: ReadingHandle<RecordingSettings>;
  readonly cameraUuid: string;
  readonly action: Action;
}

/** Begins, or puts off the end by as much again. */
export function recordLonger(
  { reading, cameraUuid, action }: RecordNowState,
  settings: RecordingSettings,
): void {
  void action.run(async () => {
    const leftMs = Math.max(0, (settings.manual?.endsAtMs ?? 0) - gatewayNowMs());
    const manual = await startRecording(cameraUuid, Math.round(leftMs / 1_000) + MANUAL_SEC);
    reading.put((known) => ({ ...known, manual }));
  });
}

/** For operators. */
export function RecordNow({ settings, ...state }: RecordNowState & { readonly settings: RecordingSettings }) {
  const { reading, cameraUuid, action } = state;
  const nowMs = useNow(TICK_MS);
  const { manual } = settings;
  const isOff = isForbidden(settings);
  const isRunning = manual !== undefined && manual.endsAtMs > nowMs;
  if (!isRunning) {
    return (
      <button
        type="button"
        class="stage-button record"
        disabled={action.isBusy || isOff}
        title={isOff ? t('The configuration file turns recording off for this camera') : t('Record now (R)')}
        aria-keyshortcuts="r"
        onClick={() => recordLonger(state, settings)}
      >
        <Icon name="record" />
        <span>{t('Record now')}</span>
      </button>
    );
  }
  return (
    <div class="record-running" role="group" aria-label={t('Recording now')}>
      <span class="record-left" title={t('Started by {startedBy}', { startedBy: manual.startedBy })}>
        <Icon name="record" />
        <span class="off-screen">{t('Recording, time left:')}</span>
        {clockText(manual.endsAtMs - nowMs)}
      </span>
      <button
        type="button"
        class="stage-button"
        disabled={action.isBusy}
        aria-label={t('Record 10 minutes longer')}
        onClick={() => recordLonger(state, settings)}
      >
        {t('+10 min')}
      </button>
      <button
        type="button"
        class="stage-button"
        disabled={action.isBusy}
        aria-label={t('Stop recording')}
        onClick={() =>
          void action.run(async () => {
            await stopRecording(cameraUuid);
            reading.put(({ manual: _ended, ...known }) => known);
          })
        }
      >
        {t('Stop')}
      </button>
    </div>
  );
}

/** As in "9:59" or "1:05:00". */
function clockText(ms: number): string {
  const sec = Math.max(0, Math.ceil(ms / 1_000));
  const [hours, minutes, rest] = [Math.floor(sec / 3_600), Math.floor((sec % 3_600) / 60), sec % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours === 0 ? `${minutes}:${two(rest)}` : `${hours}:${two(minutes)}:${two(rest)}`;
}
