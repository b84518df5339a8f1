/**
 * Waits at a link that is hidden or has expired, until its owner opens it again. The gateway holds each request until then, so that the
 * page knows within a second, and thousands of waiting pages cost it next to nothing (docs/design/access.md#waiting-pages).
 */

import { type Refusal, retryWaitMs, waitAtLink } from './open.ts';

/** Pages that wait for the same link ask again spread over this time. */
const SPREAD_MS = 2_000;
/** A response that comes sooner than this was not held: the gateway has no place, or does not know waits. */
const HELD_MS = 10_000;
const NOT_HELD_MS = 30_000;
const LAST_RETRY_MS = 60_000;

export interface DoorWaitEvents {
  /** Opening the link gives something else now. */
  onChange(): void;
  /** It is still closed, perhaps until another time. */
  onRefusal(refusal: Refusal): void;
}

/** Waits until something changes, or `isOver`. Never rejects. `url`: of the link. */
export async function waitAtDoor(
  reason: Refusal['reason'],
  isOver: () => boolean,
  events: DoorWaitEvents,
  url?: URL,
): Promise<void> {
  for (let failures = 0; !isOver(); ) {
    const sinceMs = performance.now();
    const result = await waitAtLink(url);
    if (isOver()) return;
    // Closed for another reason: opening it says why.
    if (result === 'changed' || (result !== null && result.reason !== reason)) {
      events.onChange();
      return;
    }
    if (result !== null) events.onRefusal(result);
    const isHeld = result !== null && performance.now() - sinceMs > HELD_MS;
    failures = isHeld ? 0 : failures + 1;
    await pause(isHeld ? Math.random() * SPREAD_MS : notHeldMs(result, failures));
  }
}

function notHeldMs(result: Refusal | null, failures: number): number {
  if (result === null) return retryWaitMs(failures, null, LAST_RETRY_MS);
  const leastMs = Math.max(NOT_HELD_MS, (result.retryAfterSec ?? 0) * 1_000);
  return leastMs * (1 + Math.random());
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
