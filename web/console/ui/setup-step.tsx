/** The step that lets others in: lines for the configuration file and for nginx, from the current configuration. */

import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import type { ConfigFindings, Setting } from '../gateway-state.ts';
import { isHostName, listenersOf, nginxLines, sluiceLines } from '../setup-lines.ts';
import { CopyButton } from './copy-button.tsx';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { StateLine, Step } from './step.tsx';
import { useAction } from './use-action.ts';

const EXAMPLE_HOST = 'video.example.com';

export function SetupStep({
  number,
  settings,
  isDone,
}: {
  readonly number: number;
  readonly settings: readonly Setting[];
  readonly isDone: boolean;
}) {
  const [mediaHost, setMediaHost] = useState(() => configuredHost(settings));
  const [apiHost, setApiHost] = useState('');
  const hostFault = mediaHost === '' || isHostName(mediaHost) ? null : 'Write a complete host name.';
  const apiFault = apiHost === '' || isHostName(apiHost) ? null : 'Write a complete host name.';
  const wish = {
    ...listenersOf(settings),
    mediaHost: hostFault === null && mediaHost !== '' ? mediaHost : EXAMPLE_HOST,
    apiHost: apiFault === null ? apiHost : '',
  };
  return (
    <Step number={number} title="Let others in" isDone={isDone}>
      <p>
        Put nginx with a TLS certificate in front of the gateway, and tell the gateway its public address.
        Restart it afterwards.
      </p>
      <div class="two-fields">
        <TextField
          label="Host name of links"
          hint={`For example ${EXAMPLE_HOST}`}
          error={hostFault}
          value={mediaHost}
          onValue={(value) => setMediaHost(value.trim())}
        />
        <TextField
          label="Host name of this console"
          hint="Empty: only your own network can open it"
          error={apiFault}
          value={apiHost}
          onValue={(value) => setApiHost(value.trim())}
        />
      </div>
      <Lines name="sluice.yaml" hint="Merge these lines into the file." text={sluiceLines(wish)} />
      <ConfigCheck key={sluiceLines(wish)} yaml={sluiceLines(wish)} />
      <Lines
        name="nginx"
        hint="A file in /etc/nginx/conf.d. Set the paths of your certificate."
        text={nginxLines(wish)}
      />
    </Step>
  );
}

function Lines({
  name,
  hint,
  text,
}: {
  readonly name: string;
  readonly hint: string;
  readonly text: string;
}) {
  return (
    <div class="setup-lines">
      <header>
        <div>
          <h3>{name}</h3>
          <p class="hint">{hint}</p>
        </div>
        <CopyButton what={`lines for ${name}`} short="Copy" text={text} />
      </header>
      {/* Keyboards scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre tabIndex={0} role="region" aria-label={`Lines for ${name}`}>
        {text}
      </pre>
    </div>
  );
}

/** Whether the gateway would start with these lines. */
function ConfigCheck({ yaml }: { readonly yaml: string }) {
  const [found, setFound] = useState<ConfigFindings | null>(null);
  const { isBusy, error, run } = useAction();
  return (
    <>
      {found !== null && (
        <StateLine kind={found.isValid ? 'good' : 'bad'}>
          {found.isValid
            ? 'The gateway accepts these lines.'
            : found.findings.map(({ sentence }) => sentence).join(' ')}
        </StateLine>
      )}
      <FormError error={error} />
      {found === null && (
        <div class="buttons">
          <button
            type="button"
            disabled={isBusy}
            onClick={() => void run(async () => setFound(await call('console/validateConfig', { yaml })))}
          >
            {isBusy ? 'One moment…' : 'Check these lines'}
          </button>
        </div>
      )}
    </>
  );
}

/** The host of the public URL, if it is a name. */
function configuredHost(settings: readonly Setting[]): string {
  const value = settings.find(({ path, isSet }) => path === 'public.mediaUrl' && isSet)?.value ?? '';
  const host = URL.parse(value)?.hostname ?? '';
  return isHostName(host) ? host : '';
}
