/** Shows what was read from the API, or why it is not there. */

import type { ComponentChildren } from 'preact';
import type { ReadingHandle } from '../reading.ts';
import { ErrorNotice, LoadingNotice, OutdatedNotice } from './notice.tsx';

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
      return (
        <>
          {title !== undefined && <h1>{title}</h1>}
          <LoadingNotice what={what} />
        </>
      );
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
          {state.error !== null && <OutdatedNotice error={state.error} retry={reading.refresh} />}
          {children(state.value)}
        </>
      );
  }
}
