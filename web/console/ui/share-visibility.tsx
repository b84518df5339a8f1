/** Shows what a link shows now, and at a chosen time, with the reason: the gateway's own decision. */

import { useId, useState } from 'preact/hooks';
import { epochMsOfLocalInput, localInput } from '../expiry.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { useReading } from '../reading.ts';
import { OWN_TIME_ZONE } from '../schedule-text.ts';
import type { ShareItem, VisibilityChange } from '../share-item.ts';
import { concernsShares } from '../share-state.ts';
import { readVisibility, type ShareVisibility } from '../share-viewers.ts';
import { t, tRich } from '../words.ts';
import { ClockTime } from './clock-time.tsx';
import { ReadingView } from './reading-view.tsx';
import { seenClass } from './seen-sign.tsx';

const HOUR_MS = 3_600_000;

export function ShareVisibilityView({
  share,
  isOffline,
}: {
  readonly share: ShareItem;
  readonly isOffline: boolean;
}) {
  const id = useId();
  const [atMs, setAtMs] = useState<number | null>(null);
  const { uuid, state } = share;
  const reading = useReading(
    (signal) => readVisibility(uuid, atMs, signal),
    [uuid, atMs, state],
    concernsShares,
  );
  return (
    <section class="dialog-part">
      <div class="part-head">
        <h3>{t('Viewers see')}</h3>
        <span class="when">
          <label for={id} class="off-screen">
            {t('At')}
          </label>
          {atMs !== null && (
            <input
              id={id}
              type="datetime-local"
              aria-describedby={`${id}-hint`}
              value={localInput(atMs)}
              onInput={({ currentTarget }) => {
                const chosenMs = epochMsOfLocalInput(currentTarget.value);
                if (chosenMs !== null) setAtMs(chosenMs);
              }}
            />
          )}
          <button type="button" onClick={() => setAtMs(atMs === null ? nextHour() : null)}>
            {atMs === null ? t('At another time…') : t('Now')}
          </button>
        </span>
      </div>
      <ReadingView reading={reading} what={t('what viewers see')}>
        {(shown) => <Shown shown={shown} isNow={atMs === null} isOffline={isOffline} />}
      </ReadingView>
      {atMs !== null && (
        <p class="hint" id={`${id}-hint`}>
          {t(
            'You choose in your own time ({zone}). By the rules as they are now; whether the camera is online then, no one can say.',
            { zone: OWN_TIME_ZONE },
          )}
        </p>
      )}
    </section>
  );
}

function Shown({
  shown,
  isNow,
  isOffline,
}: {
  readonly shown: ShareVisibility;
  readonly isNow: boolean;
  readonly isOffline: boolean;
}) {
  const { isVisible, sentence, timeZone, nextChange, cameras } = shown;
  return (
    <div class="seen-now" role="status">
      <p>
        <span class={seenClass(isVisible ? 'VISIBLE' : 'HIDDEN', isNow && isOffline)}>{sentence}</span>{' '}
        <span class="muted">({timeZone})</span>
      </p>
      {nextChange !== undefined && (
        <p>
          <Next change={nextChange} />
        </p>
      )}
      {isNow && isVisible && isOffline && (
        <p>{t('But the camera is offline: viewers read that, and see its last picture.')}</p>
      )}
      {cameras.length > 0 && (
        <ul class="words">
          {cameras.map((camera) => (
            <li key={camera.cameraUuid}>
              <span class={seenClass(camera.isVisible ? 'VISIBLE' : 'HIDDEN', false)}>
                {camera.cameraName}
              </span>{' '}
              <small>{camera.sentence}</small>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** In the browser's own time, like every other time of the page. */
function Next({ change }: { readonly change: VisibilityChange }) {
  const what = change.isVisible ? 'shown' : change.reason === 'expired' ? 'ends' : 'hidden';
  return (
    <>
      {tRich('{what, select, shown {Shown} ends {Ends} other {Hidden}} {time} your time.', {
        what,
        time: <ClockTime epochMs={change.atMs} />,
      })}
    </>
  );
}

function nextHour(): number {
  return Math.ceil((gatewayNowMs() + 1) / HOUR_MS) * HOUR_MS;
}
