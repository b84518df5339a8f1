/** Shows a reading from the API, or why it is not there. */

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { staleSinceEpochMs } from '../changes.ts';
import type { ReadingHandle } from '../reading.ts';
import { ErrorNotice, LoadingNotice, OutdatedNotice, StaleNotice } from './notice.tsx';

/** `what`: as in "Loading cameras…". `title`: the page's, where `children` have it otherwise. */
export function ReadingView<Value>({
  reading,
  what,
  title,
  children,
}: {
  readonly reading: ReadingHandle<Value>;
  readonly what: string;
  readonly title?: string;
  readonly children: (value: Value) => ComponentChildren;
}) {
  const state = reading.state.value;
  switch (state.kind) {
    case 'loading':
      return <Loading what={what} title={title} />;
    case 'failed':
      return (
        <>
          {title !== undefined && <h1>{title}</h1>}
          <ErrorNotice error={state.error} retry={reading.refresh} />
        </>
      );
    case 'read':
      return (
        <>
          {staleSinceEpochMs.value !== null ? (
            <StaleNotice sinceEpochMs={staleSinceEpochMs.value} />
          ) : (
            state.error !== null && <OutdatedNotice error={state.error} retry={reading.refresh} />
          )}
          {children(state.value)}
        </>
      );
  }
}

/**
 * Shows nothing before each of the readings has come or failed once: parts of a page that come one by one push each other
 * down under the eyes of who reads them. `what` and `title` as above.
 */
export function ReadTogether({
  readings,
  what,
  title,
  children,
}: {
  readonly readings: readonly Pick<ReadingHandle<unknown>, 'state'>[];
  readonly what: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}) {
  const isShown = useRef(false);
  isShown.current ||= readings.every(({ state }) => state.value.kind !== 'loading');
  return isShown.current ? children : <Loading what={what} title={title} />;
}

function Loading({ what, title }: { readonly what: string; readonly title: string | undefined }) {
  return (
    <>
      {title !== undefined && <h1>{title}</h1>}
      <LoadingNotice what={what} />
    </>
  );
}
