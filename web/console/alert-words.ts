/** New alerts in words. */

import { alertTitle } from './alert-list.ts';
import type { AlertNotice } from './alert-toasts.ts';

const COUNT = new Intl.NumberFormat();

export function newAlertsText(count: number): string {
  return count === 1 ? 'New alert' : `${COUNT.format(count)} new alerts`;
}

/** Where it happened: the camera and its site. */
export function noticePlace({ deviceName, locationName }: AlertNotice): string {
  return [deviceName ?? 'A device that was removed', locationName].filter(Boolean).join(' · ');
}

/** For screen readers. `count`: how many were not announced yet. */
export function announcementOf(count: number, newest: AlertNotice): string {
  const words = `${alertTitle(newest.alert)}, ${newest.deviceName ?? 'a device that was removed'}`;
  return count === 1 ? `New alert: ${words}` : `${newAlertsText(count)}. The newest: ${words}`;
}

/** As in a badge: short. */
export function badgeText({ count, isMore }: { readonly count: number; readonly isMore: boolean }): string {
  return count > MAX_IN_BADGE || isMore ? `${MAX_IN_BADGE}+` : String(count);
}

const MAX_IN_BADGE = 99;
