/**
 * Whether the gateway responds. A gateway that hangs, or a network that drops packets, accepts calls and sends nothing. Every
 * response and message is a sign of life; while the page follows changes, the gateway sends one every 3 s (changes.ts).
 */

import { signal } from '@preact/signals';
import { gatewayNowMs } from './gateway-clock.ts';

/** A call that waits this long in silence has met a gateway that does not respond. */
const PATIENCE_MS = 8_000;

/** Since when nothing was heard of a gateway that should respond, by the gateway's clock; null: it responds. */
export const silentSinceEpochMs = signal<number | null>(null);

let heardEpochMs = gatewayNowMs();
let heardMonoMs = performance.now();

/** The gateway has sent something, whatever it was. */
export function noteResponse(): void {
  heardEpochMs = gatewayNowMs();
  heardMonoMs = performance.now();
  silentSinceEpochMs.value = null;
}

/** When it last sent something. */
export function lastResponseEpochMs(): number {
  return heardEpochMs;
}

/** Watches a call. Returns a function that ends that. */
export function watchCall(): () => void {
  const sinceMs = performance.now();
  const sinceEpochMs = gatewayNowMs();
  const timer = setTimeout(() => {
    if (heardMonoMs > sinceMs) return;
    // What was heard before the call, while no call was made, says nothing.
    silentSinceEpochMs.value ??= sinceEpochMs;
  }, PATIENCE_MS);
  return () => clearTimeout(timer);
}
