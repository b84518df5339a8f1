/** Cameras that come and go report it each time: such events within a short time are one row of the list. Pure. */

import { eventTitle, isReconnection, keyOf, type TimelineEvent } from './event-feed.ts';
import { t } from './words.ts';

export type EventItem =
  | { readonly kind: 'event'; readonly event: TimelineEvent; readonly isFolded: boolean }
  | { readonly kind: 'fold'; readonly events: readonly TimelineEvent[]; readonly isOpen: boolean };

/** An event that follows the last one within this time belongs to it. */
const GAP_MS = 10 * 60_000;
/** Fewer are shown as they are. */
const MIN_FOLDED = 3;

/** Whether it says that the camera went offline or reconnected. */
function isConnection(event: TimelineEvent): boolean {
  return (
    event.title === '' && (isReconnection(event) || (event.kind === 'CAMERA' && event.what.join() === 'DOWN'))
  );
}

/** `events`: newest first. `open`: keys of events whose folds are open; those come after the row that folds them. */
export function foldedEvents(
  events: readonly TimelineEvent[],
  open: ReadonlySet<string>,
): readonly EventItem[] {
  const folds = foldsOf(events);
  const items: EventItem[] = [];
  for (const event of events) {
    const fold = folds.get(event);
    if (fold === undefined) items.push({ kind: 'event', event, isFolded: false });
    if (fold?.[0] !== event) continue;
    const isOpen = fold.some((one) => open.has(keyOf(one)));
    items.push({ kind: 'fold', events: fold, isOpen });
    if (isOpen) items.push(...fold.map((one) => ({ kind: 'event', event: one, isFolded: true }) as const));
  }
  return items;
}

/** As in "Back online" or "Offline and back online". */
export function foldTitle(events: readonly TimelineEvent[]): string {
  const [first, ...others] = new Set(events.map(eventTitle));
  return others.length === 0 ? first! : t('Offline and back online');
}

/** By each of its events. */
function foldsOf(events: readonly TimelineEvent[]): ReadonlyMap<TimelineEvent, readonly TimelineEvent[]> {
  const folds: TimelineEvent[][] = [];
  for (const event of events) {
    if (!isConnection(event)) continue;
    const last = folds.at(-1);
    if (last !== undefined && last.at(-1)!.timestampMs - event.timestampMs <= GAP_MS) last.push(event);
    else folds.push([event]);
  }
  return new Map(
    folds
      .filter(({ length }) => length >= MIN_FOLDED)
      .flatMap((fold) => fold.map((event) => [event, fold] as const)),
  );
}
