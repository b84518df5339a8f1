/** Announces reported events of devices and integrations to listeners: alerts and events at doors. */

import type { StoredEvent } from '../event.ts';
import type { ChangeDetails, ChangeEvent } from '../store.ts';
import { ruuidOf } from './columns.ts';

/** The fields that consumers show of an alert; they ask the API for an alert only if its update has no `timestampMs`. */
const SHOWN_OF_ALERT = [
  'durationSec',
  'policyAlertTriggers',
  'textDescription',
  'clipLocation',
  'thumbnailLocation',
] as const;

type AnnouncedEvent = StoredEvent & { readonly kind: 'policyAlert' | 'componentEvent' };

export function isAnnounced(event: StoredEvent): event is AnnouncedEvent {
  return event.kind === 'policyAlert' || event.kind === 'componentEvent';
}

/** The announcement of an event as it is now. */
export function announcementOf(
  { kind, orgUuid, id, deviceUuid, atMs, body }: AnnouncedEvent,
  type: 'CREATE' | 'UPDATE',
): ChangeEvent {
  const fields = kind === 'policyAlert' ? fieldsOfAlert(id, deviceUuid, atMs, body) : { timestampMs: atMs };
  return { entity: kind, type, orgUuid, uuid: ruuidOf(id), details: { deviceUuid, fields } };
}

/** Footage that was missing when an alert was reported is announced when it is there, and when it is gone. */
export function hasOtherFootage(before: object, after: object): boolean {
  return footageOf(before) !== footageOf(after);
}

function fieldsOfAlert(uuid: string, deviceUuid: string, timestampMs: number, body: object) {
  const reported = body as ChangeDetails['fields'];
  const shown = SHOWN_OF_ALERT.filter((name) => reported[name] !== undefined);
  return {
    uuid,
    deviceUuid,
    timestampMs,
    ...Object.fromEntries(shown.map((name) => [name, reported[name]!])),
  };
}

/** Equal if no file of the alert came or went. */
function footageOf(body: object): string {
  const { clipLocation, clipLocationMap, thumbnailLocation } = body as Readonly<Record<string, unknown>>;
  return JSON.stringify([clipLocation, clipLocationMap, thumbnailLocation]);
}
