/** Sound and flash of new alerts. */

import { alertSignals, isSoundBlocked, turnSignal } from '../alert-signals.ts';
import { t } from '../words.ts';
import { Check } from './check.tsx';

export function AlertSwitches() {
  return (
    <div class="alert-switches" role="group" aria-label={t('New alerts')}>
      <Check
        label={t('Sound')}
        isChecked={alertSignals.sound.value}
        onCheck={(isOn) => turnSignal('sound', isOn)}
      />
      <Check
        label={t('Flash')}
        isChecked={alertSignals.flash.value}
        onCheck={(isOn) => turnSignal('flash', isOn)}
      />
      {isSoundBlocked.value && (
        <p class="hint">{t('Click anywhere: until then, the browser blocks sound.')}</p>
      )}
    </div>
  );
}
