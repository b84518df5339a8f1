/** Notices in place of content: nothing there yet, failed, or loading. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CallError } from '../api.ts';
import { silentSinceEpochMs } from '../signs-of-life.ts';
import { t, tRich } from '../words.ts';
import { ClockTime } from './clock-time.tsx';
import { EmptyDrawing, type EmptyKind } from './empty-drawing.tsx';
import { TimeSince } from './time.tsx';

export function Notice({
  title,
  isPage = false,
  draws,
  children,
}: {
  readonly title: string;
  /** It is all that the page shows. */
  readonly isPage?: boolean;
  /** What appears here; absent: nothing is drawn. */
  readonly draws?: EmptyKind;
  readonly children?: ComponentChildren;
}) {
  return (
    <section class="notice">
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
      {draws !== undefined && <EmptyDrawing kind={draws} />}
    </section>
  );
}

/** `what`: the content that is loading, as in "Loading cameras…". */
export function LoadingNotice({ what }: { readonly what: string }) {
  return (
    <p class="notice loading" role="status">
      {t('Loading {what}…', { what })}
      <Silence />
    </p>
  );
}

/** Shows what failed, with the request's ID for anyone who reads the log, and offers to try again. */
export function ErrorNotice({ error, retry }: { readonly error: CallError; readonly retry?: () => void }) {
  const waitSec = useCountdown(error);
  return (
    <section class="notice failed" role="alert">
      <h2>{titleOf(error)}</h2>
      <p>{error.message}</p>
      {error.requestId !== null && (
        <p class="request-id">{tRich('Request {code}', { code: <code>{error.requestId}</code> })}</p>
      )}
      {retry !== undefined && (
        <button type="button" disabled={waitSec > 0} onClick={retry}>
          {waitSec > 0 ? t('Try again in {waitSec} s', { waitSec }) : t('Try again')}
        </button>
      )}
    </section>
  );
}

/** For how long the gateway has not answered, after other text; nothing if it answers. */
export function Silence() {
  const sinceEpochMs = silentSinceEpochMs.value;
  if (sinceEpochMs === null) return null;
  return (
    <> {tRich('The gateway has not answered for {time}.', { time: <TimeSince epochMs={sinceEpochMs} /> })}</>
  );
}

/** Above content that is still shown: the page does not follow changes. It reads the content again when it does. */
export function StaleNotice({ sinceEpochMs }: { readonly sinceEpochMs: number }) {
  return (
    <p class="outdated" role="status">
      {tRich('Changes since {time}, for {duration}, may be missing here.', {
        time: <ClockTime epochMs={sinceEpochMs} />,
        duration: <TimeSince epochMs={sinceEpochMs} />,
      })}
    </p>
  );
}

/** Above content that is still shown: it could not be read again. */
export function OutdatedNotice({ error, retry }: { readonly error: CallError; readonly retry: () => void }) {
  return (
    <p class="outdated" role="alert">
      {tRich('This may be outdated: {message} <button>Try again</button>', {
        message: error.message,
        button: (text) => (
          <button type="button" class="quiet" onClick={retry}>
            {text}
          </button>
        ),
      })}
    </p>
  );
}

function titleOf(error: CallError): string {
  if (error.isRateLimited) return t('Too many requests');
  if (error.status === 0) return t('No connection to the gateway');
  if (error.status === 403) return t('Your role does not allow this');
  return t('That did not work');
}

/** Seconds until another try makes sense. */
function useCountdown({ retryAfterSec }: CallError): number {
  const [leftSec, setLeftSec] = useState(retryAfterSec ?? 0);
  useEffect(() => {
    setLeftSec(retryAfterSec ?? 0);
    if (retryAfterSec === null) return;
    const timer = setInterval(() => setLeftSec((sec) => Math.max(0, sec - 1)), 1_000);
    return () => clearInterval(timer);
  }, [retryAfterSec]);
  return leftSec;
}
