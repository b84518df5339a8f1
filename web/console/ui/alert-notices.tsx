/** What every page has for alerts: their sound, flash, words, and notices. The notices are loaded when there are some. */

import { ErrorBoundary, lazy } from 'preact-iso';
import { alertSignals, isFlashing, isSoundBlocked, turnSignal } from '../alert-signals.ts';
import { uuidsOf } from '../alert-toasts.ts';
import { lastAcknowledged } from '../alert-undo.ts';
import { alertAnnouncement, alertToasts } from '../alert-watch.ts';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';

const AlertToasts = lazy(() => import('./toast-stack.tsx').then(({ AlertToasts: toasts }) => toasts));

/** `isListShown`: the page shows new alerts anyway, as the list of alerts does. `isWall`: it shows them, and has the undo. */
export function AlertNotices({
  isListShown,
  isWall,
}: {
  readonly isListShown: boolean;
  readonly isWall: boolean;
}) {
  const isSome = lastAcknowledged.value !== null || uuidsOf(alertToasts.value).length > 0;
  const hasToasts = isSome && !isWall;
  return (
    <>
      <p class="off-screen" role="status">
        {alertAnnouncement.value}
      </p>
      {hasToasts && (
        // Waits for the file. If it does not come, the badge and the list still say it.
        <ErrorBoundary>
          <AlertToasts isListShown={isListShown} />
        </ErrorBoundary>
      )}
      {isFlashing.value && <div class="flash-frame" />}
    </>
  );
}

/** One press turns the sound of new alerts on or off, for this browser. */
export function AlertSound() {
  const isOn = alertSignals.sound.value;
  const hint = isSoundBlocked.value
    ? t('The browser blocks sound until you click somewhere')
    : isOn
      ? t('New alerts sound')
      : t('New alerts are silent');
  return (
    <button
      type="button"
      class={isSoundBlocked.value ? 'quiet alert-sound blocked' : 'quiet alert-sound'}
      aria-label={t('Alert sound')}
      aria-pressed={isOn}
      title={hint}
      onClick={() => turnSignal('sound', !isOn)}
    >
      <Icon name={isOn ? 'sound' : 'silent'} />
    </button>
  );
}
