/** Settings: the configuration in effect, where each value came from, and the file's check and reload. */

import { useState } from 'preact/hooks';
import {
  type ConfigFindings,
  checkConfig,
  type ReloadOutcome,
  readSettings,
  reloadConfig,
  type Setting,
  type Settings,
} from '../gateway-state.ts';
import { usePageTitle } from '../page-title.ts';
import { useReading } from '../reading.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { Select } from '../ui/select.tsx';
import { useAction } from '../ui/use-action.ts';

const SOURCES = [
  { value: 'set', title: 'What is set' },
  { value: 'pending', title: 'What waits for a restart' },
  { value: 'all', title: 'Everything' },
];

const FILTERS: Readonly<Record<string, (setting: Setting) => boolean>> = {
  set: ({ source }) => source !== 'default',
  pending: ({ isPending }) => isPending,
  all: () => true,
};

export function SettingsPage() {
  usePageTitle('Settings');
  const reading = useReading(readSettings, []);
  return (
    <>
      <h1>Settings</h1>
      <ReadingView reading={reading} what="the configuration">
        {(settings) => (
          <>
            <ConfigFile file={settings.file ?? null} reloaded={() => reading.refresh()} />
            <SettingList settings={settings} />
          </>
        )}
      </ReadingView>
    </>
  );
}

type Result =
  | { readonly kind: 'checked'; readonly findings: ConfigFindings }
  | { readonly kind: 'reloaded'; readonly outcome: ReloadOutcome };

function ConfigFile({ file, reloaded }: { readonly file: string | null; readonly reloaded: () => void }) {
  const { isBusy, error, run } = useAction();
  const [result, setResult] = useState<Result | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  if (file === null) {
    return (
      <Notice title="There is no configuration file">
        <p>
          Put a <code>sluice.yaml</code> where the gateway starts, and restart it.
        </p>
      </Notice>
    );
  }
  return (
    <section class="part">
      <p class="break">
        The gateway reads <code>{file}</code>.
      </p>
      <div class="buttons">
        <button
          type="button"
          disabled={isBusy}
          onClick={() => void run(async () => setResult({ kind: 'checked', findings: await checkConfig() }))}
        >
          Check the file
        </button>
        <button type="button" disabled={isBusy} onClick={() => setIsAsking(true)}>
          Reload the file
        </button>
      </div>
      <div role="status">{result !== null && <ResultText result={result} />}</div>
      <FormError error={error} />
      {isAsking && (
        <FormDialog
          title="Reload the configuration?"
          submit="Reload"
          onSubmit={async () => {
            setResult({ kind: 'reloaded', outcome: await reloadConfig() });
            setIsAsking(false);
            reloaded();
          }}
          onClose={() => setIsAsking(false)}
        >
          <p>
            Cameras that the file no longer has are closed, and changed ones are opened again. Everyone else
            notices nothing. An invalid file changes nothing.
          </p>
        </FormDialog>
      )}
    </section>
  );
}

function ResultText({ result }: { readonly result: Result }) {
  if (result.kind === 'reloaded') {
    const { cameras, applied, needsRestart } = result.outcome;
    return (
      <p>
        Reloaded: {cameras.created} cameras are new, {cameras.updated} changed, {cameras.removed} are gone.{' '}
        {applied.length > 0 && `In effect: ${applied.join(', ')}. `}
        {needsRestart.length > 0 && `Waiting for a restart: ${needsRestart.join(', ')}.`}
      </p>
    );
  }
  const { isValid, findings, findingCount } = result.findings;
  if (isValid) return <p>The file is valid.</p>;
  return (
    <>
      <p>{findingCount === 1 ? 'One thing is wrong:' : `${findingCount} things are wrong:`}</p>
      <ul class="findings">
        {findings.map(({ path, line, sentence }) => (
          <li class="error" key={`${path} ${line}`}>
            {line !== undefined && <b>Line {line}: </b>}
            {sentence}
          </li>
        ))}
      </ul>
    </>
  );
}

function SettingList({ settings: { settings } }: { readonly settings: Settings }) {
  const [text, setText] = useState('');
  const [source, setSource] = useState('set');
  const shown = settings.filter(
    (setting) => FILTERS[source]!(setting) && setting.path.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <section class="part">
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label="Filter by key"
          placeholder="Filter by key"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Select label="Which settings" value={source} options={SOURCES} onValue={setSource} />
        <p class="count" role="status">
          {shown.length} of {settings.length}
        </p>
      </form>
      {shown.length === 0 ? (
        <Notice title="No setting matches" />
      ) : (
        <RecordTable
          name="settings"
          label="Settings"
          items={shown}
          keyOf={({ path }) => path}
          columns={[
            { title: 'Key', cell: ({ path, expected }) => <b title={expected}>{path}</b> },
            { title: 'Value', cell: valueText },
            { title: 'From', cell: sourceText },
            {
              title: 'A change needs',
              cell: ({ appliesOn, isPending }) =>
                isPending ? 'a restart, which is due' : appliesOn === 'reload' ? 'a reload' : 'a restart',
            },
          ]}
        />
      )}
    </section>
  );
}

function valueText({ value, isSecret, isSet }: Setting): string {
  if (isSecret) return isSet ? 'Set (secret)' : 'Not set';
  return value ?? 'Not set';
}

/** The file is named above the list. */
function sourceText({ source, line, variable }: Setting): string {
  if (source === 'environment') return `$${variable}`;
  if (source === 'file') return line === undefined ? 'File' : `Line ${line}`;
  return 'Default';
}
