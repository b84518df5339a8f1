/** Whether viewers of a share see its past, how far back, and until when. */

import { PAST_SECS, type PastChoice } from '../past-choice.ts';
import { t } from '../words.ts';
import { Check } from './check.tsx';
import { Chips } from './chips.tsx';
import { ExpiryField } from './expiry-field.tsx';

const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;

export function PastField({
  choice,
  fault,
  onChoice,
}: {
  readonly choice: PastChoice;
  /** What is wrong with the end; null: nothing. */
  readonly fault: string | null;
  readonly onChoice: (choice: PastChoice) => void;
}) {
  const { isShown, backSec, end } = choice;
  // Another one was set by the API.
  const known = backSec === null || PAST_SECS.includes(backSec) ? PAST_SECS : [...PAST_SECS, backSec];
  return (
    <>
      <Check
        label={t('Viewers can also see the past')}
        hint={t('Cameras are recorded for them while the share is shown.')}
        isChecked={isShown}
        onCheck={(checked) => onChoice({ ...choice, isShown: checked })}
      />
      {isShown && (
        <div class="sub-fields">
          <Chips
            legend={t('How far back')}
            value={String(backSec ?? '')}
            options={[
              { value: '', title: t('To when the link was made') },
              ...known.map((sec) => ({ value: String(sec), title: backText(sec) })),
            ]}
            onValue={(value) => onChoice({ ...choice, backSec: value === '' ? null : Number(value) })}
          />
          <ExpiryField
            legend={t('The past ends')}
            never={t('With the share')}
            expiry={end}
            error={fault}
            onExpiry={(chosen) => onChoice({ ...choice, end: chosen })}
          />
        </div>
      )}
    </>
  );
}

/** As in "7 days". */
export function backText(sec: number): string {
  if (sec % DAY_SEC === 0) return t('{count, plural, one {# day} other {# days}}', { count: sec / DAY_SEC });
  return t('{count, plural, one {# hour} other {# hours}}', { count: Math.round(sec / HOUR_SEC) });
}
