/** The past of a camera below its picture: when it was recorded, and what happened. */

import { clipSpansOf, eventsIn } from '../camera-past.ts';
import type { Reading } from '../reading.ts';
import { format, lengthText, zoomed } from '../time-axis.ts';
import { CameraEvents } from './camera-events.tsx';
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
  const headText = isLive ? 'Live' : format(timeZone, 'exact', headMs);
  const lane = {
    uuid: cameraUuid,
    name,
    isShown: true,
    spans: past.recorded?.byCamera.get(cameraUuid) ?? [],
    alertsMs: past.alerts.map(({ timestampMs }) => timestampMs),
    clips: clipSpansOf(cameraUuid, past.clips),
  };
  return (
    <section class="camera-past" aria-labelledby="past-title">
      <div class="past-head">
        <h2 id="past-title">Past</h2>
        <p>
          <b>{headText}</b> {isLive && format(timeZone, 'seconds', nowMs)}{' '}
          <span class="hint">{timeZone}</span>
        </p>
        <div class="past-zoom">
          <button
            type="button"
            class="square"
            aria-label="Show a longer time"
            onClick={() => setView(zoomed(view, 2, headMs, nowMs))}
          >
            −
          </button>
          <span class="hint">{lengthText(view.spanMs)}</span>
          <button
            type="button"
            class="square"
            aria-label="Show a shorter time"
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
          lanes={[lane]}
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
          onKey={(event) => {
            if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
            event.preventDefault();
            seek(headMs + (event.key === 'ArrowLeft' ? -STEP_MS : STEP_MS), false, shown.isPlaying);
          }}
        />
      </div>
      <h3>Events</h3>
      <CameraEvents
        cameraUuid={cameraUuid}
        events={eventsIn(view, past)}
        timeZone={timeZone}
        atMs={isLive ? null : headMs}
        onSeek={onEvent}
      />
    </section>
  );
}

function errorOf(state: Reading<unknown>) {
  return state.kind === 'loading' ? null : state.error;
}
