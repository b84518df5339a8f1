/** What happened in front of a camera, below its picture: a click shows that moment. */

import { useEffect, useState } from 'preact/hooks';
import { call } from '../api.ts';
import type { PastEvent } from '../camera-past.ts';
import { takeTurn } from '../few-at-once.ts';
import { format } from '../time-axis.ts';

/** Playback begins this long before the event. */
export const BEFORE_MS = 3_000;
const MAX_SHOWN = 40;
const DOWNSCALE = 6;
const KINDS: Readonly<Record<PastEvent['kind'], string>> = { alert: 'Alert', clip: 'Clip' };

export function CameraEvents({
  cameraUuid,
  events,
  timeZone,
  atMs,
  onSeek,
}: {
  readonly cameraUuid: string;
  readonly events: readonly PastEvent[];
  readonly timeZone: string;
  /** What the picture shows; null: live. */
  readonly atMs: number | null;
  readonly onSeek: (epochMs: number) => void;
}) {
  if (events.length === 0) return <p class="hint">Nothing happened in the time above.</p>;
  return (
    <>
      <ol class="camera-events">
        {events.slice(0, MAX_SHOWN).map((event) => (
          <li key={event.key}>
            <button
              type="button"
              aria-current={
                atMs !== null && Math.abs(event.atMs - BEFORE_MS - atMs) < 1_000 ? 'true' : undefined
              }
              onClick={() => onSeek(event.atMs - BEFORE_MS)}
            >
              <EventPicture cameraUuid={cameraUuid} atMs={event.atMs} />
              <span class="event-words">
                <b>{event.title}</b>
                <span>
                  {KINDS[event.kind]} · {format(timeZone, 'day', event.atMs)}{' '}
                  {format(timeZone, 'seconds', event.atMs)}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ol>
      {events.length > MAX_SHOWN && (
        <p class="hint">
          The newest {MAX_SHOWN} of {events.length}. Zoom in above to see the others.
        </p>
      )}
    </>
  );
}

function EventPicture({ cameraUuid, atMs }: { readonly cameraUuid: string; readonly atMs: number }) {
  const [image, setImage] = useState<string | null>(null);
  useEffect(() => {
    const left = new AbortController();
    takeTurn(left.signal, () =>
      call(
        'video/getExactFrameData',
        { cameraUuid, timestampMs: Math.round(atMs), downscaleFactor: DOWNSCALE },
        left.signal,
      ),
    ).then(
      ({ frameData }) => setImage(frameData),
      // Not recorded: the words say what happened.
      () => undefined,
    );
    return () => left.abort();
  }, [cameraUuid, atMs]);
  return (
    <span class="event-picture">
      {image !== null && <img src={`data:image/jpeg;base64,${image}`} alt="" />}
    </span>
  );
}
