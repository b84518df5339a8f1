/**
 * The gateway's clock. Whatever the console counts down to, or says how long ago it was, is a time by that clock, and the browser's may be
 * wrong. Each response has a `Date` in whole seconds, so it only bounds how far the gateway is ahead; more responses make the bounds
 * narrower. Nothing else in the console reads the browser's clock.
 */

/** Bounds of how far the gateway is ahead, in milliseconds; null: no response yet. */
let bounds: { readonly minMs: number; readonly maxMs: number } | null = null;
let leadMs = 0;
const listeners = new Set<() => void>();

/** Calls the listener when another time turns out to be right, for as long as the page is open. */
export function onClockSet(listener: () => void): void {
  listeners.add(listener);
}

/** Epoch milliseconds by the gateway's clock. */
export function gatewayNowMs(): number {
  return Date.now() + leadMs;
}

/** When a request is sent, for `noteDate`. */
export function sentNow(): number {
  return Date.now();
}

/** `date`: the header of the response that just arrived to a request of `sentEpochMs`. */
export function noteDate(date: string | null, sentEpochMs: number): void {
  const atMs = Date.parse(date ?? '');
  if (!Number.isFinite(atMs)) return;
  // It was written after the request was sent and before the response arrived, within the second that it names.
  const read = { minMs: atMs - Date.now(), maxMs: atMs + 1_000 - sentEpochMs };
  // The browser's clock was set while the response was on its way.
  if (read.minMs > read.maxMs) return;
  const minMs = Math.max(read.minMs, bounds?.minMs ?? Number.NEGATIVE_INFINITY);
  const maxMs = Math.min(read.maxMs, bounds?.maxMs ?? Number.POSITIVE_INFINITY);
  // One of the clocks was set: earlier responses no longer count.
  bounds = minMs > maxMs ? read : { minMs, maxMs };
  const leadBeforeMs = leadMs;
  leadMs = leadWithin(bounds);
  if (leadMs !== leadBeforeMs) for (const listener of listeners) listener();
}

/** None if the clocks may agree; otherwise the middle. */
function leadWithin({ minMs, maxMs }: { readonly minMs: number; readonly maxMs: number }): number {
  return minMs <= 0 && maxMs >= 0 ? 0 : Math.round((minMs + maxMs) / 2);
}

/** For tests. */
export function forgetClock(): void {
  bounds = null;
  leadMs = 0;
}
