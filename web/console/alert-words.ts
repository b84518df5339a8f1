/** New alerts in words, for screen readers. */

import { alertTitle, type PolicyAlert } from './alert-list.ts';

/** `fresh`: not announced yet, newest first; not empty. `deviceNames`: by UUID. */
export function announcementOf(
  fresh: readonly PolicyAlert[],
  deviceNames: ReadonlyMap<string, string>,
): string {
  const newest = fresh[0]!;
  const device = deviceNames.get(newest.deviceUuid) ?? 'a device that was removed';
  const words = `${alertTitle(newest)}, ${device}`;
  return fresh.length === 1 ? `New alert: ${words}` : `${fresh.length} new alerts. The newest: ${words}`;
}
