/** Alerts as they come, and faults of devices. */

import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import {
  type AlertList,
  alertTitle,
  type NamedDevices,
  readAlert,
  readAlerts,
  readDeviceNames,
  triggerText,
} from '../alert-list.ts';
import { arrivedAlerts } from '../alert-watch.ts';
import { readCameraHealth } from '../camera-attention.ts';
import type { CameraPauses } from '../camera-pause.ts';
import { listLocations } from '../camera-state.ts';
import type { Change } from '../changes.ts';
import { matcherOf } from '../matcher.ts';
import { NOTIFICATIONS_PLACE } from '../notice-place.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { isLimited, may } from '../session.ts';
import { AlertRows } from '../ui/alert-rows.tsx';
import { AlertSwitches } from '../ui/alert-switches.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Icon } from '../ui/icon.tsx';
import { ListFilters } from '../ui/list-filters.tsx';
import { Notice } from '../ui/notice.tsx';
import { PausedCameras, useAfterPause } from '../ui/pause-line.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { optionsOf, Select } from '../ui/select.tsx';
import { UnhealthyDevices } from '../ui/unhealthy-devices.tsx';
import { useAlertActions } from '../ui/use-alert-actions.tsx';
import { t, tRich } from '../words.ts';

const STEP = 100;
const NONE: ReadonlySet<string> = new Set();
const NO_PAUSES: CameraPauses = new Map();

const ALERT_ENTITIES: ReadonlySet<string> = new Set([
  'POLICY_ALERT',
  'ALERT_ACKNOWLEDGEMENT',
  'ALERT_TAKING',
]);

function isAboutAlerts({ entity }: Change): boolean {
  return ALERT_ENTITIES.has(entity);
}

interface Alerts extends AlertList, NamedDevices {
  readonly locationNames: ReadonlyMap<string, string>;
}

export function AlertsPage() {
  usePageTitle(t('Alerts'));
  const { query } = useLocation();
  const chosenUuid = query.alert ?? '';
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
    isAboutAlerts,
  );
  const unhealthy = useReading(
    async (signal) => {
      const [read, { deviceNames }] = await Promise.all([readCameraHealth(signal), readDeviceNames(signal)]);
      return { ...read, deviceNames };
    },
    [],
    ({ entity }) => entity === 'CAMERA' || entity === 'NVR',
  );
  const health = unhealthy.state.value;
  useAfterPause(health.kind === 'read' ? health.value.pauses : NO_PAUSES, unhealthy.refresh);
  return (
    <>
      <div class="page-head">
        <h1>{t('Alerts')}</h1>
        <AlertSwitches />
        <a class="button" href={NOTIFICATIONS_PLACE}>
          <Icon name="bell" /> {t('Notifications…')}
        </a>
      </div>
      <ReadingView reading={unhealthy} what={t('device health')}>
        {({ deviceNames, ...read }) => (
          <>
            <UnhealthyDevices health={read} deviceNames={deviceNames} />
            <PausedCameras pauses={read.pauses} names={deviceNames} onEnd={unhealthy.refresh} />
          </>
        )}
      </ReadingView>
      {chosenUuid !== '' && <ChosenAlert key={chosenUuid} alertUuid={chosenUuid} />}
      <ReadingView reading={alerts} what={t('alerts')}>
        {(known) => (
          <AlertFeed
            known={known}
            isOpenOnly={isOpenOnly}
            readOlder={() => {
              wanted.current = known.alerts.length + STEP;
              alerts.refresh();
            }}
            refresh={alerts.refresh}
          />
        )}
      </ReadingView>
    </>
  );
}

