/** Alerts as they come, and what is wrong with devices. */

import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { announceAlert } from '../alert-signals.ts';
import {
  type AlertList,
  alertTitle,
  type NamedDevices,
  type PolicyAlert,
  readAlerts,
  readDeviceNames,
  readUnhealthyDevices,
  triggerText,
} from '../alerts.ts';
import { listLocations } from '../camera-state.ts';
import { onChange } from '../changes.ts';
import { usePageTitle } from '../page-title.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import { AlertRows } from '../ui/alert-rows.tsx';
import { AlertSwitches, FlashFrame } from '../ui/alert-switches.tsx';
import { Choice } from '../ui/choice.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { SaveAlertDialog } from '../ui/save-alert-dialog.tsx';
import { matcherOf, SearchField } from '../ui/search-field.tsx';
import { UnhealthyDevices } from '../ui/unhealthy-devices.tsx';

const STEP = 100;

interface Alerts extends AlertList, NamedDevices {
  readonly locationNames: ReadonlyMap<string, string>;
}

export function AlertsPage() {
  const arrived = useArrived();
  usePageTitle(arrived.size === 0 ? 'Alerts' : `(${arrived.size}) Alerts`);
  const wanted = useRef(STEP);
  const alerts = useReading<Alerts>(
    async (signal) => {
      const [list, devices, locationNames] = await Promise.all([
        readAlerts(wanted.current, signal),
        readDeviceNames(signal),
        listLocations(signal),
      ]);
      return { ...list, ...devices, locationNames };
    },
    [],
    ({ entity }) => entity === 'POLICY_ALERT',
  );
  const unhealthy = useReading(
    async (signal) => {
      const [devices, { deviceNames }] = await Promise.all([
        readUnhealthyDevices(signal),
        readDeviceNames(signal),
      ]);
      return { devices, deviceNames };
    },
    [],
    ({ entity }) => entity === 'CAMERA' || entity === 'NVR',
  );
  return (
    <>
      <div class="page-head">
        <h1>Alerts</h1>
        <AlertSwitches />
      </div>
      <ReadingView reading={unhealthy} what="device health">
        {({ devices, deviceNames }) => <UnhealthyDevices devices={devices} deviceNames={deviceNames} />}
      </ReadingView>
      <ReadingView reading={alerts} what="alerts">
        {(known) => (
          <AlertFeed
            known={known}
            arrived={arrived}
            readOlder={() => {
              wanted.current = known.alerts.length + STEP;
              alerts.refresh();
            }}
            refresh={alerts.refresh}
          />
        )}
      </ReadingView>
      <FlashFrame />
    </>
  );
}

function AlertFeed({
  known,
  arrived,
  readOlder,
  refresh,
}: {
  readonly known: Alerts;
  readonly arrived: ReadonlySet<string>;
  readonly readOlder: () => void;
  readonly refresh: () => void;
}) {
  const text = useSignal('');
  const location = useSignal('');
  const [saving, setSaving] = useState<PolicyAlert | null>(null);
  const { alerts, isMore, deviceNames, locationNames } = known;
  if (alerts.length === 0) {
    return (
      <Notice title="There are no alerts">
        <p>
          Cameras with ONVIF events raise alerts on their own. Other programs report theirs with{' '}
          <code>/api/ingest/policyAlerts</code>. New alerts appear here at once.
        </p>
      </Notice>
    );
  }
  const isMatch = matcherOf(text.value);
  const shown = alerts.filter((alert) => {
    if (location.value !== '' && alert.locationUuid !== location.value) return false;
    const triggers = (alert.policyAlertTriggers ?? []).map(triggerText).join(' ');
    const device = deviceNames.get(alert.deviceUuid) ?? '';
    return isMatch(
      `${alertTitle(alert)} ${triggers} ${device} ${locationNames.get(alert.locationUuid ?? '') ?? ''}`,
    );
  });
  const isFiltered = text.value !== '' || location.value !== '';
  return (
    <>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <SearchField
          label="Filter by name, camera, kind"
          value={text.value}
          onValue={(typed) => {
            text.value = typed;
          }}
        />
        {locationNames.size > 0 && (
          <Choice
            label="Location"
            value={location.value}
            options={[['', 'All locations'], ...locationNames]}
            onChoice={(choice) => {
              location.value = choice;
            }}
          />
        )}
        <p class="count" role="status">
          {isFiltered ? `${shown.length} of ${alerts.length}` : alerts.length}
          {isMore && ', there are older ones'}
        </p>
      </form>
      {shown.length === 0 ? (
        <Notice title="No alert matches">
          {isMore && <p>None of the newest {alerts.length} alerts matches. Older ones may.</p>}
        </Notice>
      ) : (
        <AlertRows
          alerts={shown}
          names={known}
          locationNames={locationNames}
          arrived={arrived}
          save={may('operator') ? setSaving : null}
        />
      )}
      {isMore && (
        <div class="list-end">
          <button type="button" onClick={readOlder}>
            Load older alerts
          </button>
        </div>
      )}
      {saving !== null && (
        <SaveAlertDialog alert={saving} onSaved={refresh} onClose={() => setSaving(null)} />
      )}
    </>
  );
}

/** Alerts that came while the page is open: each is announced once. */
function useArrived(): ReadonlySet<string> {
  const [arrived, setArrived] = useState<ReadonlySet<string>>(new Set());
  useEffect(
    () =>
      onChange(({ entity, type, entityUuid }) => {
        if (entity !== 'POLICY_ALERT' || type !== 'CREATE') return;
        setArrived((before) => new Set([...before, entityUuid].slice(-MAX_ARRIVED)));
        announceAlert();
      }),
    [],
  );
  return arrived;
}

/** More than one looks at; a page can stay open for weeks. */
const MAX_ARRIVED = 500;
