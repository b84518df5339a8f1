/** Emergencies: what is open to whom, what was, and for administrators the partners and rules. */

import {
  type Emergency,
  emergencyPlace,
  openEmergencies,
  readPartners,
  readPastEmergencies,
  readRules,
} from '../emergency-list.ts';
import { readMailSettings } from '../mail-list.ts';
import { usePageTitle } from '../page-title.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import { cameraCount } from '../ui/emergency-bar.tsx';
import { EmergencyButton } from '../ui/emergency-button.tsx';
import { EmergencyPartners } from '../ui/emergency-partners.tsx';
import { EmergencyRules } from '../ui/emergency-rules.tsx';
import { MailMissing } from '../ui/mail-missing.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView, ReadTogether } from '../ui/reading-view.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { TimeLeft, WhenTime } from '../ui/time.tsx';
import { t } from '../words.ts';

export function EmergenciesPage() {
  usePageTitle(t('Emergencies'));
  const past = useReading(readPastEmergencies, [], ({ entity }) => entity === 'EMERGENCY');
  const partners = useReading(async (signal) => (may('operator') ? readPartners(signal) : []), []);
  const mail = useReading(
    async (signal) => (may('admin') ? (await readMailSettings(signal)).isSetUp : true),
    [],
    ({ entity }) => entity === 'GATEWAY_SETTINGS',
  );
  const rules = useReading(async (signal) => (may('admin') ? readRules(signal) : []), []);
  return (
    <>
      <div class="page-head">
        <h1>{t('Emergencies')}</h1>
        <EmergencyButton cameraUuids={[]} />
      </div>
      <p class="hint">
        {t('In an emergency, you open chosen cameras to dispatch or an alarm center for some minutes.')}
      </p>
      <ReadTogether readings={[past, partners, rules, mail]} what={t('emergencies')}>
        <ReadingView reading={mail} what={t('the mail settings')}>
          {(isSetUp) =>
            !isSetUp && (
              <MailMissing
                text={t(
                  'Partners are not notified of an emergency by mail. The person who opens one gets a link to pass on.',
                )}
              />
            )
          }
        </ReadingView>
        <section class="part">
          <h2>{t('Open now')}</h2>
          <Open />
        </section>
        <section class="part">
          <h2>{t('Past')}</h2>
          <ReadingView reading={past} what={t('emergencies')}>
            {(all) => <Past all={all} />}
          </ReadingView>
        </section>
        {may('admin') && (
          <>
            <EmergencyPartners reading={partners} />
            <EmergencyRules reading={rules} partners={partners} />
          </>
        )}
      </ReadTogether>
    </>
  );
}

function Open() {
  const all = openEmergencies.value;
  if (all.length === 0) {
    return (
      <Notice title={t('No camera is open')}>
        <p>{t('Open one here, on the page of a camera or a site, or from an alert.')}</p>
      </Notice>
    );
  }
  return (
    <RecordTable
      name="emergencies"
      label={t('Open now')}
      items={all}
      keyOf={({ emergencyUuid }) => emergencyUuid}
      columns={[
        { title: t('Cameras'), cell: (emergency) => <Named emergency={emergency} /> },
        { title: t('To whom'), cell: ({ partnerName }) => partnerName },
        { title: t('Reason'), cell: ({ reason }) => reason },
        { title: t('Opened by'), cell: ({ openedBy }) => openedBy },
        { title: t('Open until'), cell: ({ untilMs }) => <TimeLeft epochMs={untilMs} /> },
      ]}
    />
  );
}

function Past({ all }: { readonly all: readonly Emergency[] }) {
  if (all.length === 0) {
    return (
      <Notice title={t('There was no emergency yet')}>
        <p>{t('Each one ends with a report of who watched what, and when.')}</p>
      </Notice>
    );
  }
  return (
    <RecordTable
      name="emergencies"
      label={t('Past')}
      items={all}
      keyOf={({ emergencyUuid }) => emergencyUuid}
      columns={[
        { title: t('Cameras'), cell: (emergency) => <Named emergency={emergency} /> },
        { title: t('To whom'), cell: ({ partnerName }) => partnerName },
        { title: t('Reason'), cell: ({ reason }) => reason },
        { title: t('Opened by'), cell: ({ openedBy }) => openedBy },
        { title: t('When'), cell: ({ openedAtMs }) => <WhenTime epochMs={openedAtMs} /> },
      ]}
    />
  );
}

/** Its report is for operators. */
function Named({ emergency }: { readonly emergency: Emergency }) {
  const { emergencyUuid, title, cameras } = emergency;
  const text = cameras.length === 1 ? title : `${title} (${cameraCount(cameras.length)})`;
  if (!may('operator')) return <b>{text}</b>;
  return (
    <a href={emergencyPlace(emergencyUuid)}>
      <b>{text}</b>
    </a>
  );
}
