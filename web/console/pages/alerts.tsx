/** Alerts as they come, and faults of devices. */

import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  type Acknowledgement,
  type AlertList,
  acknowledgeAlert,
  alertTitle,
  type NamedDevices,
  type PolicyAlert,
  readAlerts,
  readDeviceNames,
  readUnhealthyDevices,
  triggerText,
} from '../alert-list.ts';
import { announceAlert, endSignals } from '../alert-signals.ts';
import { announcementOf } from '../alert-words.ts';
import { listLocations } from '../camera-state.ts';
import { onChange } from '../changes.ts';
import { matcherOf } from '../matcher.ts';
import { usePageTitle } from '../page-title.ts';
import { type Reading, useReading } from '../reading.ts';
import { isLimited, may } from '../session.ts';
import { AcknowledgeDialog, FirstDialog } from '../ui/acknowledge-dialog.tsx';
import { AlertPlayer } from '../ui/alert-player.tsx';
import { AlertRows } from '../ui/alert-rows.tsx';
import { AlertSwitches, FlashFrame } from '../ui/alert-switches.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { SaveAlertDialog } from '../ui/save-alert-dialog.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { optionsOf, Select } from '../ui/select.tsx';
import { UnhealthyDevices } from '../ui/unhealthy-devices.tsx';
import { useAction } from '../ui/use-action.ts';

const STEP = 100;

interface Alerts extends AlertList, NamedDevices {
  readonly locationNames: ReadonlyMap<string, string>;
}

export function AlertsPage() {
  const arrived = useArrived();
  usePageTitle(arrived.size === 0 ? 'Alerts' : `(${arrived.size}) Alerts`);
  const wanted = useRef(STEP);
  const isOpenOnly = useSignal(true);
  const alerts = useReading<Alerts>(
    async (signal) => {
      const [list, devices, locationNames] = await Promise.all([
        readAlerts(wanted.current, isOpenOnly.value, signal),
        readDeviceNames(signal),
        listLocations(signal),
      ]);
      return { ...list, ...devices, locationNames };
    },
    [isOpenOnly.value],
    ({ entity }) => entity === 'POLICY_ALERT' || entity === 'ALERT_ACKNOWLEDGEMENT',
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
            isOpenOnly={isOpenOnly}
            readOlder={() => {
              wanted.current = known.alerts.length + STEP;
              alerts.refresh();
            }}
            refresh={alerts.refresh}
          />
        )}
      </ReadingView>
      <FlashFrame />
      <Announcement alerts={alerts.state.value} arrived={arrived} />
    </>
  );
}

/** Says each new alert once, as soon as the page knows what it is about. */
function Announcement({
  alerts,
  arrived,
}: {
  readonly alerts: Reading<Alerts>;
  readonly arrived: ReadonlySet<string>;
}) {
  const said = useRef<ReadonlySet<string>>(new Set());
  const [text, setText] = useState('');
  useEffect(() => {
    if (alerts.kind !== 'read') return;
    const isFresh = ({ uuid }: PolicyAlert) => arrived.has(uuid) && !said.current.has(uuid);
    const fresh = alerts.value.alerts.filter(isFresh);
    said.current = new Set([...arrived].filter((uuid) => said.current.has(uuid)));
    if (fresh.length === 0) return;
    said.current = new Set([...said.current, ...fresh.map(({ uuid }) => uuid)]);
    setText(announcementOf(fresh, alerts.value.deviceNames));
  }, [alerts, arrived]);
  return (
    <p class="off-screen" role="status">
      {text}
    </p>
  );
}