function AlertFeed({
  known,
  isOpenOnly,
  readOlder,
  refresh,
}: {
  readonly known: Alerts;
  readonly isOpenOnly: Signal<boolean>;
  readonly readOlder: () => void;
  readonly refresh: () => void;
}) {
  const text = useSignal('');
  const location = useSignal('');
  const { dialog, error, isBusy, actions, acknowledgeAll } = useAlertActions(refresh);
  const { alerts, isMore, deviceNames, locationNames } = known;
  if (alerts.length === 0 && !isOpenOnly.value && isLimited()) {
    return (
      <Notice title={t('There are no alerts of your cameras')}>
        <p>{t('New alerts of the sites and cameras that you see appear here immediately.')}</p>
      </Notice>
    );
  }
  if (alerts.length === 0 && !isOpenOnly.value) {
    return (
      <Notice title={t('There are no alerts')}>
        <p>
          {t(
            'Cameras with ONVIF raise alerts on their own, and other programs report theirs through the API. New alerts appear here immediately.',
          )}
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
      <ListFilters
        search={
          <SearchField
            label={t('Filter by name, camera, kind')}
            value={text.value}
            onValue={(typed) => {
              text.value = typed;
            }}
          />
        }
        chosen={(location.value === '' ? 0 : 1) + (isOpenOnly.value ? 0 : 1)}
        fields={
          <>
            {locationNames.size > 0 && (
              <Select
                label={t('Site')}
                value={location.value}
                options={[{ value: '', title: t('All sites') }, ...optionsOf(locationNames)]}
                onValue={(choice) => {
                  location.value = choice;
                }}
              />
            )}
            <Select
              label={t('Show')}
              value={isOpenOnly.value ? 'open' : 'all'}
              options={[
                { value: 'open', title: t('Not acknowledged') },
                { value: 'all', title: t('All alerts') },
              ]}
              onValue={(choice) => {
                isOpenOnly.value = choice === 'open';
              }}
            />
          </>
        }
        count={
          isFiltered
            ? t('{shown} of {count}{hasOlder, select, true {, there are older ones} other {}}', {
                shown: shown.length,
                count: alerts.length,
                hasOlder: String(isMore),
              })
            : t('{count}{hasOlder, select, true {, there are older ones} other {}}', {
                count: alerts.length,
                hasOlder: String(isMore),
              })
        }
      />
      {may('operator') && alerts.length > 0 && (
        <div class="alert-hints">
          <p class="hint key-hint">
            {tRich(
              '<kbd>↑</kbd> <kbd>↓</kbd> choose an alert, <kbd>A</kbd> acknowledges it, <kbd>T</kbd> says that you are on it.',
              { kbd: (text) => <kbd>{text}</kbd> },
            )}
          </p>
          {isOpenOnly.value && shown.length > 1 && (
            <button type="button" disabled={isBusy} onClick={() => acknowledgeAll(shown)}>
              {t('Acknowledge all {count}', { count: shown.length })}
            </button>
          )}
        </div>
      )}
      <FormError error={error} />
      {alerts.length === 0 ? (
        <Notice title={t('There are no alerts to see to')}>
          <p>{t('Each one that was reported is acknowledged. New alerts appear here immediately.')}</p>
        </Notice>
      ) : shown.length === 0 ? (
        <Notice title={t('No alert matches')}>
          {isMore && (
            <p>{t('None of the newest {count} alerts matches. Older ones may.', { count: alerts.length })}</p>
          )}
        </Notice>
      ) : (
        <AlertRows
          alerts={shown}
          names={known}
          locationNames={locationNames}
          arrived={arrivedAlerts.value}
          actions={actions}
        />
      )}
      {isMore && (
        <div class="list-end">
          <button type="button" onClick={readOlder}>
            {t('Load older alerts')}
          </button>
        </div>
      )}
      {dialog}
    </>
  );
}

/** The alert that a notice led to, whether it is still open or not. */
function ChosenAlert({ alertUuid }: { readonly alertUuid: string }) {
  const part = useRef<HTMLElement>(null);
  const reading = useReading(
    async (signal) => {
      const [alert, names, locationNames] = await Promise.all([
        readAlert(alertUuid, signal),
        readDeviceNames(signal),
        listLocations(signal),
      ]);
      return { alert, names, locationNames };
    },
    [alertUuid],
    isAboutAlerts,
  );
  const { dialog, error, actions } = useAlertActions(reading.refresh);
  const isRead = reading.state.value.kind === 'read';
  useEffect(() => {
    if (isRead) part.current?.querySelector<HTMLElement>('[data-alert]')?.focus();
  }, [isRead]);
  return (
    <section ref={part} class="chosen-alert" aria-label={t('The alert that you opened')}>
      <ReadingView reading={reading} what={t('the alert')}>
        {({ alert, names, locationNames }) => (
          <>
            <FormError error={error} />
            <AlertRows
              alerts={[alert]}
              names={names}
              locationNames={locationNames}
              arrived={NONE}
              actions={actions}
            />
          </>
        )}
      </ReadingView>
      <p>
        <a href={place('alerts')}>{t('Close it, and show only the list')}</a>
      </p>
      {dialog}
    </section>
  );
}
