/**
 * Which cameras saw the events that are reported: alerts name a camera, events of doors the door that cameras are
 * associated with.
 */

import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';
import type { PolicyAlertBody } from '../events/policy-alerts.ts';
import type { ComponentEventBody } from '../platform/access-control/component-events.ts';
import { DOORS } from '../platform/access-control/door.ts';
import type { EventKind, StoredEvent } from '../store/event.ts';
import type { Store } from '../store/store.ts';

/** Something that a camera saw, epoch milliseconds. */
export interface SeenEvent {
  readonly cameraUuid: Ruuid;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Kinds of events that cameras record. */
const SEEN_KINDS: readonly EventKind[] = ['policyAlert', 'componentEvent'];
/** Events from before this time, or further in the future, are history that is imported. */
const MAX_AGE_MS = 3_600_000;
/** Events of an organization that are looked at when the gateway starts. */
const MAX_RESUMED_EVENTS = 1_000;

type EventStore = Pick<Store, 'resources' | 'events' | 'organizations'>;

/** One for each camera and event. Fails like the store. */
export async function seenEvents(
  store: Pick<EventStore, 'resources'>,
  events: readonly StoredEvent[],
  nowMs: number,
): Promise<SeenEvent[]> {
  const seen: SeenEvent[] = [];
  const doors = new Map<Ruuid, Ruuid[]>();
  for (const event of events) {
    const span = spanOf(event);
    if (span === null || span.toMs < nowMs - MAX_AGE_MS || span.fromMs > nowMs + MAX_AGE_MS) continue;
    const { deviceUuid, orgUuid } = event;
    if (event.kind === 'policyAlert') seen.push({ cameraUuid: deviceUuid, ...span });
    for (const doorUuid of doorsOf(event)) {
      const known = doors.get(doorUuid) ?? (await camerasOf(store, orgUuid, doorUuid));
      doors.set(doorUuid, known);
      for (const cameraUuid of known) seen.push({ cameraUuid, ...span });
    }
  }
  return seen;
}

/** The cameras that saw an alert: the one that raised it, and those of its door. Fails like the store. */
export async function camerasOfAlert(
  store: Pick<Store, 'resources' | 'cameras'>,
  alert: StoredEvent,
): Promise<Ruuid[]> {
  const seenBy = new Set([alert.deviceUuid]);
  for (const doorUuid of doorsOf(alert)) {
    for (const camera of await camerasOf(store, alert.orgUuid, doorUuid)) seenBy.add(camera);
  }
  const known: Ruuid[] = [];
  for (const uuid of seenBy) {
    const camera = await store.cameras.find(alert.orgUuid, uuid);
    if (camera !== null && !camera.mummified) known.push(uuid);
  }
  return known;
}

/** Passes on reports from now on. Returns the function that ends it. */
export function watchEvents(
  store: EventStore,
  {
    clock,
    log,
    onSeen,
  }: { readonly clock: Clock; readonly log: Log; readonly onSeen: (seen: readonly SeenEvent[]) => void },
): () => void {
  return store.events.onAdded((events) => {
    seenEvents(store, events, clock.epochMs()).then(
      (seen) => {
        if (seen.length > 0) onSeen(seen);
      },
      (thrown) => log.error({ err: toGatewayError(thrown) }, 'events not recorded'),
    );
  });
}

/** The reported events of the last `pastMs`: their post-roll may not be over. Fails like the store. */
export async function recentEvents(store: EventStore, nowMs: number, pastMs: number): Promise<SeenEvent[]> {
  const seen: SeenEvent[] = [];
  for (const { uuid } of await store.organizations.list()) {
    for (const kind of SEEN_KINDS) {
      const times = { fromMs: nowMs - pastMs, toMs: nowMs + MAX_AGE_MS };
      const events = await store.events.page(uuid, {
        kind,
        ...times,
        order: 'newest-first',
        after: null,
        limit: MAX_RESUMED_EVENTS,
      });
      seen.push(...(await seenEvents(store, events, nowMs)));
    }
  }
  return seen;
}

function spanOf({ kind, atMs, body }: StoredEvent): { fromMs: number; toMs: number } | null {
  if (kind === 'componentEvent') {
    const { timestampMs } = body as ComponentEventBody;
    return { fromMs: timestampMs, toMs: timestampMs };
  }
  if (kind !== 'policyAlert') return null;
  const { durationSec = 0 } = body as PolicyAlertBody;
  return { fromMs: atMs, toMs: atMs + Math.max(0, durationSec) * 1_000 };
}

function doorsOf({ kind, deviceUuid, body }: StoredEvent): Ruuid[] {
  if (kind === 'componentEvent') return [deviceUuid];
  const { componentUuid } = body as PolicyAlertBody;
  return componentUuid === undefined ? [] : [componentUuid];
}

async function camerasOf(
  store: Pick<EventStore, 'resources'>,
  orgUuid: Ruuid,
  doorUuid: Ruuid,
): Promise<Ruuid[]> {
  const door = await store.resources.of(DOORS).find(orgUuid, doorUuid);
  const cameras = (door?.body.associatedCameras ?? []).map((camera) => parseDeviceFacetUuid(camera)?.uuid);
  return cameras.filter((uuid) => uuid !== undefined);
}
