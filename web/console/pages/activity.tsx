/** Activity: who viewed what from where, and what changed. */

import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { CallError } from '../api.ts';
import {
  type AuditEntry,
  type AuditKind,
  type AuditPage,
  type AuditQuery,
  exportAudit,
  isOwnView,
  MAX_EXPORTED,
  readAuditPage,
  searchedText,
  withOlder,
} from '../audit-feed.ts';
import { listCameras } from '../camera-state.ts';
import { onChange } from '../changes.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { matcherOf } from '../matcher.ts';
import { usePageTitle } from '../page-title.ts';
import type { PickOption } from '../picker-rows.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { may, session } from '../session.ts';
import { AuditTable } from '../ui/audit-table.tsx';
import { Check } from '../ui/check.tsx';
import { saveFile } from '../ui/file-download.ts';
import { FormError } from '../ui/form-error.tsx';
import { ListFilters } from '../ui/list-filters.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Select } from '../ui/select.tsx';
import { useAction } from '../ui/use-action.ts';
import { t } from '../words.ts';

const HOUR_MS = 3_600_000;
const KINDS = [
  { value: 'all', title: t('Everything') },
  { value: 'views', title: t('Views') },
  { value: 'links', title: t('Viewed through a link') },
  { value: 'changes', title: t('Changes') },
] as const satisfies readonly PickOption<AuditKind>[];
/** In hours. */
const PERIODS = [
  { value: '', title: t('Any time') },
  { value: '1', title: t('Last hour') },
  { value: '24', title: t('Last 24 hours') },
  { value: '168', title: t('Last 7 days') },
  { value: '720', title: t('Last 30 days') },
  { value: 'between', title: t('Between…') },
] as const;

export function ActivityPage() {
  usePageTitle(t('Activity'));
  const { query: asked, path, route } = useLocation();
  const kind: AuditKind = KINDS.find(({ value }) => value === asked.kind)?.value ?? 'all';
  const camera = asked.camera ?? '';
  const cameras = useCameraOptions(camera);
  const hidesOwn = useSignal(false);
  const period = useSignal('');
  const from = useSignal('');
  const until = useSignal('');
  const text = useSignal(asked.text ?? '');
  const query = {
    kind,
    cameraUuid: camera === '' ? null : camera,
    ...timeOf(period.value, from.value, until.value),
  };
  const reading = useReading(
    (signal) => readAuditPage(query, signal),
    [kind, camera, period.value, ...(period.value === 'between' ? [from.value, until.value] : [])],
  );
  /** Empty: any. */
  const choose = (name: 'kind' | 'camera') => (value: string) => {
    const { [name]: _, ...others } = asked;
    const next = new URLSearchParams(value === '' ? others : { ...others, [name]: value });
    route(next.size === 0 ? path : `${path}?${next}`, true);
  };
  const isMatch = matcherOf(text.value);
  const self = session.value?.person.personUuid ?? '';
  const matches = (entry: AuditEntry) =>
    !(hidesOwn.value && isOwnView(entry, self)) && isMatch(searchedText(entry));
  return (
    <>
      <div class="page-head">
        <h1>{t('Activity')}</h1>
        <ExportButton query={query} matches={matches} />
      </div>
      <ListFilters
        search={
          <SearchField
            label={may('operator') ? t('Filter by name, address, action') : t('Filter by name, action')}
            value={text.value}
            onValue={(typed) => {
              text.value = typed;
            }}
          />
        }
        chosen={[kind !== 'all', camera !== '', period.value !== '', hidesOwn.value].filter(Boolean).length}
        fields={
          <>
            <Select
              label={t('Kind')}
              value={kind}
              options={KINDS}
              onValue={(value) => choose('kind')(value === 'all' ? '' : value)}
            />
            <Select label={t('Camera')} value={camera} options={cameras} onValue={choose('camera')} />
            <Select
              label={t('Time')}
              value={period.value}
              options={PERIODS}
              onValue={(choice) => {
                period.value = choice;
              }}
            />
            <Check
              label={t('Hide my own views')}
              isChecked={hidesOwn.value}
              onCheck={(isHidden) => {
                hidesOwn.value = isHidden;
              }}
            />
            {period.value === 'between' && (
              <>
                <TimeField
                  label={t('From')}
                  value={from.value}
                  onValue={(value) => {
                    from.value = value;
                  }}
                />
                <TimeField
                  label={t('Until')}
                  value={until.value}
                  onValue={(value) => {
                    until.value = value;
                  }}
                />
              </>
            )}
          </>
        }
      />
      <NewerSign reading={reading} />
      <ReadingView reading={reading} what={t('activity')}>
        {(page) => (
          <Feed
            page={page}
            matches={matches}
            isSearching={text.value !== '' || hidesOwn.value}
            query={query}
            reading={reading}
          />
        )}
      </ReadingView>
    </>
  );
}

