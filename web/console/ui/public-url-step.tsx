/** The step that shows whether links work from outside: the gateway's own response, and a phone's. */

import { useEffect, useState } from 'preact/hooks';
import { CallError } from '../api.ts';
import { linkReach } from '../media-addresses.ts';
import {
  findingOf,
  openPublicUrlCheck,
  type PublicUrlCheck,
  type PublicUrlReport,
  type PublicUrlVisit,
  reachText,
  readVisits,
  routeText,
  testPublicUrl,
} from '../public-url.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { t, tRich } from '../words.ts';
import { FormError } from './form-error.tsx';
import { QrCode } from './qr-code.tsx';
import { StateLine, Step } from './step.tsx';
import { TimeAgo } from './time.tsx';
import { useAction } from './use-action.ts';

/** No stream tells openings. */
const POLL_MS = 2_000;
/** The check outlives a reload of the page. */
const STORAGE_KEY = 'sluice.public-url-check';

export function PublicUrlStep({
  number,
  shareStep,
  onOpened,
}: {
  readonly number: number;
  /** The number of the step that lets phones open links. */
  readonly shareStep: number;
  readonly onOpened: (isOpened: boolean) => void;
}) {
  const [check, setCheck] = useState(storedCheck);
  const [visits, setVisits] = useState<readonly PublicUrlVisit[]>([]);
  const { isBusy, error, run } = useAction();
  const own = useReading(testPublicUrl, []);
  const isOpened = visits.some(({ reach }) => reach === 'everyone');
  useEffect(() => onOpened(isOpened), [isOpened]);
  useVisits(check, setVisits, () => setCheck(null));
  const start = () =>
    void run(async () => {
      const opened = await openPublicUrlCheck();
      sessionStorage.setItem(STORAGE_KEY, JSON.stringify(opened));
      setVisits([]);
      setCheck(opened);
    });
  const isOnlyHere =
    own.state.value.kind === 'read' && linkReach(own.state.value.value.publicUrl) === 'this-machine';
  const isOffered = !isOnlyHere && check !== null;
  return (
    <Step
      number={number}
      title={t('Test it from outside')}
      isDone={isOpened}
      aside={isOffered && <QrCode text={check.pageUrl} label={t('QR code of the test address')} />}
    >
      <p>{t('Links work for others only if the public URL leads to this gateway from their network.')}</p>
      {isOnlyHere ? (
        <StateLine kind="bad">
          {t(
            'Links open only on this machine so far, so no phone can open a test address. Let phones watch first: step {number}.',
            {
              number: shareStep,
            },
          )}
        </StateLine>
      ) : (
        <OwnRequest reading={own} />
      )}
      {isOffered && (
        <>
          <p>
            {tRich('Turn off the phone’s Wi-Fi and scan the code, or open {a}.', {
              a: (
                <a class="break" href={check.pageUrl} target="_blank" rel="noreferrer">
                  {check.pageUrl}
                </a>
              ),
            })}
          </p>
          <Visits visits={visits} />
        </>
      )}
      {!isOnlyHere && check === null && (
        <p>{t('For proof, open a test address with a phone that is not in your Wi-Fi.')}</p>
      )}
      <FormError error={error} />
      <div class="buttons">
        {!isOnlyHere && (
          <button type="button" disabled={isBusy} onClick={start}>
            {check === null ? t('Make a test address') : t('Make a new one')}
          </button>
        )}
        <button type="button" class="quiet" onClick={own.refresh}>
          {t('Test from the gateway again')}
        </button>
      </div>
    </Step>
  );
}

/** The response that the gateway gets from its own public URL. */
function OwnRequest({ reading }: { readonly reading: ReadingHandle<PublicUrlReport> }) {
  const state = reading.state.value;
  if (state.kind === 'loading') {
    return <StateLine kind="waiting">{t('The gateway asks its own public URL…')}</StateLine>;
  }
  if (state.kind === 'failed') return <StateLine kind="bad">{state.error.message}</StateLine>;
  const { isGood, sentence, whatToDo } = findingOf(state.value);
  const reach = reachText(state.value);
  return (
    <>
      <StateLine kind={isGood ? 'good' : 'bad'}>
        {sentence} {whatToDo}
      </StateLine>
      {reach !== null && <p class="warning">{reach}</p>}
    </>
  );
}

function Visits({ visits }: { readonly visits: readonly PublicUrlVisit[] }) {
  const [last] = visits;
  if (last === undefined) return <StateLine kind="waiting">{t('Not opened yet')}</StateLine>;
  return (
    <StateLine kind={last.reach === 'everyone' ? 'good' : 'waiting'}>
      {tRich('Opened from {address} {time}, {route}.', {
        address: last.address,
        time: <TimeAgo epochMs={Date.parse(last.openedAt)} />,
        route: routeText(last),
      })}{' '}
      {last.reach === 'own-network' && t('That is an address of your own network: turn Wi-Fi off.')}
      {last.reach === 'this-machine' && t('That is this machine itself.')}
    </StateLine>
  );
}

/** Asks while the page is in sight, until the check ends. */
function useVisits(
  check: PublicUrlCheck | null,
  onVisits: (visits: readonly PublicUrlVisit[]) => void,
  onEnded: () => void,
): void {
  useEffect(() => {
    if (check === null) return;
    const left = new AbortController();
    const ask = async (): Promise<void> => {
      if (document.visibilityState !== 'visible') return;
      try {
        onVisits(await readVisits(check.checkId, left.signal));
      } catch (error) {
        if (left.signal.aborted) return;
        if (!(error instanceof CallError)) throw error;
        // Otherwise the network or the gateway is unavailable: the next request may succeed.
        if (error.status !== 404) return;
        sessionStorage.removeItem(STORAGE_KEY);
        onEnded();
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), POLL_MS);
    return () => {
      left.abort();
      clearInterval(timer);
    };
  }, [check]);
}

function storedCheck(): PublicUrlCheck | null {
  const stored = sessionStorage.getItem(STORAGE_KEY);
  return stored === null ? null : (JSON.parse(stored) as PublicUrlCheck);
}
