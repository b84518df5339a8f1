/** The alert that is forward: what happened where, and what a person does with it. */

import { alertTitle } from '../alert-list.ts';
import { lastAcknowledged } from '../alert-undo.ts';
import { alertSentence, lineText } from '../wall-alerts.ts';
import { t } from '../words.ts';
import { FormError } from './form-error.tsx';
import { TimeAgo } from './time.tsx';
import { UndoToast } from './toast-stack.tsx';
import type { WallAlerts } from './use-wall-alerts.ts';

export function WatchAlert({
  alerts,
  names,
}: {
  readonly alerts: WallAlerts;
  readonly names: ReadonlyMap<string, string>;
}) {
  const { waiting, current, place, error } = alerts;
  const acknowledged = lastAcknowledged.value;
  const name = names.get(current?.deviceUuid ?? '') ?? '';
  const { length } = waiting.alerts;
  return (
    <>
      <p class="off-screen" role="alert">
        {current !== null && t('Alert: {words}', { words: alertSentence(current, name) })}
      </p>
      {current !== null && (
        <section class="watch-alert" aria-label={t('Alert')}>
          <div class="watch-alert-words">
            <p class="watch-alert-title">
              <b>{name}</b> {alertTitle(current)}
            </p>
            <p class="watch-alert-line">
              {lineText(waiting, place)} · <TimeAgo epochMs={current.timestampMs} />
            </p>
          </div>
          <div class="watch-alert-deeds">
            {alerts.isAllowed && (
              <button
                type="button"
                class="primary"
                aria-keyshortcuts="a"
                onClick={() => alerts.acknowledge(current)}
              >
                {t('Acknowledge')} <kbd>A</kbd>
              </button>
            )}
            {length > 1 && (
              <button type="button" aria-keyshortcuts="n" onClick={alerts.next}>
                {t('Next')} <kbd>N</kbd>
              </button>
            )}
            <button type="button" aria-keyshortcuts="Escape" onClick={alerts.putBack}>
              {t('Put back')}
            </button>
          </div>
          {!alerts.isAllowed && <p class="watch-alert-line">{t('Operators can acknowledge it.')}</p>}
          <FormError error={error} />
        </section>
      )}
      {current === null && length > 0 && (
        <button type="button" class="watch-waiting" aria-keyshortcuts="n" onClick={alerts.next}>
          {waiting.isMore
            ? t('More than {count} alerts wait', { count: length })
            : t('{count, plural, one {# alert waits} other {# alerts wait}}', { count: length })}
        </button>
      )}
      {acknowledged !== null && (
        <div class="watch-undo">
          <UndoToast acknowledged={acknowledged} hasKey={false} />
          {current === null && <FormError error={error} />}
        </div>
      )}
    </>
  );
}
