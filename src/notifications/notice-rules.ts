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

/** Pages of the console that are open, Web Push, or mail. */
export type NoticeMedium = 'BROWSER' | 'APP' | 'EMAIL';

/** The facts about an alert that the settings are about. */
export interface NoticeFacts {
  readonly deviceUuid: Ruuid;
  readonly locationUuid: Ruuid | null;
  /** Its triggers, such as MOTION_HUMAN. */
  readonly activities: readonly string[];
  /** Of a device's health, such as CAMERA_DISCONNECTED. Absent: it is an alert. */
  readonly diagnostics?: readonly string[];
  /** When the person is notified: now. */
  readonly atMs: number;
  /** Of the alert's location; null: it has none. */
  readonly timeZone: string | null;
}

const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;
const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 1_440;

export function isNotified(
  settings: NotificationSettings,
  medium: NoticeMedium,
  facts: NoticeFacts,
): boolean {
  const { timeFrames, timeZone } = settings;
  if (medium === 'EMAIL' && !wantsMail(settings)) return false;
  if (timeFrames === undefined) return true;
  const wanted = timeZone ?? facts.timeZone ?? 'UTC';
  // Locations can have names of zones that no longer exist.
  const local = Temporal.Instant.fromEpochMilliseconds(facts.atMs).toZonedDateTimeISO(
    isTimeZone(wanted) ? wanted : 'UTC',
  );
  const minute = local.hour * MINUTES_PER_HOUR + local.minute;
  return timeFrames.some(
    (frame) =>
      isOfMedium(frame, medium, settings) &&
      isDuring(frame, local.dayOfWeek, minute) &&
      (frame.rows === undefined || frame.rows.length === 0 || frame.rows.some((row) => covers(row, facts))),
  );
}

/**
 * Mail is for those who asked for it: `summaryEmailEnabled` turns it on for everything that their time frames cover, and off for all;
 * otherwise a time frame must name `EMAIL`.
 */
export function wantsMail({ summaryEmailEnabled, timeFrames = [] }: NotificationSettings): boolean {
  return summaryEmailEnabled ?? timeFrames.some(({ mediums }) => mediums?.includes('EMAIL') === true);
}

/** A frame without mediums is about those that the person has. */
function isOfMedium(
  { mediums }: NotificationTimeFrame,
  medium: NoticeMedium,
  { summaryEmailEnabled }: NotificationSettings,
): boolean {
  if (mediums !== undefined) return mediums.includes(medium);
  return medium !== 'EMAIL' || summaryEmailEnabled === true;
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

/** Devices raise alerts and have health: what is only about locations or prompts covers none. */
function covers(row: NotificationRow, facts: NoticeFacts): boolean {
  const { deviceUuid, locationUuid } = facts;
  const { activities: kinds = [], diagnostics = [], devices = [], locations = [] } = row;
  const { locationOnly = [], promptUuids = [] } = row;
  const [named, others, own] =
    facts.diagnostics === undefined
      ? [kinds, diagnostics, facts.activities]
      : [diagnostics, kinds, facts.diagnostics];
  const isKind = named.length > 0 ? own.some((each) => named.includes(each)) : others.length === 0;
  if (!isKind) return false;
  if (devices.length === 0 && locations.length === 0) {
    return locationOnly.length === 0 && promptUuids.length === 0;
  }
  return (
    devices.some((device) => parseDeviceFacetUuid(device)?.uuid === deviceUuid) ||
    (locationUuid !== null && locations.includes(locationUuid))
  );
}
