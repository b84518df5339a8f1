/** The time zone of a site: found by typing a part of its name. */

import { gatewayNowMs } from '../gateway-clock.ts';
import { isTimeZone, timeIn, timeZones, zoneTitle } from '../time-zones.ts';
import { t } from '../words.ts';
import { SelectField } from './select.tsx';

const NONE = { value: '', title: t('Choose a time zone') };
export const ZONES = timeZones().map((zone) => ({ value: zone, title: zoneTitle(zone) }));

export function ZoneField({
  value,
  onValue,
}: {
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  // A site can have the former name of a zone.
  const own = ZONES.some((zone) => zone.value === value) ? [] : [{ value, title: value }];
  return (
    <SelectField
      label={t('Time zone')}
      value={value}
      options={value === '' ? [NONE, ...ZONES] : [...own, ...ZONES]}
      hint={
        isTimeZone(value) &&
        t('It is {time} there. Schedules of its cameras follow this time.', {
          time: timeIn(value, gatewayNowMs()),
        })
      }
      onValue={onValue}
    />
  );
}
