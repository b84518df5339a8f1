/**
 * The times when cameras connected and disconnected, newest first, from events of kind `deviceHealth`: the gateway's own observations, and
 * reports.
 */

import { GatewayError } from '../core/errors.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type { EventMark, StoredEvent } from '../store/event.ts';
import type { Store } from '../store/store.ts';
import type { DeviceHealthEvent } from './device-health.ts';
import { EVENT_ERRORS } from './errors.ts';

export const DIAGNOSTIC_ACTIVITIES = ['CAMERA_CONNECTED', 'CAMERA_DISCONNECTED'] as const;

export interface DiagnosticEvent {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly activity: (typeof DIAGNOSTIC_ACTIVITIES)[number];
  readonly cameraUuid: Ruuid;
  /** null: the camera was removed. */
  readonly cameraName: string | null;
  readonly atMs: number;
}

export interface DiagnosticFeed {
  /** Never only part of a millisecond's events, because the next page begins before the last one's time. */
  readonly events: readonly DiagnosticEvent[];
  readonly isMore: boolean;
}

/** Entries per response, unless one millisecond has more. */
export const DIAGNOSTIC_FEED_EVENTS = 1_000;
const CHUNK_EVENTS = 1_000;
/** How many events are searched: many reports may be about something else. */
const MAX_EVENTS_READ = 20_000;

/** `fromMs` is inclusive, `toMs` exclusive. Fails DIAGNOSTIC_RANGE_TOO_LONG. */
export async function diagnosticFeed(
  store: Pick<Store, 'events' | 'cameras'>,
  orgUuid: Ruuid,
  range: { readonly fromMs: number; readonly toMs: number },
): Promise<DiagnosticFeed> {
  const cameras = new Map((await store.cameras.listRecords(orgUuid)).map(({ uuid, name }) => [uuid, name]));
  const events: DiagnosticEvent[] = [];
  let after: EventMark | null = null;
  for (let read = 0; read < MAX_EVENTS_READ; read += CHUNK_EVENTS) {
    const chunk: StoredEvent[] = await store.events.page(orgUuid, {
      ...range,
      kind: 'deviceHealth',
      order: 'newest-first',
      after,
      limit: CHUNK_EVENTS,
    });
    for (const event of chunk as DeviceHealthEvent[]) {
      const found = diagnosticOf(event, cameras);
      if (found === null) continue;
      if (events.length >= DIAGNOSTIC_FEED_EVENTS && found.atMs < events.at(-1)!.atMs) {
        return { events, isMore: true };
      }
      events.push(found);
    }
    if (chunk.length < CHUNK_EVENTS) return { events, isMore: false };
    after = chunk.at(-1)!;
  }
  const lastMs = events.at(-1)?.atMs;
  if (lastMs === undefined || lastMs === after!.atMs) {
    throw new GatewayError(EVENT_ERRORS.DIAGNOSTIC_RANGE_TOO_LONG);
  }
  return { events, isMore: true };
}

/** Events of one export. */
export const DIAGNOSTIC_EXPORT_EVENTS = 20_000;

/** All of the range. Fails DIAGNOSTIC_EXPORT_TOO_LONG, DIAGNOSTIC_RANGE_TOO_LONG. */
export async function allDiagnostics(
  store: Pick<Store, 'events' | 'cameras'>,
  orgUuid: Ruuid,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<DiagnosticEvent[]> {
  const all: DiagnosticEvent[] = [];
  for (let endMs = toMs; ; endMs = all.at(-1)!.atMs) {
    const { events, isMore } = await diagnosticFeed(store, orgUuid, { fromMs, toMs: endMs });
    all.push(...events);
    if (all.length > DIAGNOSTIC_EXPORT_EVENTS) {
      throw new GatewayError(EVENT_ERRORS.DIAGNOSTIC_EXPORT_TOO_LONG);
    }
    if (!isMore) return all;
  }
}

/** null: the event is about another device, or not about connecting and disconnecting. */
function diagnosticOf(
  { id, orgUuid, deviceUuid, atMs, body }: DeviceHealthEvent,
  cameras: ReadonlyMap<Ruuid, string>,
): DiagnosticEvent | null {
  const cameraName = cameras.get(deviceUuid) ?? null;
  const isOfCamera = cameraName !== null || body.seenBy === 'gateway';
  if (!isOfCamera || body.isUnchanged === true || (body.symptom !== null && body.symptom !== 'DOWN'))
    return null;
  return {
    orgUuid,
    cameraUuid: deviceUuid,
    cameraName,
    atMs,
    uuid: deriveRuuid('diagnostic event', `${orgUuid}\0${id}`),
    activity: body.symptom === null ? 'CAMERA_CONNECTED' : 'CAMERA_DISCONNECTED',
  };
}
