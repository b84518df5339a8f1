/** On every page, above it, or below a wall on the whole window: which cameras are open to whom, until when, and one button to close them. */

import { listText } from '../../words/formats.ts';
import {
  closeEmergency,
  EMERGENCIES_PLACE,
  type Emergency,
  emergencyPlace,
  openEmergencies,
} from '../emergency-list.ts';
import { may } from '../session.ts';
import { t, tRich } from '../words.ts';
import { FormError } from './form-error.tsx';
import { Icon } from './icon.tsx';
import { TimeLeft } from './time.tsx';
import { useAction } from './use-action.ts';

/** The others are on their page. */
const MAX_SHOWN = 3;

export function EmergencyBar() {
  const all = openEmergencies.value;
  if (all.length === 0) return null;
  const others = all.length - MAX_SHOWN;
  return (
    <section class="emergency-bar" aria-label={t('Cameras that are open in an emergency')}>
      {all.slice(0, MAX_SHOWN).map((emergency) => (
        <OpenLine key={emergency.emergencyUuid} emergency={emergency} />
      ))}
      {others > 0 && (
        <p>
          <a href={EMERGENCIES_PLACE}>
            {t('{count, plural, one {# more is open} other {# more are open}}', { count: others })}
          </a>
        </p>
      )}
    </section>
  );
}

function OpenLine({ emergency }: { readonly emergency: Emergency }) {
  const { isBusy, error, run } = useAction();
  const { emergencyUuid, cameras, partnerName, untilMs, title } = emergency;
  const what = tRich('<b>{cameras}</b> open to <b>{partner}</b>', {
    cameras: cameras.length === 1 ? cameras[0]!.name : `${title} (${cameraCount(cameras.length)})`,
    partner: partnerName,
    b: (text) => <b>{text}</b>,
  });
  return (
    <div class="emergency-line" role="status">
      <Icon name="alert" />
      <p>
        {may('operator') ? <a href={emergencyPlace(emergencyUuid)}>{what}</a> : what}{' '}
        <span class="emergency-left" title={listText(cameras.map(({ name }) => name))}>
          <TimeLeft epochMs={untilMs} />
        </span>
      </p>
      {may('operator') && (
        <button
          type="button"
          class="primary"
          disabled={isBusy}
          aria-label={t('Close now: {title}', { title })}
          onClick={() => void run(() => closeEmergency(emergencyUuid))}
        >
          {isBusy ? t('One moment…') : t('Close now')}
        </button>
      )}
      <FormError error={error} />
    </div>
  );
}

export function cameraCount(count: number): string {
  return t('{count, plural, one {# camera} other {# cameras}}', { count });
}
