/** The step that lets others in: public addresses and TLS, saved here, or as lines for the configuration file and for nginx. */

import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import type { ConfigFindings, Setting } from '../gateway-state.ts';
import { type SetupWay, setupEdits } from '../setup-edits.ts';
import { isHostName, listenersOf, nginxLines, sluiceLines } from '../setup-lines.ts';
import { t } from '../words.ts';
import { Chips } from './chips.tsx';
import { CopyButton } from './copy-button.tsx';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { SaveSetup } from './save-setup.tsx';
import { StateLine, Step } from './step.tsx';
import { useAction } from './use-action.ts';

const EXAMPLE_HOST = 'video.example.com';

const WAYS = [
  { value: 'proxy', title: t('A proxy such as nginx') },
  { value: 'acme', title: t('Let’s Encrypt') },
  { value: 'files', title: t('My own files') },
] as const;

const WAY_HINTS: Readonly<Record<SetupWay, string>> = {
  proxy: t('nginx on this machine has the certificate, and passes viewers on to the gateway.'),
  acme: t(
    'The gateway gets a certificate and renews it. DNS must know the name, and ports 80 and 443 of this machine must be open to the Internet.',
  ),
  files: t('The gateway listens on port 443 with your certificate, and uses new files within seconds.'),
};

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
  const [way, setWay] = useState<SetupWay>('proxy');
  const [cert, setCert] = useState('');
  const [key, setKey] = useState('');
  const [email, setEmail] = useState('');
  const hostFault = mediaHost === '' || isHostName(mediaHost) ? null : t('Write a complete host name.');
  const apiFault = apiHost === '' || isHostName(apiHost) ? null : t('Write a complete host name.');
  const wanted = {
    ...listenersOf(settings),
    mediaHost: hostFault === null && mediaHost !== '' ? mediaHost : EXAMPLE_HOST,
    apiHost: apiFault === null ? apiHost : '',
  };
  const isNamed = mediaHost !== '' && hostFault === null && apiFault === null;
  const isComplete = isNamed && (way !== 'files' || (cert.trim() !== '' && key.trim() !== ''));
  return (
    <Step number={number} title={t('Let others in')} isDone={isDone}>
      <p>{t('Give links a public address with TLS, so that people outside your network can open them.')}</p>
      <Chips legend={t('Where the certificate is')} options={WAYS} value={way} onValue={setWay} />
      <p class="hint">{WAY_HINTS[way]}</p>
      <div class="two-fields">
        <TextField
          label={t('Host name of links')}
          hint={t('For example {exampleHost}', { exampleHost: EXAMPLE_HOST })}
          error={hostFault}
          value={mediaHost}
          onValue={(value) => setMediaHost(value.trim())}
        />
        {way === 'proxy' && (
          <TextField
            label={t('Host name of this console')}
            hint={t('Empty: only your own network can open it')}
            error={apiFault}
            value={apiHost}
            onValue={(value) => setApiHost(value.trim())}
          />
        )}
        {way === 'acme' && (
          <TextField
            label={t('Your email')}
            type="email"
            hint={t('Where Let’s Encrypt can reach you; may be empty')}
            value={email}
            onValue={(value) => setEmail(value.trim())}
          />
        )}
        {way === 'files' && (
          <>
            <TextField
              label={t('Certificate file')}
              hint={t('Its path on the gateway’s machine, in PEM')}
              value={cert}
              onValue={setCert}
            />
            <TextField
              label={t('Key file')}
              hint={t('Its path there, in PEM')}
              value={key}
              onValue={setKey}
            />
          </>
        )}
      </div>
      <SaveSetup
        settings={settings}
        edits={
          isComplete
            ? setupEdits({ way, mediaHost, apiHost, cert: cert.trim(), key: key.trim(), email })
            : null
        }
        terms={way === 'acme'}
      />
      {way === 'proxy' && (
        <>
          <Lines
            name="nginx"
            hint={t('A file in /etc/nginx/conf.d. Set the paths of your certificate.')}
            text={nginxLines(wanted)}
          />
          <Lines
            name="sluice.yaml"
            hint={t('Instead of saving here, you can merge these lines into the file.')}
            text={sluiceLines(wanted)}
          />
          <ConfigCheck key={sluiceLines(wanted)} yaml={sluiceLines(wanted)} />
        </>
      )}
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
        <CopyButton what={t('lines for {name}', { name })} short={t('Copy')} text={text} />
      </header>
      {/* Keyboards scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre tabIndex={0} role="region" aria-label={t('Lines for {name}', { name })}>
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
            ? t('The gateway accepts these lines.')
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
            {isBusy ? t('One moment…') : t('Check these lines')}
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
