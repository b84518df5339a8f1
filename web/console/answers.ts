/**
 * Whether the gateway answers. A gateway that hangs and a network that drops packets accept calls and never answer. Every
 * answer and message is a sign of life; while the page follows changes, the gateway sends one every 3 s (changes.ts).
 */

import { signal } from '@preact/signals';
import { gatewayNowMs } from './gateway-clock.ts';

/** A call that waits this long in silence has met a gateway that does not answer. */
const PATIENCE_MS = 8_000;

/** Since when nothing was heard of a gateway that should answer, by the gateway's clock; null: it answers. */
export const silentSinceEpochMs = signal<number | null>(null);

let heardEpochMs = gatewayNowMs();
let heardMonoMs = performance.now();

/** The gateway has sent something, whatever it was. */
export function noteAnswer(): void {
  heardEpochMs = gatewayNowMs();
  heardMonoMs = performance.now();
  silentSinceEpochMs.value = null;
}

/** When it last sent something. */
export function lastAnswerEpochMs(): number {
  return heardEpochMs;
}

/** Watches a call. Returns a function that ends that. */
export function watchCall(): () => void {
  const sinceMs = performance.now();
  const sinceEpochMs = gatewayNowMs();
  const timer = setTimeout(() => {
    if (heardMonoMs > sinceMs) return;
    // What was heard before the call, while nothing was asked, says nothing.
    silentSinceEpochMs.value ??= sinceEpochMs;
  }, PATIENCE_MS);
  return () => clearTimeout(timer);
}
