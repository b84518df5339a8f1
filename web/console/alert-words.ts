/** New alerts in words. */

import { alertTitle } from './alert-list.ts';
import type { AlertNotice } from './alert-toasts.ts';
import { t } from './words.ts';

export function newAlertsText(count: number): string {
  return t('{count, plural, one {New alert} other {# new alerts}}', { count });
}

/** Where it happened: the camera and its site. */
export function noticePlace({ deviceName, locationName }: AlertNotice): string {
  return [deviceName ?? t('A device that was removed'), locationName].filter(Boolean).join(' · ');
}

/** For screen readers. `count`: how many were not announced yet. */
export function announcementOf(count: number, newest: AlertNotice): string {
  const alert = `${alertTitle(newest.alert)}, ${newest.deviceName ?? t('a device that was removed')}`;
  return count === 1
    ? t('New alert: {alert}', { alert })
    : `${newAlertsText(count)}. ${t('The newest: {alert}', { alert })}`;
}

/** As in a badge: short. */
export function badgeText({ count, isMore }: { readonly count: number; readonly isMore: boolean }): string {
  return count > MAX_IN_BADGE || isMore ? `${MAX_IN_BADGE}+` : String(count);
}

const MAX_IN_BADGE = 99;