function AlertFeed({
  known,
  arrived,
  isOpenOnly,
  readOlder,
  refresh,
}: {
  readonly known: Alerts;
  readonly arrived: ReadonlySet<string>;
  readonly isOpenOnly: Signal<boolean>;
  readonly readOlder: () => void;
  readonly refresh: () => void;
}) {
  const text = useSignal('');
  const location = useSignal('');
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const { error, acknowledge } = useAcknowledging(({ acknowledgement: first, isYours }) => {
    refresh();
    if (!isYours) setOpen({ kind: 'first', first });
  });
  const { alerts, isMore, deviceNames, locationNames } = known;
  if (alerts.length === 0 && !isOpenOnly.value && isLimited()) {
    return (
      <Notice title="There are no alerts of your cameras">
        <p>New alerts of the sites and cameras that you see appear here at once.</p>
      </Notice>
    );
  }
  if (alerts.length === 0 && !isOpenOnly.value) {
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
          <Select
            label="Location"
            value={location.value}
            options={[{ value: '', title: 'All locations' }, ...optionsOf(locationNames)]}
            onValue={(choice) => {
              location.value = choice;
            }}
          />
        )}
        <Select
          label="Show"
          value={isOpenOnly.value ? 'open' : 'all'}
          options={[
            { value: 'open', title: 'Not acknowledged' },
            { value: 'all', title: 'All alerts' },
          ]}
          onValue={(choice) => {
            isOpenOnly.value = choice === 'open';
          }}
        />
        <p class="count" role="status">
          {isFiltered ? `${shown.length} of ${alerts.length}` : alerts.length}
          {isMore && ', there are older ones'}
        </p>
      </form>
      {may('operator') && alerts.length > 0 && (
        <p class="hint key-hint">
          <kbd>↑</kbd> <kbd>↓</kbd> choose an alert, <kbd>A</kbd> acknowledges it.
        </p>
      )}
      <FormError error={error} />
      {alerts.length === 0 ? (
        <Notice title="There are no alerts to see to">
          <p>Each one that was reported is acknowledged. New alerts appear here at once.</p>
        </Notice>
      ) : shown.length === 0 ? (
        <Notice title="No alert matches">
          {isMore && <p>None of the newest {alerts.length} alerts matches. Older ones may.</p>}
        </Notice>
      ) : (
        <AlertRows
          alerts={shown}
          names={known}
          locationNames={locationNames}
          arrived={arrived}
          actions={{
            save: may('operator') ? (alert) => setOpen({ kind: 'save', alert }) : null,
            acknowledge: may('operator')
              ? {
                  withNote: (alert) => setOpen({ kind: 'acknowledge', alert }),
                  atOnce: acknowledge,
                }
              : null,
            play: (alert) => setOpen({ kind: 'play', alert }),
          }}
        />
      )}
      {isMore && (
        <div class="list-end">
          <button type="button" onClick={readOlder}>
            Load older alerts
          </button>
        </div>
      )}
      {open !== null && <OpenedDialog open={open} refresh={refresh} onClose={() => setOpen(null)} />}
    </>
  );
}

/** With the keys, a person can move to the next alert before the gateway has answered: calls take turns. */
function useAcknowledging(onDone: (outcome: Awaited<ReturnType<typeof acknowledgeAlert>>) => void) {
  const line = useRef<PolicyAlert[]>([]);
  const { error, run } = useAction();
  const inTurn = async () => {
    let failed: unknown = null;
    for (let alert = line.current.shift(); alert !== undefined; alert = line.current.shift()) {
      try {
        onDone(await acknowledgeAlert(alert, null));
      } catch (thrown) {
        failed = thrown;
      }
    }
    if (failed !== null) throw failed;
  };
  return {
    error,
    acknowledge: (alert: PolicyAlert) => {
      if (!line.current.some(({ uuid }) => uuid === alert.uuid)) line.current.push(alert);
      void run(inTurn);
    },
  };
}

type OpenDialog =
  | { readonly kind: 'save' | 'acknowledge' | 'play'; readonly alert: PolicyAlert }
  | { readonly kind: 'first'; readonly first: Acknowledgement };

function OpenedDialog({
  open,
  refresh,
  onClose,
}: {
  readonly open: OpenDialog;
  readonly refresh: () => void;
  readonly onClose: () => void;
}) {
  switch (open.kind) {
    case 'save':
      return <SaveAlertDialog alert={open.alert} onSaved={refresh} onClose={onClose} />;
    case 'acknowledge':
      return <AcknowledgeDialog alert={open.alert} onDone={refresh} onClose={onClose} />;
    case 'play':
      return <AlertPlayer alert={open.alert} onClose={onClose} />;
    case 'first':
      return <FirstDialog first={open.first} hadNote={false} onClose={onClose} />;
  }
}

/** Alerts that arrived while the page was open and that are not acknowledged: each is announced once. */
function useArrived(): ReadonlySet<string> {
  const [arrived, setArrived] = useState<ReadonlySet<string>>(new Set());
  useEffect(
    () =>
      onChange(({ entity, type, entityUuid }) => {
        if (entity === 'ALERT_ACKNOWLEDGEMENT') {
          setArrived((before) => {
            if (!before.has(entityUuid)) return before;
            const left = new Set([...before].filter((uuid) => uuid !== entityUuid));
            if (left.size === 0) endSignals();
            return left;
          });
          return;
        }
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