function Feed({
  page,
  matches,
  isSearching,
  query,
  reading,
}: {
  readonly page: AuditPage;
  readonly matches: (entry: AuditEntry) => boolean;
  readonly isSearching: boolean;
  readonly query: AuditQuery;
  readonly reading: ReadingHandle<AuditPage>;
}) {
  const { isBusy, error, run } = useAction();
  const { entries, olderThanMs } = page;
  const shown = entries.filter(matches);
  const readOlder = async () => {
    const older = await withOlder(page, query);
    reading.put((current) => (current === page ? older : current));
  };
  return (
    <>
      {shown.length === 0 ? (
        <Notice title={isSearching ? t('No entry matches') : t('Nothing happened in this time')}>
          <p>
            {isSearching && olderThanMs !== null
              ? t('None of the newest {count} entries has these words. Older ones may.', {
                  count: entries.length,
                })
              : t('Views and changes appear here as they happen. Choose another time or kind to see others.')}
          </p>
        </Notice>
      ) : (
        <AuditTable entries={shown} />
      )}
      <div class="list-end">
        <p class="hint" role="status">
          {isSearching
            ? t(
                '{shown} of {count, plural, one {# entry} other {# entries}}{hasOlder, select, true {, there are older ones} other {}}',
                {
                  shown: shown.length,
                  count: entries.length,
                  hasOlder: String(olderThanMs !== null),
                },
              )
            : t(
                '{count, plural, one {# entry} other {# entries}}{hasOlder, select, true {, there are older ones} other {}}',
                {
                  count: entries.length,
                  hasOlder: String(olderThanMs !== null),
                },
              )}
        </p>
        {olderThanMs !== null && (
          <button type="button" disabled={isBusy} onClick={() => void run(readOlder)}>
            {isBusy ? t('Loading…') : t('Load older entries')}
          </button>
        )}
      </div>
      <FormError error={error} />
    </>
  );
}

/** Something happened since the feed was read. It is not read for every change: some come many times a second. */
function NewerSign({ reading }: { readonly reading: ReadingHandle<AuditPage> }) {
  const [isNewer, setIsNewer] = useState(false);
  const state = reading.state.value;
  useEffect(() => setIsNewer(false), [state]);
  useEffect(() => onChange(() => setIsNewer(true)), []);
  return (
    <div class="newer" role="status">
      {isNewer && (
        <button type="button" class="quiet" onClick={reading.refresh}>
          {t('Something happened since: show it')}
        </button>
      )}
    </div>
  );
}

function ExportButton({
  query,
  matches,
}: {
  readonly query: AuditQuery;
  readonly matches: (entry: AuditEntry) => boolean;
}) {
  const running = useRef<AbortController | null>(null);
  const [said, setSaid] = useState('');
  const [isRunning, setIsRunning] = useState(false);
  useEffect(() => () => running.current?.abort(), []);
  const save = async () => {
    const left = new AbortController();
    running.current = left;
    setIsRunning(true);
    try {
      const onProgress = (count: number) => setSaid(t('{count} entries read…', { count }));
      const { csv, isComplete } = await exportAudit(query, matches, onProgress, left.signal);
      saveFile(`activity-${new Date(gatewayNowMs()).toISOString().slice(0, 10)}.csv`, 'text/csv', csv);
      setSaid(isComplete ? t('Saved') : t('Saved the newest {maxExported}', { maxExported: MAX_EXPORTED }));
    } catch (thrown) {
      if (left.signal.aborted) setSaid('');
      else if (thrown instanceof CallError) setSaid(thrown.message);
      else throw thrown;
    } finally {
      setIsRunning(false);
    }
  };
  return (
    <div class="export">
      <span class="hint" role="status">
        {said}
      </span>
      <button type="button" onClick={() => (isRunning ? running.current?.abort() : void save())}>
        {isRunning ? t('Cancel export') : t('Export as CSV')}
      </button>
    </div>
  );
}

function TimeField({
  label,
  value,
  onValue,
}: {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  return (
    <label class="time-field">
      {label}
      <input
        type="datetime-local"
        value={value}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </label>
  );
}

function timeOf(period: string, from: string, until: string): Pick<AuditQuery, 'fromMs' | 'toMs'> {
  if (period === 'between') return { fromMs: epochMs(from), toMs: epochMs(until) };
  return { fromMs: period === '' ? null : gatewayNowMs() - Number(period) * HOUR_MS, toMs: null };
}

/** The chosen one is there before the cameras are read, too. */
function useCameraOptions(chosen: string): readonly PickOption[] {
  const read = useReading(listCameras, [], ({ entity, type }) => entity === 'CAMERA' && type !== 'UPDATE');
  const state = read.state.value;
  const cameras =
    state.kind === 'read' ? state.value.map(({ uuid, name }) => ({ value: uuid, title: name })) : [];
  const isKnown = chosen === '' || cameras.some(({ value }) => value === chosen);
  const others = isKnown ? [] : [{ value: chosen, title: t('Camera') }];
  return [{ value: '', title: t('All cameras') }, ...others, ...cameras];
}

/** Epoch of a local time as the field has it; null: none. */
function epochMs(local: string): number | null {
  const ms = Date.parse(local);
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
