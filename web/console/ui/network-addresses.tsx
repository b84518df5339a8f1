/** How a phone in the same network gets to open links: the addresses of the machine, what answers there, and one click to use one. */

import { useEffect, useState } from 'preact/hooks';
import { restartGateway } from '../gateway-restart.ts';
import { readSettings } from '../gateway-state.ts';
import {
  editsFor,
  linkReach,
  type MediaAddresses,
  readMediaAddresses,
  tryAddresses,
} from '../media-addresses.ts';
import { useReading } from '../reading.ts';
import { saveSettings } from '../settings-edit.ts';
import { t, tRich } from '../words.ts';
import { Chips } from './chips.tsx';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { StateLine } from './step.tsx';
import { useAction } from './use-action.ts';

type Tried = ReadonlyMap<string, boolean>;

/** Nothing for people who may not see the gateway itself. */
export function NetworkAddresses() {
  const reading = useReading(readMediaAddresses, []);
  const state = reading.state.value;
  return state.kind === 'read' ? <Addresses found={state.value} /> : null;
}

function Addresses({ found }: { readonly found: MediaAddresses }) {
  const { publicUrl, isLoopbackOnly, addresses } = found;
  const isForPhones = linkReach(publicUrl) !== 'this-machine';
  const urls = isLoopbackOnly ? [] : [...new Set([publicUrl, ...addresses.map(({ url }) => url)])];
  const tried = useTried(urls);
  if (isForPhones)
    return <PublicUrlState url={publicUrl} isWorking={tried?.get(publicUrl)} isClosed={isLoopbackOnly} />;
  return <OpenToNetwork found={found} tried={tried} />;
}

/** What this browser reaches; null: not known yet. */
function useTried(urls: readonly string[]): Tried | null {
  const [tried, setTried] = useState<Tried | null>(null);
  useEffect(() => {
    if (urls.length === 0) return;
    const left = new AbortController();
    tryAddresses(urls, left.signal).then(setTried, () => undefined);
    return () => left.abort();
  }, [urls.join()]);
  return tried;
}

function PublicUrlState({
  url,
  isWorking,
  isClosed,
}: {
  readonly url: string;
  readonly isWorking: boolean | undefined;
  readonly isClosed: boolean;
}) {
  const { host } = new URL(url);
  if (isClosed) {
    return (
      <StateLine kind="waiting">
        {t('Links begin with {host}, and a proxy must pass them on. The next step tests it.', { host })}
      </StateLine>
    );
  }
  if (isWorking === undefined)
    return <StateLine kind="waiting">{t('Trying {host} from this browser…', { host })}</StateLine>;
  return isWorking ? (
    <StateLine kind="good">
      {t('Links open at {host}: this browser reached the gateway there.', { host })}
    </StateLine>
  ) : (
    <StateLine kind="bad">
      {t(
        'This browser could not open {host}. A firewall, another network, or its certificate may be the reason.',
        { host },
      )}
    </StateLine>
  );
}

/** Before anything was typed, the address that answers here, or the most likely one. */
function OpenToNetwork({ found, tried }: { readonly found: MediaAddresses; readonly tried: Tried | null }) {
  const { isLoopbackOnly, addresses } = found;
  const [chosen, setChosen] = useState<string | null>(null);
  const [own, setOwn] = useState('');
  const { isBusy, error, run } = useAction();
  const [isUnseen, setIsUnseen] = useState(false);
  const best = addresses.find(({ url }) => tried?.get(url) === true) ?? addresses[0];
  const ownUrl = own === '' ? null : URL.parse(own.includes('://') ? own : `http://${own}`);
  const url = own === '' ? (chosen ?? best?.url ?? null) : (ownUrl?.origin ?? null);
  const open = (publicUrl: string) =>
    run(async () => {
      const { revision } = await readSettings(AbortSignal.timeout(30_000));
      const { needsRestart } = await saveSettings(revision, editsFor(publicUrl, found));
      const outcome = needsRestart.length === 0 ? 'started' : await restartGateway();
      // The page's policy names the addresses of before.
      if (outcome === 'started') location.reload();
      else setIsUnseen(true);
    });
  return (
    <div class="network">
      <p>
        <b>{t('Phones cannot open links yet.')}</b>{' '}
        {isLoopbackOnly
          ? t('The gateway accepts viewers only from this machine.')
          : t('Links begin with an address that means “this machine”.')}
      </p>
      {addresses.length > 1 && (
        <Chips
          legend={t('Address of this machine')}
          options={addresses.map((entry) => ({
            value: entry.url,
            title: `${entry.address} (${entry.interfaceName})${triedText(tried?.get(entry.url))}`,
          }))}
          value={url ?? ''}
          onValue={(entry) => {
            setChosen(entry);
            setOwn('');
          }}
        />
      )}
      <div class="buttons">
        <button
          type="button"
          class="primary"
          disabled={isBusy || url === null}
          onClick={() => url !== null && void open(url)}
        >
          {isBusy ? t('Restarting the gateway…') : t('Let phones in this network watch')}
        </button>
      </div>
      {url !== null && (
        <p class="hint">
          {tRich(
            'Links then begin with {code}. The gateway restarts, which takes some seconds. Only links open to the network, not the console. Video there is not encrypted until you set up TLS below.',
            { code: <code>{url}</code> },
          )}
        </p>
      )}
      <details open={addresses.length === 0}>
        <summary>{t('Another address')}</summary>
        <TextField
          label={t('Address of this machine, with its port')}
          hint={t('In a container, the address and the port of its host, such as 192.168.1.20:8081')}
          error={own !== '' && ownUrl === null ? t('Write an address such as 192.168.1.20:8081.') : null}
          value={own}
          onValue={(typed) => setOwn(typed.trim())}
        />
      </details>
      <FormError error={error} />
      {isUnseen && (
        <p class="form-error" role="alert">
          {t('The gateway has not responded for 90 seconds. Look at its log.')}
        </p>
      )}
    </div>
  );
}

function triedText(isWorking: boolean | undefined): string {
  if (isWorking === undefined) return '';
  return isWorking ? `: ${t('works here')}` : `: ${t('does not open here')}`;
}
