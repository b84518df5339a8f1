/** System: the gateway's state, its faults and remedies, the last hour, and its log. */

import { useEffect, useState } from 'preact/hooks';
import { numberText } from '../../words/formats.ts';
import { readCameraHealth } from '../camera-attention.ts';
import type { CameraPauses } from '../camera-pause.ts';
import { type CameraItem, COUNTED_STATES } from '../camera-state.ts';
import {
  bytesText,
  type Counters,
  type LogLevel,
  makeSupportBundle,
  readCounters,
  readLog,
  readSystem,
  type SystemFinding,
  type SystemState,
} from '../gateway-state.ts';
import { usePageTitle } from '../page-title.ts';
import type { PickOption } from '../picker-rows.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { fullestDiskPercent, newestCpuPercent } from '../system-verdict.ts';
import { CameraVerdict } from '../ui/camera-verdict.tsx';
import { Facts } from '../ui/facts.tsx';
import { saveBytes } from '../ui/file-download.ts';
import { FormError } from '../ui/form-error.tsx';
import { Nodes } from '../ui/node-table.tsx';
import { Notice } from '../ui/notice.tsx';
import { PausedCameras, useAfterPause } from '../ui/pause-line.tsx';
import { Plot } from '../ui/plot.tsx';
import { ReadingView, ReadTogether } from '../ui/reading-view.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { RecordingsPart } from '../ui/recordings-part.tsx';
import { Select } from '../ui/select.tsx';
import { Sentence } from '../ui/sentence.tsx';
import { ExactTime, TimeSince } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { Workers } from '../ui/worker-table.tsx';
import { t, tRich } from '../words.ts';

/** No stream tells counters: the gateway adds a sample every ten seconds. */
const SAMPLE_MS = 10_000;

const LEVELS: readonly PickOption<LogLevel>[] = [
  { value: 'debug', title: t('Everything') },
  { value: 'info', title: t('Info and worse') },
  { value: 'warn', title: t('Warnings and worse') },
  { value: 'error', title: t('Errors') },
];

const NO_PAUSES: CameraPauses = new Map();

const wholeText = (value: number) => numberText(Math.round(value));

export function SystemPage() {
  usePageTitle(t('System'));
  const system = useReading(readSystem, []);
  const counters = useReading((signal) => readCounters(null, signal), []);
  const log = useLog();
  const health = useCameraHealth();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      system.refresh();
      counters.refresh();
    }, SAMPLE_MS);
    return () => clearInterval(timer);
  }, [system, counters]);
  return (
    <>
      <div class="section-head">
        <h1>{t('System')}</h1>
        <SupportBundle />
      </div>
      <ReadTogether readings={[system, counters, health, log.reading]} what={t('the system’s state')}>
        <ReadingView reading={health} what={t('cameras')}>
          {(read) => (
            <>
              <CameraVerdict health={read} />
              <PausedCameras pauses={read.pauses} names={namesOf(read.cameras)} onEnd={health.refresh} />
            </>
          )}
        </ReadingView>
        <ReadingView reading={system} what={t('the system’s state')}>
          {({ state, findings }) => (
            <>
              <Findings findings={findings} state={state} counters={counters} />
              <RecordingsPart recorder={state.recorder} />
              <State state={state} />
              {state.cluster !== undefined && <Nodes cluster={state.cluster} />}
              <Workers workers={state.workers} />
            </>
          )}
        </ReadingView>
        <LastHour reading={counters} />
        <Log {...log} />
      </ReadTogether>
    </>
  );
}

/** Those of the person’s own organization. */
function useCameraHealth() {
  const reading = useReading(readCameraHealth, [], ({ entity }) => entity === 'CAMERA');
  const known = reading.state.value;
  useAfterPause(known.kind === 'read' ? known.value.pauses : NO_PAUSES, reading.refresh);
  return reading;
}

function namesOf(cameras: readonly CameraItem[]): ReadonlyMap<string, string> {
  return new Map(cameras.map(({ uuid, name }) => [uuid, name]));
}

function LastHour({ reading }: { readonly reading: ReadingHandle<Counters> }) {
  return (
    <section class="part">
      <h2>{t('The last hour')}</h2>
      <ReadingView reading={reading} what={t('counters')}>
        {(read) => (
          <div class="plots">
            <Plot title={t('Viewers')} counters={read} name="viewers" text={wholeText} />
            <Plot
              title={t('Sent')}
              counters={read}
              name="bytesOutPerSec"
              text={(value) => `${bytesText(value)}/s`}
            />
            <Plot
              title={t('Processor')}
              counters={read}
              name="cpuPercent"
              text={(value) => `${Math.round(value)} %`}
            />
            <Plot
              title={t('Response delay')}
              counters={read}
              name="eventLoopDelayP99Ms"
              text={(value) => `${value.toFixed(1)} ms`}
            />
          </div>
        )}
      </ReadingView>
    </section>
  );
}

/** The verdict first, then what is wrong. */
function Findings({
  findings,
  state,
  counters,
}: {
  readonly findings: readonly SystemFinding[];
  readonly state: SystemState;
  readonly counters: ReadingHandle<Counters>;
}) {
  const read = counters.state.value;
  const figures = (
    <VerdictFigures state={state} cpuPercent={read.kind === 'read' ? newestCpuPercent(read.value) : null} />
  );
  if (findings.length === 0) return <Notice title={t('The gateway is healthy')}>{figures}</Notice>;
  return (
    <>
      <h2>
        {t('{count, plural, one {# thing to look at} other {# things to look at}}', {
          count: findings.length,
        })}
      </h2>
      {figures}
      <FindingList findings={findings} />
    </>
  );
}

