/** Shows what was read from the API, or why it is not there. */

import type { ComponentChildren } from 'preact';
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
