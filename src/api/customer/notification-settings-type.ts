/** How a user wants to be notified, as sent and as returned. */

import { type Static, Type } from 'typebox';
import { type GivenFields, nullableFields } from '../../http/fields/field-groups.ts';
import {
  deviceFacetUuid,
  flag,
  int32,
  listOf,
  mapOf,
  namedType,
  oneOf,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { ignored } from '../../http/fields/no-effect.ts';

const MAX_TIME_FRAMES = 100;
const MAX_ROWS = 100;
const MAX_ENTRIES = 1_000;
const MAX_PHONE_NUMBERS = 20;
const MAX_PHONE_NUMBER_LENGTH = 32;
const MINUTES_PER_DAY = 24 * 60;
const DAYS_PER_WEEK = 7;

const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;
const MEDIUMS = ['SMS', 'EMAIL', 'APP', 'SLACK', 'MICROSOFT_TEAMS', 'BROWSER', 'UNKNOWN'] as const;

const optional = Type.Optional;
const words = (description: string) => optional(listOf(text('A code.'), description, MAX_ENTRIES));
const uuids = (description: string) => optional(listOf(ruuid('A UUID.'), description, MAX_ENTRIES));

const INTERVAL_SCHEMA = namedType('MinuteOfDayInterval', {
  dayOfWeek: optional(int32('The day; 0 or 1 is the first.', 0, DAYS_PER_WEEK)),
  minuteOfDayStartInclusive: optional(int32('First minute of the day.', 0, MINUTES_PER_DAY)),
  minuteOfDayStopExclusive: optional(int32('First minute after it.', 0, MINUTES_PER_DAY)),
});

const ROW_SCHEMA = namedType('NotificationTimeFrameRow', {
  activities: words('Activities of the devices and locations, such as MOTION_HUMAN.'),
  diagnostics: words('Diagnostics of the devices and locations, such as CAMERA_DISCONNECTED.'),
  locationOnlyActivities: words('Activities of `locationOnly`.'),
  locationOnlyDiagnostics: words('Diagnostics of `locationOnly`.'),
  devices: optional(listOf(deviceFacetUuid('A device.'), 'Devices that it covers.', MAX_ENTRIES)),
  locations: uuids('Locations that it covers, with their devices.'),
  locationOnly: uuids('Locations that it covers, without their devices.'),
  promptUuids: uuids('Prompts that it covers.'),
});

const TIME_FRAME_SCHEMA = namedType('NotificationTimeFrame', {
  days: optional(listOf(oneOf(DAYS, 'A day.'), 'When.', DAYS_PER_WEEK)),
  mediums: optional(listOf(oneOf(MEDIUMS, 'A medium.'), 'How the user is notified.', MEDIUMS.length)),
  interval: optional(INTERVAL_SCHEMA),
  rows: optional(listOf(ROW_SCHEMA, 'What the user is notified about.', MAX_ROWS)),
});

export const NOTIFICATION_FIELDS = {
  smsPhoneNumbers: listOf(
    text('A number with its country code, such as +12025550123.', MAX_PHONE_NUMBER_LENGTH),
    'Where text messages go. Spaces, dots, dashes and parentheses are removed: responses have E.164 form.',
    MAX_PHONE_NUMBERS,
  ),
  summaryEmailEnabled: flag('Whether summaries are sent by email.'),
  timeFrames: listOf(TIME_FRAME_SCHEMA, 'When the user is notified about what.', MAX_TIME_FRAMES),
};

export type GivenNotificationSettings = GivenFields<typeof NOTIFICATION_FIELDS>;

/** `timeFrames`: `setTimeFrames`. */
export function setterOf(name: string): string {
  return `set${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

const SETTING_NAMES = Object.keys(NOTIFICATION_FIELDS);

export const UPDATED_SET_METHOD_MAP = ignored(
  mapOf(
    flag('Whether to apply the field.'),
    'Fields by name, `timeFrames` or `setTimeFrames`: true applies the field, or clears it if it is absent; false ' +
      'leaves it as it is. Fields that are not named apply if you send them.',
  ),
  'no field has this name',
  [...SETTING_NAMES, ...SETTING_NAMES.map(setterOf)],
);

export const NOTIFICATION_SETTINGS_SCHEMA = namedType('NotificationSettings', {
  orgUuid: ruuid('The organization.'),
  userUuid: ruuid('The user.'),
  ...nullableFields(NOTIFICATION_FIELDS),
});

export type NotificationSettingsAnswer = Static<typeof NOTIFICATION_SETTINGS_SCHEMA>;
