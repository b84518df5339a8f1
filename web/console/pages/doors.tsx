/** Doors and access: doors with their events, elevator landings, lockdown rules, revocations. */

import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { listLocations } from '../camera-state.ts';
import {
  type Door,
  type Landing,
  type LockdownRule,
  MAX_LOCATIONS_AT_ONCE,
  type Revocation,
  readDoors,
  readLandings,
  readLockdownRules,
  readRevocations,
} from '../door-list.ts';
import { usePageTitle } from '../page-title.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { may } from '../session.ts';
import { DoorTable } from '../ui/door-table.tsx';
import { Icon } from '../ui/icon.tsx';
import { LandingTable } from '../ui/landing-table.tsx';
import { DeleteRuleDialog, LockdownRuleDialog } from '../ui/lockdown-rule-dialog.tsx';
import { LockdownRuleTable } from '../ui/lockdown-rule-table.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView, ReadTogether } from '../ui/reading-view.tsx';
import { RevocationTable } from '../ui/revocation-table.tsx';
import { optionsOf, Select } from '../ui/select.tsx';
import { t } from '../words.ts';

type Locations = ReadonlyMap<string, string>;

export function DoorsPage() {
  usePageTitle(t('Doors and access'));
  const locations = useReading(listLocations, [], ({ entity }) => entity === 'LOCATION');
  return (
    <>
      <h1>{t('Doors and access')}</h1>
      <ReadingView reading={locations} what={t('locations')}>
        {(locationNames) => <AtLocation locationNames={locationNames} />}
      </ReadingView>
    </>
  );
}

function AtLocation({ locationNames }: { readonly locationNames: Locations }) {
  const location = useSignal('');
  const chosen = location.value;
  const requested = chosen === '' ? [...locationNames.keys()] : [chosen];
  const isTooMany = requested.length > MAX_LOCATIONS_AT_ONCE;
  const fewRequested = isTooMany ? [] : requested;
  const doors = useReading(readDoors, [], ({ entity }) => entity === 'ACCESS_CONTROLLED_DOOR');
  const landings = useReading((signal) => readLandings(fewRequested, signal), [fewRequested.join()]);
  const rules = useReading(
    (signal) => readLockdownRules(fewRequested, signal),
    [fewRequested.join()],
    ({ entity }) => entity === 'LOCKDOWN_RULE',
  );
  const revocations = useReading(readRevocations, []);
  return (
    <ReadTogether readings={[doors, landings, rules, revocations]} what={t('doors')}>
      {locationNames.size > 0 && (
        <form class="filters" onSubmit={(event) => event.preventDefault()}>
          <Select
            label={t('Site')}
            value={chosen}
            options={[{ value: '', title: t('All sites') }, ...optionsOf(locationNames)]}
            onValue={(choice) => {
              location.value = choice;
            }}
          />
        </form>
      )}
      <Doors reading={doors} locationNames={locationNames} locationUuid={chosen} />
      {isTooMany ? (
        <Notice title={t('Choose a site')}>
          <p>{t('Elevator landings and lockdown rules are shown for one site at a time: there are many.')}</p>
        </Notice>
      ) : (
        <>
          <Landings reading={landings} locationNames={locationNames} />
          <LockdownRules
            reading={rules}
            locationNames={locationNames}
            firstLocationUuid={requested[0] ?? ''}
          />
        </>
      )}
      <Revocations reading={revocations} locationNames={locationNames} locationUuid={chosen} />
    </ReadTogether>
  );
}

interface Part<Value> {
  readonly reading: ReadingHandle<Value>;
  readonly locationNames: Locations;
}

interface AtOne {
  /** Empty: all. */
  readonly locationUuid: string;
}

function Doors({ reading, locationNames, locationUuid }: Part<readonly Door[]> & AtOne) {
  return (
    <section class="part">
      <h2>{t('Doors')}</h2>
      <ReadingView reading={reading} what={t('doors')}>
        {(doors) => {
          const shown = doors.filter((door) => locationUuid === '' || door.locationUuid === locationUuid);
          if (shown.length === 0) {
            return (
              <Notice
                title={doors.length === 0 ? t('No device has reported a door') : t('No door at this site')}
              >
                <p>
                  {t(
                    'Doors appear here once your access control system reports them through the gateway’s API. Ask its installer.',
                  )}
                </p>
              </Notice>
            );
          }
          return <DoorTable doors={shown} locationNames={locationNames} />;
        }}
      </ReadingView>
    </section>
  );
}

function Landings({ reading, locationNames }: Part<readonly Landing[]>) {
  return (
    <section class="part">
      <h2>{t('Elevator landings')}</h2>
      <ReadingView reading={reading} what={t('elevator landings')}>
        {(landings) =>
          landings.length === 0 ? (
            <Notice title={t('No elevator landing here')}>
              <p>
                {t('Landings appear here once your elevator control reports them through the gateway’s API.')}
              </p>
            </Notice>
          ) : (
            <LandingTable landings={landings} locationNames={locationNames} />
          )
        }
      </ReadingView>
    </section>
  );
}

type OpenedRule = { readonly kind: 'create' } | { readonly kind: 'delete'; readonly rule: LockdownRule };

function LockdownRules({
  reading,
  locationNames,
  firstLocationUuid,
}: Part<readonly LockdownRule[]> & { readonly firstLocationUuid: string }) {
  const [opened, setOpened] = useState<OpenedRule | null>(null);
  const isAdmin = may('admin');
  const close = () => setOpened(null);
  return (
    <section class="part">
      <div class="section-head">
        <h2>{t('Lockdown rules')}</h2>
        {isAdmin && locationNames.size > 0 && (
          <button type="button" onClick={() => setOpened({ kind: 'create' })}>
            <Icon name="plus" /> {t('Add rule')}
          </button>
        )}
      </div>
      <ReadingView reading={reading} what={t('lockdown rules')}>
        {(rules) =>
          rules.length === 0 ? (
            <Notice title={t('There are no lockdown rules')}>
              <p>
                {t(
                  'A rule sets doors, raises an alert or calls a webhook when something is reported at its site.',
                )}{' '}
                {locationNames.size === 0 && t('Add a site first.')}{' '}
                {!isAdmin && t('Administrators can add rules.')}
              </p>
            </Notice>
          ) : (
            <LockdownRuleTable
              rules={rules}
              locationNames={locationNames}
              remove={isAdmin ? (rule) => setOpened({ kind: 'delete', rule }) : null}
            />
          )
        }
      </ReadingView>
      {opened?.kind === 'create' && (
        <LockdownRuleDialog
          locationNames={locationNames}
          locationUuid={firstLocationUuid}
          onCreated={reading.refresh}
          onClose={close}
        />
      )}
      {opened?.kind === 'delete' && (
        <DeleteRuleDialog rule={opened.rule} onDeleted={reading.refresh} onClose={close} />
      )}
    </section>
  );
}

function Revocations({ reading, locationNames, locationUuid }: Part<readonly Revocation[]> & AtOne) {
  return (
    <section class="part">
      <h2>{t('Revoked access')}</h2>
      <ReadingView reading={reading} what={t('revocations')}>
        {(all) => {
          const shown = all.filter((one) => locationUuid === '' || one.locationUuid === locationUuid);
          return shown.length === 0 ? (
            <Notice title={t('No access is revoked')}>
              <p>
                {t(
                  'Revocations appear here once your access control system reports them through the gateway’s API.',
                )}
              </p>
            </Notice>
          ) : (
            <RevocationTable revocations={shown} locationNames={locationNames} />
          );
        }}
      </ReadingView>
    </section>
  );
}
