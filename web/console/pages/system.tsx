/** System: the gateway's state, its faults and remedies, the last hour, and its log. */

import { useEffect, useState } from 'preact/hooks';
import { STATE_NAMES } from '../camera-state.ts';
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
import { Facts } from '../ui/facts.tsx';
import { saveBytes } from '../ui/file-download.ts';
import { FormError } from '../ui/form-error.tsx';
import { Nodes } from '../ui/node-table.tsx';
import { Notice } from '../ui/notice.tsx';
import { Plot } from '../ui/plot.tsx';
import { ReadingView, ReadTogether } from '../ui/reading-view.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { Select } from '../ui/select.tsx';
import { Sentence } from '../ui/sentence.tsx';
import { ExactTime, TimeSince } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { Workers } from '../ui/worker-table.tsx';

/** No stream tells counters: the gateway adds a sample every ten seconds. */
const SAMPLE_MS = 10_000;

const LEVELS: readonly PickOption<LogLevel>[] = [
  { value: 'debug', title: 'Everything' },
  { value: 'info', title: 'Info and worse' },
  { value: 'warn', title: 'Warnings and worse' },
  { value: 'error', title: 'Errors' },
];

const wholeText = (value: number) => Math.round(value).toLocaleString();

export function SystemPage() {
  usePageTitle('System');
  const system = useReading(readSystem, []);
  const counters = useReading((signal) => readCounters(null, signal), []);
  const log = useLog();
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
        <h1>System</h1>
        <SupportBundle />
      </div>
      <ReadTogether readings={[system, counters, log.reading]} what="the system’s state">
        <ReadingView reading={system} what="the system’s state">
          {({ state, findings }) => (
            <>
              <Findings findings={findings} />
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

function LastHour({ reading }: { readonly reading: ReadingHandle<Counters> }) {
  return (
    <section class="part">
      <h2>The last hour</h2>
      <ReadingView reading={reading} what="counters">
        {(read) => (
          <div class="plots">
            <Plot title="Viewers" counters={read} name="viewers" text={wholeText} />
            <Plot
              title="Sent"
              counters={read}
              name="bytesOutPerSec"
              text={(value) => `${bytesText(value)}/s`}
            />
            <Plot
              title="Processor"
              counters={read}
              name="cpuPercent"
              text={(value) => `${Math.round(value)} %`}
            />
            <Plot
              title="Event loop delay"
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

function Findings({ findings }: { readonly findings: readonly SystemFinding[] }) {
  if (findings.length === 0) {
    return (
      <Notice title="Nothing needs attention">
        <p>The gateway, its database and its disks are as they should be.</p>
      </Notice>
    );
  }
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
      <h2>Now</h2>
      <Facts
        facts={[
          [
            'Version',
            `${state.version} on ${state.hostName}, Node.js ${state.nodeVersion}, ${state.platform}`,
          ],
          ['Running for', <TimeSince key="since" epochMs={Date.parse(state.startedAt)} />],
          [
            'Cameras',
            Object.entries(state.cameras)
              .map(([name, count]) => `${count} ${cameraStateText(name)}`)
              .join(', '),
          ],
          ['Open streams', wholeText(state.openStreams)],
          ['Viewers', wholeText(state.viewers)],
          ['Memory', whole === undefined ? null : bytesText(whole.bytes)],
          [
            'Database',
            `${database.kind}${database.isReachable ? '' : ', not reachable'}${
              database.sizeBytes === undefined ? '' : `, ${bytesText(database.sizeBytes)}`
            }`,
          ],
          ['Redis', <RedisText key="redis" redis={redis} />],
          [
            'This node',
            <span key="node">
              <code>{state.nodeId}</code>{' '}
              {state.cluster === undefined && <span class="muted">changes with each start</span>}
            </span>,
          ],
          ...disks.map(
            ({ use, folder, freeBytes, totalBytes }) =>
              [
                `Disk for ${use}`,
                freeBytes === undefined || totalBytes === undefined
                  ? folder
                  : `${bytesText(freeBytes)} of ${bytesText(totalBytes)} free, ${folder}`,
              ] as const,
          ),
        ]}
      />
    </section>
  );
}

/** As in "184 ready, 16 offline". */
function cameraStateText(name: string): string {
  const known: Readonly<Record<string, string>> = STATE_NAMES;
  return (known[name] ?? name).toLowerCase();
}

/** Whether several gateways count together, and since when. */
function RedisText({ redis }: { readonly redis: SystemState['redis'] }) {
  if (redis === undefined) return <>Not configured: this gateway counts and limits alone</>;
  const since = <TimeSince epochMs={Date.parse(redis.since)} />;
  const last = redis.lastError === undefined ? '' : `. Last error: ${redis.lastError}`;
  return redis.isConnected ? (
    <>
      Connected for {since}: counts and limits are shared with every gateway that uses it{last}
    </>
  ) : (
    <>
      Away for {since}: this gateway counts and limits alone, and reconnects by itself{last}
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
      <h2>Log</h2>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label="Filter the log"
          placeholder="Filter the log"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Select label="Severity" value={level} options={LEVELS} onValue={setLevel} />
        <button type="button" onClick={() => reading.refresh()}>
          Read again
        </button>
      </form>
      <ReadingView reading={reading} what="the log">
        {(records) =>
          records.length === 0 ? (
            <Notice title="No record matches" />
          ) : (
            <RecordTable
              name="log"
              label="Log"
              items={records.toReversed()}
              keyOf={({ id }) => String(id)}
              columns={[
                {
                  title: 'When',
                  cell: ({ timestampMs }) => timestampMs !== undefined && <ExactTime epochMs={timestampMs} />,
                },
                { title: 'Severity', cell: ({ level: severity }) => severity },
                { title: 'Thread', cell: ({ thread }) => thread },
                { title: 'What', cell: ({ message }) => <b title={message}>{message}</b> },
                {
                  title: 'Details',
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
        {isBusy ? 'One moment…' : 'Save a support bundle'}
      </button>
      <FormError error={error} />
    </div>
  );
}
