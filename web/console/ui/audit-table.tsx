/** Entries of the audit trail as rows; one opens with all that is known about it. */

import { useState } from 'preact/hooks';
import { type AuditEntry, principalKind, principalText } from '../audit-feed.ts';
import { actionText } from '../audit-words.ts';
import { may } from '../session.ts';
import { t, tRich } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { Facts } from './facts.tsx';
import { ProgramName } from './program-name.tsx';
import { type Column, RecordTable } from './record-table.tsx';
import { ExactTime, WhenTime } from './time.tsx';

/** Only operators get them. */
const WHERE_COLUMNS: readonly Column<AuditEntry>[] = [
  { title: t('Address'), cell: ({ sourceIp }) => sourceIp },
  {
    title: t('Program'),
    cell: ({ userAgent }) => (userAgent === '' ? null : <ProgramName userAgent={userAgent} />),
  },
];

export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const [open, setOpen] = useState<AuditEntry | null>(null);
  return (
    <>
      <RecordTable
        name={may('operator') ? 'audit' : 'audit-brief'}
        label={t('Activity')}
        items={entries}
        keyOf={({ uuid }) => uuid}
        columns={[
          {
            title: t('What'),
            cell: (entry) => (
              <button type="button" class="link" onClick={() => setOpen(entry)}>
                {actionText(entry.action)}
                {entry.occurrences > 1 &&
                  ` ${t('({occurrences} times)', { occurrences: entry.occurrences })}`}
              </button>
            ),
          },
          {
            title: t('About'),
            cell: ({ targetName }) =>
              targetName === '' ? null : <span title={targetName}>{targetName}</span>,
          },
          { title: t('When'), cell: (entry) => <Times entry={entry} /> },
          { title: t('Who'), cell: principalText },
          ...(may('operator') ? WHERE_COLUMNS : []),
        ]}
      />
      {open !== null && <EntryDialog entry={open} onClose={() => setOpen(null)} />}
    </>
  );
}

/** Of several views that are one entry, the first and the last. */
function Times({ entry: { timestamp, lastTimestamp } }: { readonly entry: AuditEntry }) {
  const last = <WhenTime epochMs={Date.parse(lastTimestamp)} />;
  if (lastTimestamp === timestamp) return last;
  return (
    <span class="first-and-last">
      {tRich('{from} to {to}', { from: <WhenTime epochMs={Date.parse(timestamp)} />, to: last })}
    </span>
  );
}

function EntryDialog({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const { timestamp, lastTimestamp, occurrences } = entry;
  return (
    <Dialog title={actionText(entry.action)} onClose={onClose}>
      <div class="dialog-body">
        <Facts
          facts={[
            [t('About'), entry.targetName],
            [
              occurrences > 1 ? t('First time') : t('When'),
              <ExactTime key="first" epochMs={Date.parse(timestamp)} />,
            ],
            [
              t('Last time'),
              occurrences > 1 ? <ExactTime key="last" epochMs={Date.parse(lastTimestamp)} /> : null,
            ],
            [t('How often'), occurrences > 1 ? String(occurrences) : null],
            [t('Who'), principalText(entry)],
            [t('That is'), principalKind(entry)],
            [t('Address'), entry.sourceIp],
            [t('Program'), entry.userAgent],
            [t('Action'), <code key="action">{entry.action}</code>],
            ['UUID', <code key="target">{entry.targetUuid}</code>],
          ]}
        />
      </div>
    </Dialog>
  );
}
