/** Devices that are unhealthy now, above the alerts. */

import { symptomText, type UnhealthyDevice } from '../alert-list.ts';
import { t, tRich } from '../words.ts';
import { TimeSince } from './time.tsx';

/** More are counted. */
const SHOWN = 5;

export function UnhealthyDevices({
  devices,
  deviceNames,
  isAnyPaused,
}: {
  readonly devices: readonly UnhealthyDevice[];
  readonly deviceNames: ReadonlyMap<string, string>;
  /** Cameras that are paused are not among the devices. */
  readonly isAnyPaused: boolean;
}) {
  if (devices.length === 0) {
    return (
      <p class="healthy">
        <span class="sign live">
          {isAnyPaused ? t('All devices that are not paused are healthy') : t('All devices are healthy')}
        </span>
      </p>
    );
  }
  const rest = devices.slice(SHOWN);
  return (
    <section class="unhealthy">
      <h2>
        {t('{count, plural, one {# device needs attention} other {# devices need attention}}', {
          count: devices.length,
        })}
      </h2>
      <ul>{devices.slice(0, SHOWN).map(lineOf)}</ul>
      {rest.length > 0 && (
        <details>
          <summary>{t('{count} more', { count: rest.length })}</summary>
          <ul>{rest.map(lineOf)}</ul>
        </details>
      )}
    </section>
  );

  function lineOf({ uuid, deviceUuid, symptom, timestamp }: UnhealthyDevice) {
    return (
      <li key={uuid}>
        <span class="sign offline">{deviceNames.get(deviceUuid) ?? deviceUuid}</span>
        <span class="why">
          {tRich('{symptom} for {time}', {
            symptom: symptomText(symptom),
            time: <TimeSince epochMs={timestamp} />,
          })}
        </span>
      </li>
    );
  }
}
