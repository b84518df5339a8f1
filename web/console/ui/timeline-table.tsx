/** Shows the timeline as a table, for people who read it. */

import { useState } from 'preact/hooks';
import { eventTitle, KIND_NAMES, type TimelineEvent } from '../event-feed.ts';
import type { Lane } from '../site-lanes.ts';
import { format, lengthText, type View } from '../time-axis.ts';
import type { Span } from '../timeline-state.ts';

const MAX_ROWS = 200;

interface Row extends Span {
  readonly key: string;
  readonly camera: string;
  readonly what: string;
}

export function TimelineTable({
  lanes,
  events,
  view,
  timeZone,
  onSeek,
}: {
  readonly lanes: readonly Lane[];
  readonly events: readonly TimelineEvent[];
  readonly view: View;
  readonly timeZone: string;
  readonly onSeek: (epochMs: number) => void;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const rows = isOpen ? rowsOf(lanes, events, view) : [];
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
function rowsOf(lanes: readonly Lane[], events: readonly TimelineEvent[], view: View): Row[] {
  const endMs = view.startMs + view.spanMs;
  const isIn = ({ fromMs, toMs }: Span) => toMs >= view.startMs && fromMs <= endMs;
  const rows = lanes.flatMap(({ uuid, name, spans }) =>
    spans.map((span) => ({ ...span, key: `r${uuid}${span.fromMs}`, camera: name, what: 'Recorded' })),
  );
  const names = new Map(lanes.map(({ uuid, name }) => [uuid, name]));
  const happened = events.map((event) => ({
    key: `${event.kind} ${event.id}`,
    fromMs: event.timestampMs,
    toMs: event.timestampMs + (event.durationSec ?? 0) * 1_000,
    camera: names.get(event.cameraUuid) ?? '',
    what: `${KIND_NAMES[event.kind]}: ${eventTitle(event)}`,
  }));
  return [...rows, ...happened].filter(isIn).sort((a, b) => a.fromMs - b.fromMs);
}
