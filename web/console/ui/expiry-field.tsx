/** When a share ends: a click for the usual times, a date and time for others. */

import { useId } from 'preact/hooks';
import { type Expiry, epochMsOfLocalInput, localInput, PRESETS } from '../expiry.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { OWN_TIME_ZONE } from '../schedule-text.ts';
import { t } from '../words.ts';
import { Chips } from './chips.tsx';

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;

export function ExpiryField({
  legend = t('Ends'),
  never = t('Never'),
  presets = PRESETS,
  expiry,
  error,
  onExpiry,
}: {
  readonly legend?: string;
  /** On the choice without an end; null: there is none. */
  readonly never?: string | null;
  readonly presets?: typeof PRESETS;
  readonly expiry: Expiry;
  readonly error: string | null;
  readonly onExpiry: (expiry: Expiry) => void;
}) {
  const id = useId();
  const choose = (value: string) => {
    if (value === 'never') onExpiry({ kind: 'never' });
    else if (value === 'at') onExpiry({ kind: 'at', epochMs: tomorrow() });
    else onExpiry({ kind: 'in', sec: Number(value) });
  };
  return (
    <div class="field">
      <Chips
        legend={legend}
        value={expiry.kind === 'in' ? String(expiry.sec) : expiry.kind}
        options={[
          ...presets.map(({ title, sec }) => ({ title: t('In {title}', { title }), value: String(sec) })),
          { title: t('At a time'), value: 'at' },
          ...(never === null ? [] : [{ title: never, value: 'never' }]),
        ]}
        onValue={choose}
      />
      {expiry.kind === 'at' && (
        <>
          <input
            id={id}
            type="datetime-local"
            aria-label={t('{legend} at', { legend })}
            aria-describedby={`${id}-hint`}
            {...(error === null ? {} : { 'aria-invalid': true })}
            value={expiry.epochMs === null ? '' : localInput(expiry.epochMs)}
            onInput={({ currentTarget }) =>
              onExpiry({ kind: 'at', epochMs: epochMsOfLocalInput(currentTarget.value) })
            }
          />
          <p class={error === null ? 'hint' : 'field-error'} id={`${id}-hint`}>
            {error ?? t('Your own time ({ownTimeZone}).', { ownTimeZone: OWN_TIME_ZONE })}
          </p>
        </>
      )}
    </div>
  );
}

/** A first choice to change: at the same time tomorrow, to a quarter of an hour. */
function tomorrow(): number {
  return Math.ceil((gatewayNowMs() + DAY_MS) / QUARTER_MS) * QUARTER_MS;
}
