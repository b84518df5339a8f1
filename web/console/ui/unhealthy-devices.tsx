/** Devices that are unhealthy now, above the alerts. */

import { symptomText, type UnhealthyDevice } from '../alert-list.ts';
import { TimeSince } from './time.tsx';

/** More are counted. */
const SHOWN = 5;

export function UnhealthyDevices({
  devices,
  deviceNames,
}: {
  readonly devices: readonly UnhealthyDevice[];
  readonly deviceNames: ReadonlyMap<string, string>;
}) {
  if (devices.length === 0) {
    return (
      <p class="healthy">
        <span class="sign live">All devices are healthy</span>
      </p>
    );
  }
  const rest = devices.slice(SHOWN);
  return (
    <section class="unhealthy">
      <h2>
        {devices.length === 1 ? '1 device needs attention' : `${devices.length} devices need attention`}
      </h2>
      <ul>{devices.slice(0, SHOWN).map(lineOf)}</ul>
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
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
          {symptomText(symptom)} for <TimeSince epochMs={timestamp} />
        </span>
      </li>
    );
  }
}
