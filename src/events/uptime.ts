/**
 * When devices were up, from the same events as their health (device-health.ts). A camera is up from when the gateway
 * found it streaming until it could not be reached. Where the gateway saw nothing of a device, its reports count. Before
 * the first of these, nothing is known, which does not count as uptime.
 */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { EventMark, EventQuery, StoredEvent } from '../store/event.ts';
import type { Store } from '../store/store.ts';
import type { DeviceHealthEvent } from './device-health.ts';
import { EVENT_ERRORS } from './errors.ts';

export interface TimeWindow {
  readonly startSeconds: number;
  readonly durationSeconds: number;
}

/** Half-open: from `startMs` until before `endMs`. */
export interface TimeRange {
  readonly startMs: number;
  readonly endMs: number;
}

const PAGE_SIZE = 1_000;
/** How many events within the range one call searches. */
const MAX_EVENTS_READ = 20_000;
/** How many events before the range are searched for those in effect when it began. */
const MAX_EARLIER_EVENTS = 5_000;

type EventStore = Pick<Store, 'events'>;

/**
 * When at least one of the devices was up, in order and without overlaps; nothing after `nowMs` counts. Fails
 * UPTIME_RANGE_TOO_LONG.
 */
export async function uptimeWindows(
  store: EventStore,
  orgUuid: Ruuid,
  deviceUuids: readonly Ruuid[],
  { startMs, endMs }: TimeRange,
  nowMs: number,
): Promise<TimeWindow[]> {
  const range = { startMs, endMs: Math.min(endMs, nowMs) };
  if (range.startMs >= range.endMs || deviceUuids.length === 0) return [];
  const ofDevices = { kind: 'deviceHealth', deviceUuids } as const;
  const events = [
    ...(await earlierEvents(store, orgUuid, ofDevices, startMs)),
    ...(await eventsWithin(store, orgUuid, ofDevices, range)),
  ];
  const windows: TimeRange[] = [];
  for (const ofDevice of Map.groupBy(events, ({ deviceUuid }) => deviceUuid).values()) {
    const seen = ofDevice.filter(({ body }) => body.seenBy === 'gateway');
    windows.push(...upRanges(seen.length > 0 ? seen : ofDevice, range));
  }
  return united(windows)
    .map(inSeconds)
    .filter(({ durationSeconds }) => durationSeconds > 0);
}

/** The events that the gateway saw of a camera within the range, in order, with the last ones before it. Fails UPTIME_RANGE_TOO_LONG. */
export async function seenEvents(
  store: EventStore,
  orgUuid: Ruuid,
  cameraUuid: Ruuid,
  range: TimeRange,
): Promise<DeviceHealthEvent[]> {
  const ofCamera = { kind: 'deviceHealth', deviceUuids: [cameraUuid] } as const;
  const events = [
    ...(await earlierEvents(store, orgUuid, ofCamera, range.startMs)),
    ...(await eventsWithin(store, orgUuid, ofCamera, range)),
  ];
  return events.filter(({ body }) => body.seenBy === 'gateway');
}

type OfDevices = Required<Pick<EventQuery, 'kind' | 'deviceUuids'>>;

/** In order; ends early when it has found an observation of the gateway for every device. */
async function earlierEvents(
  store: EventStore,
  orgUuid: Ruuid,
  ofDevices: OfDevices,
  startMs: number,
): Promise<DeviceHealthEvent[]> {
  const found: DeviceHealthEvent[] = [];
  const unseen = new Set(ofDevices.deviceUuids);
  let after: EventMark | null = null;
  while (unseen.size > 0 && found.length < MAX_EARLIER_EVENTS) {
    const page: StoredEvent[] = await store.events.page(orgUuid, {
      ...ofDevices,
      fromMs: 0,
      toMs: startMs,
      order: 'newest-first',
      after,
      limit: PAGE_SIZE,
    });
    for (const event of page as DeviceHealthEvent[]) {
      found.push(event);
      if (event.body.seenBy === 'gateway') unseen.delete(event.deviceUuid);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) break;
    after = { atMs: last.atMs, id: last.id };
  }
  return found.reverse();
}

async function eventsWithin(
  store: EventStore,
  orgUuid: Ruuid,
  ofDevices: OfDevices,
  { startMs, endMs }: TimeRange,
): Promise<DeviceHealthEvent[]> {
  const found: DeviceHealthEvent[] = [];
  let after: EventMark | null = null;
  for (;;) {
    const page: StoredEvent[] = await store.events.page(orgUuid, {
      ...ofDevices,
      fromMs: startMs,
      toMs: endMs,
      order: 'oldest-first',
      after,
      limit: PAGE_SIZE,
    });
    found.push(...(page as DeviceHealthEvent[]));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return found;
    if (found.length >= MAX_EVENTS_READ) throw new GatewayError(EVENT_ERRORS.UPTIME_RANGE_TOO_LONG);
    after = { atMs: last.atMs, id: last.id };
  }
}

/** `events`: those of one device, in order. */
function upRanges(events: readonly DeviceHealthEvent[], range: TimeRange): TimeRange[] {
  const ranges: TimeRange[] = [];
  let upSinceMs: number | null = null;
  const end = (endMs: number) => {
    const startMs = Math.max(upSinceMs ?? endMs, range.startMs);
    if (endMs > startMs) ranges.push({ startMs, endMs });
    upSinceMs = null;
  };
  for (const { atMs, body } of events) {
    if (body.symptom === 'DOWN') end(atMs);
    else upSinceMs ??= atMs;
  }
  end(range.endMs);
  return ranges;
}

function united(ranges: readonly TimeRange[]): TimeRange[] {
  const apart: TimeRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = apart.at(-1);
    if (last === undefined || range.startMs > last.endMs) apart.push(range);
    else if (range.endMs > last.endMs) apart[apart.length - 1] = { ...last, endMs: range.endMs };
  }
  return apart;
}

function inSeconds({ startMs, endMs }: TimeRange): TimeWindow {
  const startSeconds = Math.floor(startMs / 1_000);
  return { startSeconds, durationSeconds: Math.floor(endMs / 1_000) - startSeconds };
}
