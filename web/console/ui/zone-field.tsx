/** The time zone of a site: found by typing a part of its name. */

import { useId, useMemo } from 'preact/hooks';
import { gatewayNowMs } from '../gateway-clock.ts';
import { isTimeZone, timeIn, timeZones, zoneTitle } from '../time-zones.ts';

export function ZoneField({
  value,
  error,
  onValue,
}: {
  readonly value: string;
  /** Null: it is fine. */
  readonly error: string | null;
  readonly onValue: (value: string) => void;
}) {
  const id = useId();
  // There are four hundred, and the dialog is shown again with each letter that is typed.
  const options = useMemo(
    () =>
      timeZones().map((zone) => (
        <option key={zone} value={zone}>
          {zoneTitle(zone)}
        </option>
      )),
    [],
  );
  return (
    <div class="field">
      <label for={id}>Time zone</label>
      <input
        id={id}
        name="tz"
        list={`${id}-zones`}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={64}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value.trim())}
        aria-describedby={`${id}-hint`}
        {...(error === null ? {} : { 'aria-invalid': true })}
      />
      <datalist id={`${id}-zones`}>{options}</datalist>
      <p class={error === null ? 'hint' : 'field-error'} id={`${id}-hint`}>
        {error ??
          (isTimeZone(value)
            ? `It is ${timeIn(value, gatewayNowMs())} there. Schedules of its cameras follow this time.`
            : 'Type a city, such as Berlin.')}
      </p>
    </div>
  );
}
