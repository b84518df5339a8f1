/** When the gateway tries something again: the only words for it. A time that has passed is never shown as one that comes. */

import { nextTryText } from './next-try-text.ts';
import { Exact, nowEpochMs } from './time.tsx';

export function NextTry({ atMs }: { readonly atMs: number | undefined }) {
  const text = atMs === undefined ? null : nextTryText(atMs, nowEpochMs.value);
  return text === null ? null : <Exact epochMs={atMs!} text={text} />;
}
