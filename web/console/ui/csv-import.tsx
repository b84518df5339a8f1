/** Imports cameras and names from a file: what happens to each row is shown before anything is created. */

import { useRef, useState } from 'preact/hooks';
import type { Choices } from '../camera-adding.ts';
import { COLUMNS, carryOut, MAX_IMPORT_BYTES, type PlannedRow, planOfCsv, readKnown } from '../camera-csv.ts';
import { listCameras } from '../camera-state.ts';
import { csvOf } from '../csv.ts';
import { eachInTurn, type Progress } from '../in-turn.ts';
import { place } from '../places.ts';
import { t, tRich } from '../words.ts';
import { saveFile } from './file-download.ts';
import { FormError } from './form-error.tsx';
import { RecordTable } from './record-table.tsx';
import { useAction } from './use-action.ts';

const AT_ONCE = 4;
const MAX_FAULTS = 20;
const EXAMPLE = [
  t('Loading dock'),
  '',
  '',
  'rtsp://192.0.2.10/stream1',
  'rtsp://192.0.2.10/stream2',
  '',
  'viewer',
  '',
];

type Done = ReadonlyMap<number, Progress<void>>;

export function CsvImport({ choices }: { readonly choices: Choices }) {
  const [rows, setRows] = useState<readonly PlannedRow[] | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [done, setDone] = useState<Done>(new Map());
  const reading = useAction();
  const working = useAction();
  const left = useRef(new AbortController());
  const input = useRef<HTMLInputElement>(null);
  const read = (file: File) =>
    void reading.run(async () => {
      setRows(null);
      setFault(null);
      setDone(new Map());
      if (file.size > MAX_IMPORT_BYTES) return setFault(t('A file has at most 2 MB.'));
      const { signal } = left.current;
      const cameras = await readKnown(await listCameras(signal), signal);
      const inventory = { cameras, sites: choices.locations, nvrs: choices.nvrs };
      const planned = planOfCsv(await file.text(), inventory);
      if (typeof planned === 'string') setFault(planned);
      else setRows(planned);
    });
  const open = (rows ?? []).filter(
    ({ kind, line }) => (kind === 'create' || kind === 'change') && done.get(line)?.kind !== 'done',
  );
  const start = () =>
    void working.run(() =>
      eachInTurn(
        open,
        { atOnce: AT_ONCE, signal: left.current.signal },
        (row) => carryOut(row, left.current.signal),
        ({ line }, progress) => setDone((old) => new Map(old).set(line, progress)),
      ),
    );
  return (
    <>
      <div class="form sheet narrow">
        <p>
          {tRich(
            'The first line has the names of the columns: <b>{columns}</b>. A row with a <b>uuid</b> renames or moves that camera; a row without one creates a camera.',
            { columns: COLUMNS.join(', '), b: (text) => <b>{text}</b> },
          )}
        </p>
        <p>
          <button
            type="button"
            onClick={() => saveFile('cameras-template.csv', 'text/csv', csvOf([COLUMNS, EXAMPLE]))}
          >
            {t('Download a template')}
          </button>
        </p>
        <div class="field">
          <label for="csv-file">{t('CSV file')}</label>
          <input
            id="csv-file"
            ref={input}
            type="file"
            accept=".csv,text/csv"
            disabled={working.isBusy}
            {...(fault === null ? {} : { 'aria-invalid': true, 'aria-describedby': 'csv-fault' })}
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file !== undefined) read(file);
              // The same file can be chosen again after it was corrected.
              currentTarget.value = '';
            }}
          />
          {fault !== null && (
            <p class="field-error" id="csv-fault" role="alert">
              {fault}
            </p>
          )}
        </div>
        {reading.isBusy && <p role="status">{t('Comparing with the cameras that are there…')}</p>}
        <FormError error={reading.error} />
      </div>
      {rows !== null && (
        <Preview rows={rows} done={done} openCount={open.length} isBusy={working.isBusy} onStart={start} />
      )}
    </>
  );
}

function Preview({
  rows,
  done,
  openCount,
  isBusy,
  onStart,
}: {
  readonly rows: readonly PlannedRow[];
  readonly done: Done;
  readonly openCount: number;
  readonly isBusy: boolean;
  readonly onStart: () => void;
}) {
  const count = (kind: PlannedRow['kind']) => rows.filter((row) => row.kind === kind).length;
  const ended = [...done.values()].filter(({ kind }) => kind === 'done').length;
  return (
    <section class="part">
      <div class="section-head">
        <h2 aria-live="polite">
          {ended > 0
            ? t('{ended} done', { ended })
            : t('{created} new, {changed} changed, {same} as before, {faulty} with errors', {
                created: count('create'),
                changed: count('change'),
                same: count('same'),
                faulty: count('error'),
              })}
        </h2>
        {openCount > 0 ? (
          <button type="button" class="primary" disabled={isBusy} onClick={onStart}>
            {isBusy
              ? t('Importing…')
              : t('{count, plural, one {Import # row} other {Import # rows}}', { count: openCount })}
          </button>
        ) : (
          ended > 0 && (
            <a class="button primary" href={place('')}>
              {t('Done')}
            </a>
          )
        )}
      </div>
      <Faults rows={rows} />
      <RecordTable
        name="import"
        label={t('Rows of the file')}
        items={rows}
        keyOf={({ line }) => String(line)}
        columns={[
          { title: t('Name'), cell: ({ name }) => <b>{name === '' ? t('No name') : name}</b> },
          { title: t('Line'), cell: ({ line }) => t('Line {line}', { line }) },
          { title: t('What happens'), cell: (row) => <Outcome row={row} progress={done.get(row.line)} /> },
        ]}
      />
    </section>
  );
}

/** As sentences: a row of the table has room for one line. */
function Faults({ rows }: { readonly rows: readonly PlannedRow[] }) {
  const faults = rows.flatMap((row) => (row.kind === 'error' ? [row] : []));
  if (faults.length === 0) return null;
  return (
    <ul class="words">
      {faults.slice(0, MAX_FAULTS).map(({ line, sentence }) => (
        <li key={line} class="break">
          {t('Line {line}: {sentence}', { line, sentence })}
        </li>
      ))}
      {faults.length > MAX_FAULTS && (
        <li>{t('… and {count} more, below.', { count: faults.length - MAX_FAULTS })}</li>
      )}
    </ul>
  );
}

function Outcome({
  row,
  progress,
}: {
  readonly row: PlannedRow;
  readonly progress: Progress<void> | undefined;
}) {
  if (progress?.kind === 'failed') return <span class="bad-text">{progress.error.message}</span>;
  if (progress?.kind === 'running' || progress?.kind === 'waiting') return <>{t('Working…')}</>;
  switch (row.kind) {
    case 'error':
      return <span class="bad-text">{row.sentence}</span>;
    case 'same':
      return <span class="muted">{t('As before')}</span>;
    case 'create':
      return <>{progress?.kind === 'done' ? t('Created') : t('New camera')}</>;
    case 'change':
      if (progress?.kind === 'done') return <>{t('Changed')}</>;
      return <>{row.changes.name === undefined ? t('Moved') : t('Renamed')}</>;
  }
}
