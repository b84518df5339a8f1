/** Shows the timeline as a table, for people who read it. */

import { useState } from 'preact/hooks';
import { triggerText } from '../alert-list.ts';
import { format, lengthText, type View } from '../time-axis.ts';
import type { Span, TimelineAlert } from '../timeline-state.ts';
import type { Lane } from './timeline-lanes.tsx';

const MAX_ROWS = 200;

interface Row extends Span {
  readonly key: string;
  readonly camera: string;
  readonly what: string;
}

export function TimelineTable({
  lanes,
  alerts,
  view,
  timeZone,
  onSeek,
}: {
  readonly lanes: readonly Lane[];
  readonly alerts: readonly TimelineAlert[];
  readonly view: View;
  readonly timeZone: string;
  readonly onSeek: (epochMs: number) => void;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const rows = isOpen ? rowsOf(lanes, alerts, view) : [];
  return (
    <details class="timeline-table" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>As a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">Camera</th>
            <th scope="col">What</th>
            <th scope="col">How long</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map(({ key, fromMs, toMs, camera, what }) => (
            <tr key={key}>
              <td>
                <button type="button" class="quiet" onClick={() => onSeek(fromMs)}>
                  {format(timeZone, 'exact', fromMs)}
                </button>
              </td>
              <td>{camera}</td>
              <td>{what}</td>
              <td>{toMs > fromMs ? lengthText(toMs - fromMs) : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_ROWS && (
        <p class="hint">
          The first {MAX_ROWS} of {rows.length}. Zoom in to see the others.
        </p>
      )}
      {isOpen && rows.length === 0 && <p class="hint">Nothing was recorded in what is shown.</p>}
    </details>
  );
}

/** In the order of their times. */
function rowsOf(lanes: readonly Lane[], alerts: readonly TimelineAlert[], view: View): Row[] {
  const endMs = view.startMs + view.spanMs;
  const isIn = ({ fromMs, toMs }: Span) => toMs >= view.startMs && fromMs <= endMs;
  const rows = lanes.flatMap(({ uuid, name, spans, clips }) => [
    ...spans.map((span) => ({ ...span, key: `r${uuid}${span.fromMs}`, camera: name, what: 'Recorded' })),
    ...clips.map((span, i) => ({ ...span, key: `c${uuid}${i}`, camera: name, what: 'Clip' })),
  ]);
  const names = new Map(lanes.map(({ uuid, name }) => [uuid, name]));
  const told = alerts.map(({ uuid, deviceUuid, timestampMs, textDescription, policyAlertTriggers = [] }) => ({
    key: `a${uuid}`,
    fromMs: timestampMs,
    toMs: timestampMs,
    camera: names.get(deviceUuid) ?? '',
    what: `Alert: ${textDescription ?? policyAlertTriggers.map(triggerText).join(', ')}`,
  }));
  return [...rows, ...told].filter(isIn).sort((a, b) => a.fromMs - b.fromMs);
}
