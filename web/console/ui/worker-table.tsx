/** ffmpeg workers: what runs and for whom, what waits and for what, and what it costs. */

import { bytesText, type RunningWorker, type SystemState, type WaitingWorker } from '../gateway-state.ts';
import { place } from '../places.ts';
import { RecordTable } from './record-table.tsx';
import { duration } from './time.tsx';

const PURPOSES: Readonly<Record<string, string>> = {
  camera: 'Reads the camera',
  h264: 'Makes H.264',
  sound: 'Makes AAC',
  picture: 'Still images',
  clip: 'Uploaded clip',
};

const URGENCIES: Readonly<Record<string, string>> = {
  alarm: 'an alarm partner',
  viewer: 'a viewer',
  recording: 'a recording',
  picture: 'a still image',
};

export function Workers({ workers }: { readonly workers: SystemState['workers'] }) {
  const { active, line, running, maxWorkers } = workers;
  return (
    <section class="part">
      <h2>Workers</h2>
      <p class="muted">
        {running} of {maxWorkers} run, and use {coresText(workers.cores)}
        {workers.maxCores === undefined ? '' : ` of ${coresText(workers.maxCores)}`}.{' '}
        {line.length === 0
          ? 'Nothing waits.'
          : `${line.length} ${line.length === 1 ? 'start waits' : 'starts wait'}.`}
        {workers.refused > 0 && ` ${workers.refused.toLocaleString()} waited too long since the start.`}
      </p>
      {line.length > 0 && <Waiting line={line} workers={workers} />}
      {active.length > 0 && (
        <RecordTable
          name="workers"
          label="Running workers"
          items={active}
          keyOf={(worker) => `${active.indexOf(worker)}`}
          columns={[
            { title: 'For', cell: (worker) => <WhoseWorker worker={worker} /> },
            { title: 'What it does', cell: ({ purpose }) => PURPOSES[purpose] ?? 'Other work' },
            { title: 'Processor', cell: ({ cores }) => coresText(cores) },
            {
              title: 'Memory',
              cell: ({ memoryBytes }) => (memoryBytes === undefined ? 'not known' : bytesText(memoryBytes)),
            },
            { title: 'Running for', cell: ({ ageMs }) => duration(ageMs / 1_000) },
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
      label="Waiting for a worker"
      items={line}
      keyOf={(worker) => `${line.indexOf(worker)}`}
      columns={[
        { title: 'Waiting', cell: (worker) => <WhoseWorker worker={worker} /> },
        { title: 'What it will do', cell: ({ purpose }) => PURPOSES[purpose] ?? 'Other work' },
        { title: 'Needs', cell: ({ cores }) => coresText(cores) },
        {
          title: 'Why',
          cell: (worker) => <span title={whyText(worker, workers)}>{whyText(worker, workers)}</span>,
        },
        { title: 'Waiting for', cell: ({ ageMs }) => duration(ageMs / 1_000) },
      ]}
    />
  );
}

function WhoseWorker({
  worker: { cameraUuid, cameraName },
}: {
  readonly worker: RunningWorker | WaitingWorker;
}) {
  if (cameraUuid === undefined) return <span class="muted">Several cameras</span>;
  return <a href={place(`cameras/${cameraUuid}`)}>{cameraName ?? cameraUuid}</a>;
}

function whyText(
  { waitsFor, ahead, urgency, isYielding }: WaitingWorker,
  { maxWorkers, maxCores }: SystemState['workers'],
): string {
  const reason = {
    workers: `All ${maxWorkers} workers are in use`,
    cores: `All ${maxCores ?? ''} cores are in use`,
    earlier: 'Earlier starts go first',
  }[waitsFor];
  const whom = isYielding ? 'gives way to video' : `for ${URGENCIES[urgency] ?? urgency}`;
  return `${reason}; ${ahead === 0 ? 'next' : `${ahead} ahead`}, ${whom}`;
}

/** As in "0.3 cores". */
function coresText(cores: number): string {
  return `${cores >= 10 ? Math.round(cores) : Math.round(cores * 100) / 100} ${cores === 1 ? 'core' : 'cores'}`;
}
