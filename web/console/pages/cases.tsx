/** Cases and legal holds: the lists. */

import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { CASE_STATES, casePlace, type EvidenceCase, readCases, readHolds } from '../case-list.ts';
import { usePageTitle } from '../page-title.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import type { StateFilter } from '../state-filter.ts';
import { readSites } from '../timeline-state.ts';
import { CaseDialog } from '../ui/case-dialogs.tsx';
import { HoldTable } from '../ui/hold-table.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView, ReadTogether } from '../ui/reading-view.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { ExactTime } from '../ui/time.tsx';
import { t } from '../words.ts';

export function CasesPage() {
  usePageTitle(t('Cases'));
  const { route } = useLocation();
  const cases = useReading(readCases, [], ({ entity }) => entity === 'EVIDENCE_CASE');
  const holds = useReading(readHolds, [], ({ entity }) => entity === 'LEGAL_HOLD');
  const sites = useReading(readSites, [], ({ entity }) => entity === 'LOCATION' || entity === 'CAMERA');
  const [isOpening, setIsOpening] = useState(false);
  return (
    <>
      <div class="page-head">
        <h1>{t('Cases')}</h1>
        {may('operator') && (
          <button type="button" class="primary" onClick={() => setIsOpening(true)}>
            <Icon name="plus" /> {t('New case')}
          </button>
        )}
      </div>
      <ReadTogether readings={[cases, holds, sites]} what={t('cases')}>
        <ReadingView reading={cases} what={t('cases')}>
          {(all) => <CaseTable cases={all} />}
        </ReadingView>
        <section class="part">
          <h2>{t('Legal holds')}</h2>
          <ReadingView reading={sites} what={t('cameras')}>
            {(known) => (
              <ReadingView reading={holds} what={t('legal holds')}>
                {(read) => (
                  <HoldTable
                    read={read}
                    sites={known}
                    titles={titlesOf(cases.state.value)}
                    onReleased={holds.refresh}
                  />
                )}
              </ReadingView>
            )}
          </ReadingView>
        </section>
      </ReadTogether>
      {isOpening && (
        <CaseDialog
          known={null}
          onSaved={(uuid) => route(casePlace(uuid))}
          onClose={() => setIsOpening(false)}
        />
      )}
    </>
  );
}

function CaseTable({ cases }: { readonly cases: readonly EvidenceCase[] }) {
  if (cases.length === 0) {
    return (
      <Notice title={t('There are no cases')} draws="clips">
        <p>
          {t(
            'A case collects recordings and clips that belong together, and keeps them from being deleted. Sealed, it is one signed archive that you can share. Cut a time on the timeline to add it.',
          )}
        </p>
      </Notice>
    );
  }
  return (
    <RecordTable
      name="cases"
      label={t('Cases')}
      items={cases}
      keyOf={({ uuid }) => uuid}
      states={STATES}
      columns={[
        {
          title: t('Title'),
          cell: ({ uuid, title }) => (
            <a class="link" href={casePlace(uuid)}>
              {title}
            </a>
          ),
          sortBy: ({ title }) => title,
        },
        { title: t('Number'), cell: ({ number }) => number, sortBy: ({ number }) => number },
        {
          title: t('State'),
          cell: ({ state }) => <CaseBadge state={state} />,
          sortBy: ({ state }) => CASE_STATES[state],
        },
        {
          title: t('Items'),
          cell: ({ items, hiddenItems }) =>
            t('{count, plural, one {# item} other {# items}}', { count: items.length + hiddenItems }),
          sortBy: ({ items, hiddenItems }) => items.length + hiddenItems,
        },
        {
          title: t('Opened'),
          cell: ({ createdAtMs }) => <ExactTime epochMs={createdAtMs} />,
          sortBy: ({ createdAtMs }) => createdAtMs,
        },
        { title: t('Opened by'), cell: ({ createdBy }) => createdBy, sortBy: ({ createdBy }) => createdBy },
      ]}
    />
  );
}

export function CaseBadge({ state }: Pick<EvidenceCase, 'state'>) {
  const kind = state === 'sealed' ? ' good' : state === 'failed' ? ' warn' : '';
  return <span class={`badge${kind}`}>{CASE_STATES[state]}</span>;
}

const STATES: StateFilter<EvidenceCase> = {
  states: (['open', 'sealing', 'sealed', 'failed'] as const).map((value) => ({
    value,
    title: CASE_STATES[value],
  })),
  of: ({ state }) => state,
};

function titlesOf(
  state: ReturnType<typeof useReading<readonly EvidenceCase[]>>['state']['value'],
): ReadonlyMap<string, string> {
  return new Map(state.kind === 'read' ? state.value.map(({ uuid, title }) => [uuid, title]) : []);
}
