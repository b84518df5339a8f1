/** Legal holds as rows: what is kept, why, and until when. */

import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { cameraFacts, casePlace, type HoldsRead, type LegalHold, spanPlace } from '../case-list.ts';
import { may } from '../session.ts';
import { format, lengthText } from '../time-axis.ts';
import type { Sites } from '../timeline-state.ts';
import { t, tRich } from '../words.ts';
import { FormDialog } from './form-dialog.tsx';
import { Notice } from './notice.tsx';
import { RecordTable } from './record-table.tsx';
import { ExactDay } from './time.tsx';

const GIGABYTE = 1e9;

export function HoldTable({
  read: { holds, heldBytes, allowedBytes },
  sites,
  titles,
  onReleased,
}: {
  readonly read: HoldsRead;
  readonly sites: Sites;
  /** Titles of cases by UUID. */
  readonly titles: ReadonlyMap<string, string>;
  readonly onReleased: () => void;
}) {
  const [released, setReleased] = useState<LegalHold | null>(null);
  if (holds.length === 0) {
    return (
      <Notice title={t('Nothing is held')}>
        <p>
          {t(
            'A legal hold keeps a recording or a clip until someone releases it, also if the disk is full. Each item of a case has one.',
          )}
        </p>
      </Notice>
    );
  }
  return (
    <>
      <p class="hint">
        {allowedBytes === null
          ? t('{held} GB are held.', { held: gigabytes(heldBytes) })
          : t('{held} GB are held, of {allowed} GB that this organization can hold.', {
              held: gigabytes(heldBytes),
              allowed: gigabytes(allowedBytes),
            })}
      </p>
      <RecordTable<LegalHold>
        name="holds"
        label={t('Legal holds')}
        items={holds}
        keyOf={({ uuid }) => uuid}
        columns={[
          { title: t('What'), cell: (hold) => <What hold={hold} sites={sites} /> },
          {
            title: t('Why'),
            cell: ({ reason, caseUuid }) =>
              caseUuid === undefined ? (
                reason
              ) : (
                <a class="link" href={casePlace(caseUuid)}>
                  {titles.get(caseUuid) ?? reason}
                </a>
              ),
          },
          { title: t('By'), cell: ({ heldBy }) => heldBy, sortBy: ({ heldBy }) => heldBy },
          {
            title: t('Since'),
            cell: ({ heldAtMs }) => <ExactDay epochMs={heldAtMs} />,
            sortBy: ({ heldAtMs }) => heldAtMs,
          },
          {
            title: t('Until'),
            cell: ({ untilMs }) => (untilMs === undefined ? t('No end') : <ExactDay epochMs={untilMs} />),
          },
        ]}
        {...(may('admin')
          ? {
              actions: (hold: LegalHold) =>
                hold.caseUuid === undefined && (
                  <button
                    type="button"
                    class="quiet danger"
                    aria-label={t('Release {name}', { name: hold.reason })}
                    onClick={() => setReleased(hold)}
                  >
                    {t('Release')}
                  </button>
                ),
            }
          : {})}
      />
      {released !== null && (
        <FormDialog
          title={t('Release this hold?')}
          submit={t('Release hold')}
          isDanger
          onSubmit={async () => {
            await call('evidence/releaseHold', { holdUuid: released.uuid });
            onReleased();
            setReleased(null);
          }}
          onClose={() => setReleased(null)}
        >
          <p class="break">
            {tRich('What is held for <b>{reason}</b> is then deleted as other recordings are.', {
              reason: released.reason,
              b: (text) => <b>{text}</b>,
            })}
          </p>
        </FormDialog>
      )}
    </>
  );
}

function What({ hold, sites }: { readonly hold: LegalHold; readonly sites: Sites }) {
  const { cameraUuid, fromMs, toMs } = hold;
  if (cameraUuid === undefined || fromMs === undefined || toMs === undefined) return <>{t('Clip')}</>;
  const { name, timeZone } = cameraFacts(sites, cameraUuid);
  return (
    <a class="link" href={spanPlace(cameraUuid, { fromMs, toMs })}>
      {name} · {format(timeZone, 'exact', fromMs)} · {lengthText(toMs - fromMs)}
    </a>
  );
}

function gigabytes(bytes: number): number {
  return bytes >= 10 * GIGABYTE ? Math.round(bytes / GIGABYTE) : Math.ceil(bytes / (GIGABYTE / 10)) / 10;
}
