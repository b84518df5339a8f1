/** Alarm centers: who gets alerts by mail to act on them, a test of each, and every mail to one. */

import { useState } from 'preact/hooks';
import {
  ALARM_FORMATS,
  type AlarmCenter,
  type AlarmCenters,
  readAlarmCenters,
  readAlarmMails,
} from '../alarm-center-list.ts';
import { readMailSettings } from '../mail-list.ts';
import { usePageTitle } from '../page-title.ts';
import { useReading } from '../reading.ts';
import type { StateFilter } from '../state-filter.ts';
import { AlarmCenterDialog, type OpenedAlarmCenter } from '../ui/alarm-center-dialogs.tsx';
import { Icon } from '../ui/icon.tsx';
import { MailMissing } from '../ui/mail-missing.tsx';
import { MailTable } from '../ui/mail-table.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageTabs } from '../ui/page-tabs.tsx';
import { ReadingView, ReadTogether } from '../ui/reading-view.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { optionsOf, Select } from '../ui/select.tsx';
import { t } from '../words.ts';
import { MAIL_TABS } from './mail-tabs.ts';

const FORMAT_TITLES = new Map(ALARM_FORMATS.map(({ value, title }) => [value, title]));

export function AlarmCentersPage() {
  usePageTitle(t('Alarm centers'));
  const reading = useReading(
    readAlarmCenters,
    [],
    ({ entity }) => entity === 'CAMERA' || entity === 'LOCATION',
  );
  const mail = useReading(readMailSettings, [], ({ entity }) => entity === 'GATEWAY_SETTINGS');
  const [opened, setOpened] = useState<OpenedAlarmCenter | null>(null);
  const [tests, setTests] = useState(0);
  const changed = () => {
    reading.refresh();
    setTests((count) => count + 1);
  };
  return (
    <>
      <div class="page-head">
        <h1>{t('Alarm centers')}</h1>
        <button type="button" class="primary" onClick={() => setOpened({ kind: 'edit', center: undefined })}>
          <Icon name="plus" /> {t('Add alarm center')}
        </button>
      </div>
      <PageTabs label={t('Mail')} tabs={MAIL_TABS} />
      <ReadTogether readings={[reading, mail]} what={t('alarm centers')}>
        <ReadingView reading={mail} what={t('the mail settings')}>
          {({ isSetUp }) => !isSetUp && <MailMissing text={t('Alarm centers get no alarms.')} />}
        </ReadingView>
        <ReadingView reading={reading} what={t('alarm centers')}>
          {(known) => (
            <>
              <Centers known={known} open={(kind, center) => setOpened({ kind, center })} />
              {known.centers.length > 0 && <Mails centers={known.centers} tests={tests} />}
              {opened !== null && (
                <AlarmCenterDialog
                  opened={opened}
                  known={known}
                  changed={changed}
                  onClose={() => setOpened(null)}
                />
              )}
            </>
          )}
        </ReadingView>
      </ReadTogether>
    </>
  );
}

const STATES: StateFilter<AlarmCenter> = {
  states: [
    { value: 'on', title: t('On') },
    { value: 'off', title: t('Off') },
  ],
  of: ({ disabled }) => (disabled ? 'off' : 'on'),
};

function Centers({
  known: { centers, siteNames },
  open,
}: {
  readonly known: AlarmCenters;
  readonly open: (kind: 'edit' | 'test' | 'remove', center: AlarmCenter) => void;
}) {
  if (centers.length === 0) {
    return (
      <Notice title={t('No alarm center gets alerts yet')}>
        <p>
          {t(
            'A guard company can get each alert by mail, with its image, in the form that its software reads. Ask it for the address.',
          )}
        </p>
      </Notice>
    );
  }
  return (
    <RecordTable
      name="alarm-centers"
      label={t('Alarm centers')}
      items={centers}
      keyOf={({ alarmReceiverUuid }) => alarmReceiverUuid}
      states={STATES}
      columns={[
        {
          title: t('Name'),
          cell: (center) => (
            <button type="button" class="link" onClick={() => open('edit', center)}>
              {center.name}
            </button>
          ),
          sortBy: ({ name }) => name,
        },
        { title: t('Its software'), cell: ({ format }) => FORMAT_TITLES.get(format) ?? format },
        { title: t('Email address'), cell: addressText },
        {
          title: t('From'),
          cell: ({ locationUuids }) =>
            locationUuids.length === 0
              ? t('All sites')
              : locationUuids.map((uuid) => siteNames.get(uuid) ?? t('Removed site')).join(', '),
        },
        { title: t('State'), cell: ({ disabled }) => (disabled ? t('Off') : t('On')) },
      ]}
      actions={(center) => (
        <>
          <button
            type="button"
            class="quiet"
            aria-label={t('Test {name}', { name: center.name })}
            onClick={() => open('test', center)}
          >
            {t('Test')}
          </button>
          <button
            type="button"
            class="quiet danger"
            aria-label={t('Delete {name}', { name: center.name })}
            onClick={() => open('remove', center)}
          >
            {t('Delete')}
          </button>
        </>
      )}
    />
  );
}

function addressText({ address, inputs }: AlarmCenter): string {
  const own = inputs.filter((input) => input.address !== undefined).length;
  if (own === 0) return address ?? '';
  const count = t('{count, plural, one {# camera with its own} other {# cameras with their own}}', {
    count: own,
  });
  return address === undefined ? count : `${address}, ${count}`;
}

/** `tests`: another number: there may be new ones. */
function Mails({ centers, tests }: { readonly centers: readonly AlarmCenter[]; readonly tests: number }) {
  const [chosen, setChosen] = useState('');
  const center = centers.find(({ alarmReceiverUuid }) => alarmReceiverUuid === chosen) ?? centers[0]!;
  const uuid = center.alarmReceiverUuid;
  const mails = useReading(
    (signal) => readAlarmMails(uuid, signal),
    [uuid, tests],
    ({ entity }) => entity === 'POLICY_ALERT',
  );
  return (
    <>
      <div class="section-head">
        <h2>{t('Mails to {name}', { name: center.name })}</h2>
        <span class="section-deeds">
          {centers.length > 1 && (
            <Select
              label={t('Alarm center')}
              value={uuid}
              options={optionsOf(
                centers.map(({ alarmReceiverUuid, name }) => [alarmReceiverUuid, name] as const),
              )}
              onValue={setChosen}
            />
          )}
          <button type="button" onClick={mails.refresh}>
            {t('Refresh')}
          </button>
        </span>
      </div>
      <ReadingView reading={mails} what={t('the mails')}>
        {(all) => <MailTable mails={all} />}
      </ReadingView>
    </>
  );
}
