/** Whether a person’s settings are for a mail about a tally. Pure. */

import type { NotificationSettings } from '../accounts/notification-settings.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { DigestTopic, Tally } from './alert-tally.ts';
import { isNotified } from './notice-rules.ts';

/** What is known of locations. */
export type FactsOfPlace = ReadonlyMap<Ruuid, { readonly name: string; readonly tz: string }>;

export function isWanted(
  settings: NotificationSettings,
  topic: DigestTopic,
  { deviceUuid, locationUuid, kinds, queuedAtMs }: Tally,
  places: FactsOfPlace,
): boolean {
  return isNotified(settings, 'EMAIL', {
    deviceUuid,
    locationUuid,
    activities: topic === 'ALERTS' ? kinds : [],
    ...(topic === 'HEALTH' ? { diagnostics: kinds } : {}),
    atMs: queuedAtMs,
    timeZone: (locationUuid === null ? undefined : places.get(locationUuid)?.tz) ?? null,
  });
}
