/** Shows what was read from the API, or why it is not there. */

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { ReadingHandle } from '../reading.ts';
import { ErrorNotice, LoadingNotice, OutdatedNotice } from './notice.tsx';

/** `what`: as in "Loading cameras…". */
export function ReadingView<Value>({
  reading,
  what,
  children,
}: {
  readonly reading: ReadingHandle<Value>;
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}) {
  const state = reading.state.value;
  switch (state.kind) {
    case 'loading':
      return <LoadingNotice what={what} />;
    case 'failed':
      return <ErrorNotice error={state.error} retry={reading.refresh} />;
    case 'read':
      return (
        <>
          {state.error !== null && <OutdatedNotice error={state.error} retry={reading.refresh} />}
          {children(state.value)}
        </>
      );
  }
}

/**
 * Shows nothing before each of the readings has come or failed once: parts of a page that come one by one push each other
 * down under the eyes of who reads them. `what`: as in "Loading cameras…".
 */
export function ReadTogether({
  readings,
  what,
  children,
}: {
  readonly readings: readonly Pick<ReadingHandle<unknown>, 'state'>[];
  readonly what: string;
  readonly children: ComponentChildren;
}) {
  const isShown = useRef(false);
  isShown.current ||= readings.every(({ state }) => state.value.kind !== 'loading');
  return isShown.current ? children : <LoadingNotice what={what} />;
}
