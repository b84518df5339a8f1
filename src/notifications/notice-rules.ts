/**
 * Whether a person is notified of an alert: what `updateCurrentUserNotificationSettings` stored decides. Without time frames, everything is
 * notified; with an empty list, nothing.
 */

import { Temporal } from 'temporal-polyfill';
import type {
  NotificationRow,
  NotificationSettings,
  NotificationTimeFrame,
} from '../accounts/notification-settings.ts';
import { parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';
import { isTimeZone } from '../core/time-zone.ts';

/** Pages of the console that are open, or Web Push. */
export type NoticeMedium = 'BROWSER' | 'APP';

/** The facts about an alert that the settings are about. */
export interface NoticeFacts {
  readonly deviceUuid: Ruuid;
  readonly locationUuid: Ruuid | null;
  /** Its triggers, such as MOTION_HUMAN. */
  readonly activities: readonly string[];
  /** When the person is notified: now. */
  readonly atMs: number;
  /** Of the alert's location; null: it has none. */
  readonly timeZone: string | null;
}

const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;
const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 1_440;

export function isNotified(
  { timeFrames, timeZone }: NotificationSettings,
  medium: NoticeMedium,
  facts: NoticeFacts,
): boolean {
  if (timeFrames === undefined) return true;
  const wanted = timeZone ?? facts.timeZone ?? 'UTC';
  // Locations can have names of zones that no longer exist.
  const local = Temporal.Instant.fromEpochMilliseconds(facts.atMs).toZonedDateTimeISO(
    isTimeZone(wanted) ? wanted : 'UTC',
  );
  const minute = local.hour * MINUTES_PER_HOUR + local.minute;
  return timeFrames.some(
    (frame) =>
      (frame.mediums?.includes(medium) ?? true) &&
      isDuring(frame, local.dayOfWeek, minute) &&
      (frame.rows === undefined || frame.rows.length === 0 || frame.rows.some((row) => covers(row, facts))),
  );
}

/** `dayOfWeek`: 1 is Monday. */
function isDuring(
  { days, interval = {} }: NotificationTimeFrame,
  dayOfWeek: number,
  minute: number,
): boolean {
  const {
    dayOfWeek: onlyDay = 0,
    minuteOfDayStartInclusive: start = 0,
    minuteOfDayStopExclusive: stop = MINUTES_PER_DAY,
  } = interval;
  const isDay =
    days !== undefined && days.length > 0
      ? days.includes(DAYS[dayOfWeek - 1]!)
      : onlyDay === 0 || onlyDay === dayOfWeek;
  return isDay && minute >= start && minute < stop;
}

/** Alerts are of devices: what is only about locations, prompts, or diagnostics covers none. */
function covers(row: NotificationRow, { deviceUuid, locationUuid, activities }: NoticeFacts): boolean {
  const { activities: kinds = [], diagnostics = [], devices = [], locations = [] } = row;
  const { locationOnly = [], promptUuids = [] } = row;
  const isKind =
    kinds.length > 0 ? activities.some((activity) => kinds.includes(activity)) : diagnostics.length === 0;
  if (!isKind) return false;
  if (devices.length === 0 && locations.length === 0) {
    return locationOnly.length === 0 && promptUuids.length === 0;
  }
  return (
    devices.some((device) => parseDeviceFacetUuid(device)?.uuid === deviceUuid) ||
    (locationUuid !== null && locations.includes(locationUuid))
  );
}
