/** One emergency: what is or was open and why, what was sent, and who watched what when. Made to be printed and saved. */

import { useRef, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { dayTimeFormat } from '../../words/formats.ts';
import { deliveryFault } from '../delivery-words.ts';
import {
  closeEmergency,
  EMERGENCIES_PLACE,
  type EmergencyReport,
  extendEmergency,
  MINUTES,
  minutesText,
  openEmergencies,
  PARTNER_TYPES,
  readLinks,
  readReport,
} from '../emergency-list.ts';
import { usePageTitle } from '../page-title.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { CopyField } from '../ui/copy-field.tsx';
import { Facts } from '../ui/facts.tsx';
import { saveFile } from '../ui/file-download.ts';
import { FormError } from '../ui/form-error.tsx';
import { Icon } from '../ui/icon.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { Select } from '../ui/select.tsx';
import { duration, TimeLeft } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { t } from '../words.ts';

const DEFAULT_MINUTES = 30;

export function EmergencyPage() {
  const uuid = useRoute().params.emergencyUuid ?? '';
  const reading = useReading(
    (signal) => readReport(uuid, signal),
    [uuid],
    ({ entity }) => entity === 'EMERGENCY',
  );
  usePageTitle(t('Emergency'));
  return (
    <>
      <p class="no-print">
        <a href={EMERGENCIES_PLACE}>{t('All emergencies')}</a>
      </p>
      <ReadingView reading={reading} what={t('the report')} title={t('Emergency')}>
        {(report) => <Report report={report} reading={reading} />}
      </ReadingView>
    </>
  );
}

function Report({
  report,
  reading,
}: {
  readonly report: EmergencyReport;
  readonly reading: ReadingHandle<EmergencyReport>;
}) {
  const article = useRef<HTMLElement>(null);
  const { emergency } = report;
  const { title, openedAtMs, isOpen } = emergency;
  const name = `emergency-${new Date(openedAtMs).toISOString().slice(0, 16).replaceAll(':', '-')}`;
  return (
    <>
      <div class="page-head">
        <h1 class="break">{t('Emergency: {title}', { title })}</h1>
        <span class="section-deeds no-print">
          <button type="button" onClick={() => print()}>
            {t('Print')}
          </button>
          <button
            type="button"
            onClick={() => saveFile(`${name}.html`, 'text/html', pageOf(article.current!, title))}
          >
            <Icon name="download" /> {t('Save report')}
          </button>
          <button
            type="button"
            class="quiet"
            onClick={() => saveFile(`${name}.json`, 'application/json', JSON.stringify(report, null, 2))}
          >
            {t('Save as JSON')}
          </button>
        </span>
      </div>
      {isOpen && <OpenDeeds report={report} reading={reading} />}
      <article ref={article} class="emergency-report">
        <ReportText report={report} />
      </article>
    </>
  );
}

function OpenDeeds({
  report: { emergency },
  reading,
}: {
  readonly report: EmergencyReport;
  readonly reading: ReadingHandle<EmergencyReport>;
}) {
  const { emergencyUuid, untilMs } = emergency;
  const [minutes, setMinutes] = useState(String(DEFAULT_MINUTES));
  const { isBusy, error, run } = useAction();
  const links = useReading((signal) => readLinks(emergencyUuid, signal), [emergencyUuid]);
  const known = openEmergencies.value.find((each) => each.emergencyUuid === emergencyUuid);
  return (
    <section class="part no-print">
      <p>
        <b>{t('Open now')}</b> <TimeLeft epochMs={known?.untilMs ?? untilMs} />
      </p>
      <div class="filters">
        <Select
          label={t('For how long')}
          value={minutes}
          options={MINUTES.map((each) => ({ value: String(each), title: minutesText(each) }))}
          onValue={setMinutes}
        />
        <button
          type="button"
          disabled={isBusy}
          onClick={() =>
            void run(async () => {
              await extendEmergency(emergencyUuid, Number(minutes));
              reading.refresh();
            })
          }
        >
          {t('Keep open from now')}
        </button>
        <button
          type="button"
          class="primary"
          disabled={isBusy}
          onClick={() =>
            void run(async () => {
              await closeEmergency(emergencyUuid);
              reading.refresh();
            })
          }
        >
          {t('Close now')}
        </button>
      </div>
      <FormError error={error} />
      <ReadingView reading={links} what={t('links')}>
        {(all) => {
          const copy = all.find(({ sentBy }) => sentBy === 'copy');
          return (
            copy !== undefined && (
              <CopyField label={t('A link to pass on, such as by phone')} value={copy.pageUrl} />
            )
          );
        }}
      </ReadingView>
    </section>
  );
}

const DELIVERY_STATES: Readonly<Record<EmergencyReport['deliveries'][number]['state'], string>> = {
  PENDING: t('Not delivered yet'),
  DELIVERED: t('Delivered'),
  FAILED: t('Failed'),
};

/** It is saved as it is here, without the page's scripts: times are written out, in the time zone of the cameras. */
function ReportText({ report }: { readonly report: EmergencyReport }) {
  const { emergency, recipients, deliveries, views, timeZone } = report;
  const format = dayTimeFormat('dateSeconds', timeZone);
  const at = (epochMs: number) => format.format(epochMs);
  const cameraNames = new Map(emergency.cameras.map(({ cameraUuid, name }) => [cameraUuid, name]));
  const recipientOf = (uuid: string | undefined) => {
    const found = recipients.find(({ recipientUuid }) => recipientUuid === uuid);
    if (found === undefined) return t('Not known');
    if (found.sentBy === 'feed') return t('Found by dispatch near the call');
    return found.sentBy === 'copy' ? t('Link passed on by hand') : found.address;
  };
  const { isOpen, closedAtMs, closedBy, untilMs, openedAtMs, extensions } = emergency;
  return (
    <>
      <Facts
        facts={[
          [t('To whom'), `${emergency.partnerName} (${PARTNER_TYPES[emergency.partnerType]})`],
          [t('Reason'), emergency.reason],
          [
            t('Opened by'),
            emergency.isByRule ? t('Rule {name}', { name: emergency.openedBy }) : emergency.openedBy,
          ],
          [t('Opened'), at(openedAtMs)],
          [
            t('Closed'),
            isOpen
              ? t('Open until {time}', { time: at(untilMs) })
              : `${at(closedAtMs ?? untilMs)}, ${closedBy === undefined ? t('as its time was over') : t('by {name}', { name: closedBy })}`,
          ],
          [t('Alert'), emergency.alertUuid ?? ''],
          [t('Time zone'), timeZone],
        ]}
      />
      <h2>{t('Cameras')}</h2>
      <ul>
        {emergency.cameras.map(({ cameraUuid, name, siteName }) => (
          <li key={cameraUuid}>{[name, siteName].filter((part) => part !== undefined).join(', ')}</li>
        ))}
      </ul>
      {extensions.length > 0 && (
        <>
          <h2>{t('Extended')}</h2>
          <ul>
            {extensions.map(({ timestampMs, by, untilMs: until }) => (
              <li
                key={timestampMs}
              >{`${at(timestampMs)}: ${by}, ${t('until {time}', { time: at(until) })}`}</li>
            ))}
          </ul>
        </>
      )}
      <h2>{t('Sent')}</h2>
      {deliveries.length === 0 ? (
        <p>{t('Nothing was sent.')}</p>
      ) : (
        <PlainTable
          heads={[t('To'), t('State'), t('First'), t('Attempts')]}
          rows={deliveries.map((each) => [
            each.address,
            each.errorCode === undefined
              ? DELIVERY_STATES[each.state]
              : `${DELIVERY_STATES[each.state]}: ${deliveryFault(each.errorCode)}`,
            at(each.queuedAtMs),
            String(each.attempts),
          ])}
        />
      )}
      <h2>{t('Watched')}</h2>
      {views.length === 0 ? (
        <p>{isOpen ? t('No one has watched yet.') : t('No one watched.')}</p>
      ) : (
        <PlainTable
          heads={[t('Whose link'), t('Address'), t('Camera'), t('From'), t('Until')]}
          rows={views.map((view) => [
            recipientOf(view.recipientUuid),
            view.address,
            cameraNames.get(view.cameraUuid) ?? view.cameraUuid,
            at(view.fromMs),
            view.untilMs === undefined
              ? isOpen
                ? t('Watching')
                : t('Not known; at the latest when it closed')
              : `${at(view.untilMs)} (${duration((view.untilMs - view.fromMs) / 1_000)})`,
          ])}
        />
      )}
    </>
  );
}

function PlainTable({
  heads,
  rows,
}: {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}) {
  return (
    <div class="plain-table">
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) => (
                <td key={heads[place]} data-head={heads[place]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A page of its own, which loads nothing. Its content is what is shown, so names in it are text. */
function pageOf(article: HTMLElement, title: string): string {
  const page = document.implementation.createHTMLDocument(t('Emergency: {title}', { title }));
  page.documentElement.lang = document.documentElement.lang;
  const charset = page.createElement('meta');
  charset.setAttribute('charset', 'utf-8');
  page.head.prepend(charset);
  const heading = page.createElement('h1');
  heading.textContent = page.title;
  page.body.append(heading, page.importNode(article, true));
  page.body.style.fontFamily = 'sans-serif';
  for (const table of page.querySelectorAll('table')) {
    table.setAttribute('border', '1');
    table.setAttribute('cellpadding', '6');
  }
  return `<!doctype html>\n${page.documentElement.outerHTML}`;
}