function VerdictFigures({
  state: { disks, openStreams },
  cpuPercent,
}: {
  readonly state: SystemState;
  readonly cpuPercent: number | null;
}) {
  const diskPercent = fullestDiskPercent(disks);
  return (
    <p>
      {diskPercent !== null && `${t('Disk {percent} % full.', { percent: diskPercent })} `}
      {cpuPercent !== null && `${t('Processor at {percent} %.', { percent: cpuPercent })} `}
      {t('{count, plural, one {# open stream.} other {# open streams.}}', { count: openStreams })}
    </p>
  );
}

function FindingList({ findings }: { readonly findings: readonly SystemFinding[] }) {
  return (
    <ul class="findings">
      {findings.map(({ code, severity, sentence, whatToDo }) => (
        <li key={code} class={severity}>
          <b>
            <Sentence text={sentence} />
          </b>{' '}
          <Sentence text={whatToDo} />
        </li>
      ))}
    </ul>
  );
}

function State({ state }: { readonly state: SystemState }) {
  const { redis, database, disks } = state;
  const whole = state.memory.find(({ part }) => part === 'process');
  return (
    <section class="part">
      <h2>{t('Now')}</h2>
      <Facts
        facts={[
          [
            t('Version'),
            t('{version} on {hostName}, Node.js {nodeVersion}, {platform}', {
              version: state.version,
              hostName: state.hostName,
              nodeVersion: state.nodeVersion,
              platform: state.platform,
            }),
          ],
          [t('Running for'), <TimeSince key="since" epochMs={Date.parse(state.startedAt)} />],
          [
            t('Cameras of this gateway'),
            Object.entries(state.cameras)
              .map(([name, count]) => `${count} ${cameraStateText(name)}`)
              .join(', '),
          ],
          [t('Open streams'), wholeText(state.openStreams)],
          [t('Viewers'), wholeText(state.viewers)],
          [t('Memory'), whole === undefined ? null : bytesText(whole.bytes)],
          [
            t('Database'),
            [
              database.kind,
              ...(database.isReachable ? [] : [t('not reachable')]),
              ...(database.sizeBytes === undefined ? [] : [bytesText(database.sizeBytes)]),
            ].join(', '),
          ],
          [t('Redis'), redis === undefined ? null : <RedisText key="redis" redis={redis} />],
          [
            t('ID of this gateway'),
            <span key="node">
              <code>{state.nodeId}</code>{' '}
              {state.cluster === undefined && <span class="muted">{t('changes with each start')}</span>}
            </span>,
          ],
          ...disks.map(
            ({ use, folder, freeBytes, totalBytes }) =>
              [
                t('Disk for {use}', { use }),
                freeBytes === undefined || totalBytes === undefined
                  ? folder
                  : t('{free} of {total} free, {folder}', {
                      free: bytesText(freeBytes),
                      total: bytesText(totalBytes),
                      folder,
                    }),
              ] as const,
          ),
        ]}
      />
    </section>
  );
}

/** As in "184 ready, 16 offline". */
function cameraStateText(name: string): string {
  const known: Readonly<Record<string, string>> = COUNTED_STATES;
  return known[name] ?? name;
}

/** Whether several gateways count together, and since when. */
function RedisText({ redis }: { readonly redis: NonNullable<SystemState['redis']> }) {
  const since = <TimeSince epochMs={Date.parse(redis.since)} />;
  const text = redis.isConnected
    ? tRich('Connected for {since}: counts and limits are shared with every gateway that uses it', { since })
    : tRich('Away for {since}: this gateway counts and limits alone, and reconnects by itself', { since });
  return (
    <>
      {text}
      {redis.lastError !== undefined && `. ${t('Last error: {lastError}', { lastError: redis.lastError })}`}
    </>
  );
}

function useLog() {
  const [level, setLevel] = useState<LogLevel>('info');
  const [text, setText] = useState('');
  const reading = useReading((signal) => readLog(level, text, signal), [level, text]);
  return { level, setLevel, text, setText, reading };
}

function Log({ level, setLevel, text, setText, reading }: ReturnType<typeof useLog>) {
  return (
    <section class="part">
      <h2>{t('Log')}</h2>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label={t('Filter the log')}
          placeholder={t('Filter the log')}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Select label={t('Severity')} value={level} options={LEVELS} onValue={setLevel} />
        <button type="button" onClick={() => reading.refresh()}>
          {t('Read again')}
        </button>
      </form>
      <ReadingView reading={reading} what={t('the log')}>
        {(records) =>
          records.length === 0 ? (
            <Notice title={t('No record matches')} />
          ) : (
            <RecordTable
              name="log"
              label={t('Log')}
              items={records.toReversed()}
              keyOf={({ id }) => String(id)}
              columns={[
                {
                  title: t('When'),
                  cell: ({ timestampMs }) => timestampMs !== undefined && <ExactTime epochMs={timestampMs} />,
                },
                { title: t('Severity'), cell: ({ level: severity }) => severity },
                { title: t('Thread'), cell: ({ thread }) => thread },
                { title: t('What'), cell: ({ message }) => <b title={message}>{message}</b> },
                {
                  title: t('Details'),
                  cell: ({ fieldsJson }) => <span title={fieldsJson}>{fieldsJson}</span>,
                },
              ]}
            />
          )
        }
      </ReadingView>
    </section>
  );
}

function SupportBundle() {
  const { isBusy, error, run } = useAction();
  return (
    <div>
      <button
        type="button"
        disabled={isBusy}
        onClick={() =>
          void run(async () => {
            const { fileName, contentBase64 } = await makeSupportBundle();
            saveBytes(fileName, 'application/gzip', contentBase64);
          })
        }
      >
        {isBusy ? t('One moment…') : t('Save a support bundle')}
      </button>
      <FormError error={error} />
    </div>
  );
}
