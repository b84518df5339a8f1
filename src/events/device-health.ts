/**
 * Reads the health of devices from events of kind `deviceHealth`: the gateway's own observations of its cameras, and reports. The newest
 * event of a device and source counts.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { EventMark, StoredEvent } from '../store/event.ts';
import type { Store } from '../store/store.ts';
import type { DeviceHealthBody } from './unhealthy-device.ts';

export interface DeviceHealthEvent extends StoredEvent {
  readonly body: DeviceHealthBody;
}

/** Older events reveal nothing about the current state. */
const HEALTH_WINDOW_MS = 30 * 24 * 60 * 60 * 1_000;
const PAGE_SIZE = 1_000;
/** How many events are searched for the newest ones. */
const MAX_EVENTS_READ = 20_000;

/** When the gateway last saw one of the devices connect or disconnect; null: not recently. */
export async function lastSeenChangeMs(
  store: Pick<Store, 'events'>,
  orgUuid: Ruuid,
  nowMs: number,
  deviceUuids: readonly Ruuid[],
): Promise<number | null> {
  if (deviceUuids.length === 0) return null;
  const newest = await store.events.page(orgUuid, {
    deviceUuids,
    kind: 'deviceHealth',
    fromMs: nowMs - HEALTH_WINDOW_MS,
    toMs: nowMs + 1,
    order: 'newest-first',
    after: null,
    limit: PAGE_SIZE,
  });
  const seen = (newest as DeviceHealthEvent[]).find(
    ({ body }) => body.seenBy === 'gateway' && body.isUnchanged !== true,
  );
  return seen?.atMs ?? null;
}

/** How many events of one camera are read: each start of the gateway adds one. */
const MAX_OF_CAMERA = 100;

/** What the gateway saw of a camera within the last days, up to `atMs`, newest first. */
export async function seenLately(
  store: Pick<Store, 'events'>,
  orgUuid: Ruuid,
  cameraUuid: Ruuid,
  atMs: number,
): Promise<DeviceHealthEvent[]> {
  const events = await store.events.page(orgUuid, {
    deviceUuids: [cameraUuid],
    kind: 'deviceHealth',
    fromMs: atMs - HEALTH_WINDOW_MS,
    toMs: atMs + 1,
    order: 'newest-first',
    after: null,
    limit: MAX_OF_CAMERA,
  });
  return (events as DeviceHealthEvent[]).filter(({ body }) => body.seenBy === 'gateway');
}

/** The newest event of every device, per source. Events after `nowMs` do not count. */
export async function newestHealthEvents(
  store: Pick<Store, 'events'>,
  orgUuid: Ruuid,
  nowMs: number,
): Promise<DeviceHealthEvent[]> {
  const newest = new Map<string, DeviceHealthEvent>();
  let after: EventMark | null = null;
  for (let read = 0; read < MAX_EVENTS_READ; read += PAGE_SIZE) {
    const page: StoredEvent[] = await store.events.page(orgUuid, {
      kind: 'deviceHealth',
      fromMs: nowMs - HEALTH_WINDOW_MS,
      toMs: nowMs + 1,
      order: 'newest-first',
      after,
      limit: PAGE_SIZE,
    });
    for (const event of page as DeviceHealthEvent[]) {
      const key = `${event.deviceUuid} ${event.body.seenBy ?? 'report'}`;
      if (!newest.has(key)) newest.set(key, event);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) break;
    after = { atMs: last.atMs, id: last.id };
  }
  return [...newest.values()];
}
