/** The past of a camera below its picture: when it was recorded, and what happened. */

import { useMemo } from 'preact/hooks';
import { timelinePlace } from '../camera-history.ts';
import type { Reading } from '../reading.ts';
import { may } from '../session.ts';
import { lanesOf } from '../site-lanes.ts';
import { format, lengthText, zoomed } from '../time-axis.ts';
import { coverageAt, isAnyRecorded } from '../timeline-state.ts';
import { listRangeOf, useRested } from '../use-timeline-view.ts';
import { t } from '../words.ts';
import { EventList } from './event-list.tsx';
import { LanesLegend } from './lanes-legend.tsx';
import { OutdatedNotice } from './notice.tsx';
import { TimelineLanes } from './timeline-lanes.tsx';
import type { CameraView } from './use-camera-view.ts';

const STEP_MS = 10_000;

export function CameraPastPart({
  cameraUuid,
  name,
  timeZone,
  view: shown,
  onEvent,
}: {
  readonly cameraUuid: string;
  readonly name: string;
  readonly timeZone: string;
  readonly view: CameraView;
  /** Shows the moment of an event. */
  readonly onEvent: (epochMs: number) => void;
}) {
  const { isLive, headMs, nowMs, view, setView, past, seek } = shown;
  const failed = past.readings.map(({ state }) => errorOf(state.value)).find((each) => each !== null);
  const headText = isLive ? t('Live') : format(timeZone, 'exact', headMs);
  const cameras = useMemo(() => [{ uuid: cameraUuid, name }], [cameraUuid, name]);
  const lanes = lanesOf(cameras, [cameraUuid], past.recorded, past.marks, past.clips, past.holds);
  const listRange = useRested(listRangeOf(view, isLive));
  return (
    <section class="camera-past" aria-labelledby="past-title">
      <div class="past-head">
        <h2 id="past-title">{t('Past')}</h2>
        <p>
          <b>{headText}</b> {isLive && format(timeZone, 'seconds', nowMs)}{' '}
          <span class="hint">{timeZone}</span>
        </p>
        <a href={timelinePlace(cameraUuid, headMs)}>{t('Open in Timeline')}</a>
        <div class="past-zoom">
          <button
            type="button"
            class="square"
            aria-label={t('Show a longer time')}
            onClick={() => setView(zoomed(view, 2, headMs, nowMs))}
          >
            −
          </button>
          <span class="hint">{t('{length} shown', { length: lengthText(view.spanMs) })}</span>
          <button
            type="button"
            class="square"
            aria-label={t('Show a shorter time')}
            onClick={() => setView(zoomed(view, 0.5, headMs, nowMs))}
          >
            +
          </button>
        </div>
      </div>
      {failed != null && (
        <OutdatedNotice
          error={failed}
          retry={() => {
            for (const { refresh } of past.readings) refresh();
          }}
        />
      )}
      <div class="timeline">
        <TimelineLanes
          lanes={lanes}
          view={view}
          nowMs={nowMs}
          headMs={headMs}
          headText={headText}
          timeZone={timeZone}
          cut={null}
          onCut={() => undefined}
          onShown={() => undefined}
          onView={setView}
          onSeek={(epochMs, isDragging) => seek(epochMs, isDragging, true)}
          onPeek={(epochMs) => shown.player.peek(epochMs)}
          onKey={(event) => {
            if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
            event.preventDefault();
            seek(headMs + (event.key === 'ArrowLeft' ? -STEP_MS : STEP_MS), false, shown.isPlaying);
          }}
        />
        <LanesLegend
          recorded={past.recorded}
          marks={past.marks}
          hasHolds={lanes.some(({ held }) => held.length > 0)}
        />
      </div>
      <h3>{t('Events')}</h3>
      <EventList
        cameras={cameras}
        range={listRange}
        timeZone={timeZone}
        onJump={onEvent}
        toRecording={
          may('admin') && (
            <button type="button" class="quiet" onClick={toRecording}>
              {t('Set up recording')}
            </button>
          )
        }
        isRecorded={isAnyRecorded(past.recorded)}
        hasVideo={(uuid, atMs) => coverageAt(past.recorded, uuid, atMs) !== 'gap'}
      />
    </section>
  );
}

function toRecording(): void {
  const panel = document.querySelector('.recording-panel');
  panel?.scrollIntoView({ block: 'center' });
  panel?.querySelector<HTMLElement>('input, select, button')?.focus({ preventScroll: true });
}

function errorOf(state: Reading<unknown>) {
  return state.kind === 'loading' ? null : state.error;
}
