/** What notices say about an alert, and what the settings of people decide by. */

import type { PolicyAlertBody } from '../events/policy-alerts.ts';
import type { StoredEvent } from '../store/event.ts';
import type { Store } from '../store/store.ts';
import type { NoticeFacts } from './notice-rules.ts';

/** `place`: the alert's location; null: none. `nowMs`: when the person is notified. */
export function factsOf(
  { deviceUuid, locationUuid, body }: StoredEvent,
  place: { readonly tz: string } | null,
  nowMs: number,
): NoticeFacts {
  const { policyAlertTriggers: activities = [] } = body as PolicyAlertBody;
  const timeZone = place?.tz ?? null;
  return { deviceUuid, locationUuid: locationUuid ?? null, activities, atMs: nowMs, timeZone };
}

/** The camera or NVR that raised it; null: it was removed. */
export async function alertDevice(
  store: Pick<Store, 'cameras' | 'nvrs'>,
  { orgUuid, deviceUuid }: StoredEvent,
): Promise<{ readonly name: string; readonly isCamera: boolean } | null> {
  const camera = await store.cameras.find(orgUuid, deviceUuid);
  const device = camera ?? (await store.nvrs.find(orgUuid, deviceUuid));
  return device === null ? null : { name: device.name, isCamera: camera !== null };
}
