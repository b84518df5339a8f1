/** ffmpeg workers: what runs and for whom, what waits and for what, and what it costs. */

import { numberText } from '../../words/formats.ts';
import { bytesText, type RunningWorker, type SystemState, type WaitingWorker } from '../gateway-state.ts';
import { place } from '../places.ts';
import { t } from '../words.ts';
import { RecordTable } from './record-table.tsx';
import { duration } from './time.tsx';

const PURPOSES: Readonly<Record<string, string>> = {
  camera: t('Reads the camera'),
  h264: t('Makes H.264'),
  mask: t('Applies privacy masks'),
  sound: t('Makes AAC'),
  picture: t('Still images'),
  clip: t('Uploaded clip'),
};

const URGENCIES: Readonly<Record<string, string>> = {
  alarm: t('for an alarm partner'),
  viewer: t('for a viewer'),
  recording: t('for a recording'),
  picture: t('for a still image'),
};

export function Workers({ workers }: { readonly workers: SystemState['workers'] }) {
  const { active, line, running, maxWorkers } = workers;
  return (
    <section class="part">
      <h2>{t('Video conversions')}</h2>
      <p class="muted">
        {workers.maxCores === undefined
          ? t('{running} of {maxWorkers} run, and use {cores}.', {
              running,
              maxWorkers,
              cores: coresText(workers.cores),
            })
          : t('{running} of {maxWorkers} run, and use {cores} of {maxCores}.', {
              running,
              maxWorkers,
              cores: coresText(workers.cores),
              maxCores: coresText(workers.maxCores),
            })}{' '}
        {line.length === 0
          ? t('Nothing waits.')
          : t('{count, plural, one {# start waits.} other {# starts wait.}}', { count: line.length })}{' '}
        {workers.refused > 0 &&
          t('{refused} waited too long since the start.', { refused: numberText(workers.refused) })}
      </p>
      {line.length > 0 && <Waiting line={line} workers={workers} />}
      {active.length > 0 && (
        <RecordTable
          name="workers"
          label={t('Running conversions')}
          items={active}
          keyOf={(worker) => `${active.indexOf(worker)}`}
          columns={[
            { title: t('For'), cell: (worker) => <WhoseWorker worker={worker} /> },
            { title: t('What it does'), cell: ({ purpose }) => PURPOSES[purpose] ?? t('Other work') },
            { title: t('Processor'), cell: ({ cores }) => coresText(cores) },
            {
              title: t('Memory'),
              cell: ({ memoryBytes }) =>
                memoryBytes === undefined ? t('not known') : bytesText(memoryBytes),
            },
            { title: t('Running for'), cell: ({ ageMs }) => duration(ageMs / 1_000) },
          ]}
        />
      )}
    </section>
  );
}

function Waiting({
  line,
  workers,
}: {
  readonly line: readonly WaitingWorker[];
  readonly workers: SystemState['workers'];
}) {
  return (
    <RecordTable
      name="workers"
      label={t('Waiting conversions')}
      items={line}
      keyOf={(worker) => `${line.indexOf(worker)}`}
      columns={[
        { title: t('Waiting'), cell: (worker) => <WhoseWorker worker={worker} /> },
        { title: t('What it will do'), cell: ({ purpose }) => PURPOSES[purpose] ?? t('Other work') },
        { title: t('Needs'), cell: ({ cores }) => coresText(cores) },
        {
          title: t('Why'),
          cell: (worker) => <span title={whyText(worker, workers)}>{whyText(worker, workers)}</span>,
        },
        { title: t('Waiting for'), cell: ({ ageMs }) => duration(ageMs / 1_000) },
      ]}
    />
  );
}

function WhoseWorker({
  worker: { cameraUuid, cameraName },
}: {
  readonly worker: RunningWorker | WaitingWorker;
}) {
  if (cameraUuid === undefined) return <span class="muted">{t('Several cameras')}</span>;
  return <a href={place(`cameras/${cameraUuid}`)}>{cameraName ?? cameraUuid}</a>;
}

function whyText(
  { waitsFor, ahead, urgency, isYielding }: WaitingWorker,
  { maxWorkers, maxCores }: SystemState['workers'],
): string {
  const reason = {
    workers: t(
      '{maxWorkers, plural, one {The only conversion is in use} other {All # conversions are in use}}',
      { maxWorkers },
    ),
    cores: t('All {maxCores} cores are in use', { maxCores: maxCores ?? '' }),
    earlier: t('Earlier starts go first'),
  }[waitsFor];
  const whom = isYielding ? t('gives way to video') : (URGENCIES[urgency] ?? urgency);
  return ahead === 0
    ? t('{reason}; next, {whom}', { reason, whom })
    : t('{reason}; {ahead} ahead, {whom}', { reason, ahead, whom });
}

/** As in "0.3 cores". */
function coresText(cores: number): string {
  const count = cores >= 10 ? Math.round(cores) : Math.round(cores * 100) / 100;
  return t('{count, plural, one {# core} other {# cores}}', { count });
}
