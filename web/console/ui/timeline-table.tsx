/** Shows the timeline as a table, for people who read it. */

import { useState } from 'preact/hooks';
import { eventTitle, KIND_NAMES, type TimelineEvent } from '../event-feed.ts';
import type { Lane } from '../site-lanes.ts';
import { format, lengthText, type View } from '../time-axis.ts';
import type { Span } from '../timeline-state.ts';
import { t } from '../words.ts';

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
      <summary>{t('As a table')}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('From')}</th>
            <th scope="col">{t('Camera')}</th>
            <th scope="col">{t('What')}</th>
            <th scope="col">{t('How long')}</th>
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
          {t('The first {maxRows} of {count}. Zoom in to see the others.', {
            maxRows: MAX_ROWS,
            count: rows.length,
          })}
        </p>
      )}
      {isOpen && rows.length === 0 && <p class="hint">{t('Nothing was recorded in what is shown.')}</p>}
    </details>
  );
}

/** In the order of their times. */
function rowsOf(lanes: readonly Lane[], events: readonly TimelineEvent[], view: View): Row[] {
  const endMs = view.startMs + view.spanMs;
  const isIn = ({ fromMs, toMs }: Span) => toMs >= view.startMs && fromMs <= endMs;
  const rows = lanes.flatMap(({ uuid, name, spans, picturesOnly, nvrSpans }) => [
    ...spans.map((span) => ({ ...span, key: `r${uuid}${span.fromMs}`, camera: name, what: t('Recorded') })),
    ...picturesOnly.map((span) => ({
      ...span,
      key: `p${uuid}${span.fromMs}`,
      camera: name,
      what: t('Pictures only'),
    })),
    ...nvrSpans.map((span) => ({
      ...span,
      key: `n${uuid}${span.fromMs}`,
      camera: name,
      what: t('On the NVR'),
    })),
  ]);
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
