/** Whether all cameras are fine, and the troubles of cameras and NVRs, above the alerts. */

import { symptomText } from '../alert-list.ts';
import type { CameraHealth, DeviceTrouble } from '../camera-attention.ts';
import { t, tRich } from '../words.ts';
import { CameraVerdict } from './camera-verdict.tsx';
import { TimeSince } from './time.tsx';

/** More are counted. */
const SHOWN = 5;

export function UnhealthyDevices({
  health,
  deviceNames,
}: {
  readonly health: CameraHealth;
  readonly deviceNames: ReadonlyMap<string, string>;
}) {
  const { troubles } = health;
  if (troubles.length === 0) return <CameraVerdict health={health} />;
  const rest = troubles.slice(SHOWN);
  return (
    <section class="unhealthy">
      <CameraVerdict health={health} />
      <ul>{troubles.slice(0, SHOWN).map(lineOf)}</ul>
      {rest.length > 0 && (
        <details>
          <summary>{t('{count} more', { count: rest.length })}</summary>
          <ul>{rest.map(lineOf)}</ul>
        </details>
      )}
    </section>
  );

  function lineOf({ uuid, deviceUuid, symptom, timestamp }: DeviceTrouble) {
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
