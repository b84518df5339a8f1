/** People of the organization, and the caller's own permissions and notification settings. */

import { type Static, Type } from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { expectRole } from '../../http/endpoint-roles.ts';
import {
  type GivenFields,
  nullableFields,
  optionalFields,
  responseFields,
} from '../../http/fields/field-groups.ts';
import {
  deviceFacetUuid,
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { ignored } from '../../http/fields/no-effect.ts';
import { invalidField } from '../../http/request-body.ts';
import { MAIL_LANGUAGES } from '../../mail/languages.ts';
import { type Person, ROLES, type Role } from '../../store/person.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';

const MAX_TIME_FRAMES = 100;
const MAX_ROWS = 100;
const MAX_ENTRIES = 1_000;
const MAX_PHONE_NUMBERS = 20;
const MAX_PHONE_NUMBER_LENGTH = 32;
const MINUTES_PER_DAY = 24 * 60;
const DAYS_PER_WEEK = 7;

const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;
const MEDIUMS = ['SMS', 'EMAIL', 'APP', 'SLACK', 'MICROSOFT_TEAMS', 'BROWSER', 'UNKNOWN'] as const;

/** How the gateway itself notifies people. */
const NOTIFIED_MEDIUMS: ReadonlySet<string> = new Set(['APP', 'BROWSER', 'EMAIL']);

const optional = Type.Optional;
const words = (description: string) => optional(listOf(text('A code.'), description, MAX_ENTRIES));
const uuids = (description: string) => optional(listOf(ruuid('A UUID.'), description, MAX_ENTRIES));

const INTERVAL_SCHEMA = namedType('MinuteOfDayInterval', {
  dayOfWeek: optional(int32('The day, 1 for Monday. Used without `days`; 0: any.', 0, DAYS_PER_WEEK)),
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

/** How a user wants to be notified, as sent and as returned. */
const NOTIFICATION_FIELDS = {
  smsPhoneNumbers: listOf(
    text('A number with its country code, such as +12025550123.', MAX_PHONE_NUMBER_LENGTH),
    'Where text messages go. Spaces, dots, dashes and parentheses are removed: responses have E.164 form.',
    MAX_PHONE_NUMBERS,
  ),
  summaryEmailEnabled: flag(
    'Whether mails are sent. True: about everything that the time frames cover, also without `mediums`. False: none. Never set: about ' +
      'what time frames with the medium `EMAIL` cover.',
  ),
  timeFrames: listOf(
    TIME_FRAME_SCHEMA,
    'When the user is notified about what. Never set: always, about everything. Empty: never.',
    MAX_TIME_FRAMES,
  ),
  timeZone: text(
    'IANA time zone in which the time frames count; specific to Sluice. Never set: that of the alert’s location.',
  ),
  language: oneOf(MAIL_LANGUAGES, 'The language of mails; specific to Sluice. Never set: English.'),
};

/** The user whose settings are read or changed. Those of others are for admins. Fails ROLE_REQUIRED. */
function settingsUser(caller: Caller, userUuid: Ruuid | undefined): Ruuid {
  const { uuid } = caller.actor;
  if (userUuid !== undefined && userUuid !== uuid) expectRole(caller, 'admin');
  return userUuid ?? uuid;
}

type GivenNotificationSettings = GivenFields<typeof NOTIFICATION_FIELDS>;

/** `timeFrames`: `setTimeFrames`. */
function setterOf(name: string): string {
  return `set${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

const SETTING_NAMES = Object.keys(NOTIFICATION_FIELDS);

const UPDATED_SET_METHOD_MAP = ignored(
  mapOf(
    flag('Whether to apply the field.'),
    'Fields by name, `timeFrames` or `setTimeFrames`: true applies the field, or clears it if it is absent; false ' +
      'leaves it as it is. Fields that are not named apply if you send them.',
  ),
  'no field has this name',
  [...SETTING_NAMES, ...SETTING_NAMES.map(setterOf)],
);

const NOTIFICATION_SETTINGS_SCHEMA = namedType('NotificationSettings', {
  orgUuid: ruuid('The organization.'),
  userUuid: ruuid('The user.'),
  ...nullableFields(NOTIFICATION_FIELDS),
});

const getCurrentUserNotificationSettings = defineEndpoint({
  path: '/api/customer/getCurrentUserNotificationSettings',
  summary: 'Reads when a user is notified about what.',
  description: 'Fields that were never set are absent.',
  isExtension: true,
  request: Type.Object({
    userUuid: Type.Optional(ruuid('The user; default: the user of the API key.')),
  }),
  response: { notificationSettings: NOTIFICATION_SETTINGS_SCHEMA },
  example: {
    request: {},
    response: {
      notificationSettings: {
        orgUuid: EXAMPLE_ORG_UUID,
        userUuid: EXAMPLE_ORG_UUID,
        smsPhoneNumbers: null,
        summaryEmailEnabled: true,
        timeFrames: null,
        timeZone: 'America/New_York',
        language: 'en',
      },
    },
  },
  async handler({ orgUuid, caller, services }, body) {
    const userUuid = settingsUser(caller, body.userUuid);
    const known = await services.notificationSettings.find(orgUuid, userUuid);
    const given = known as GivenNotificationSettings;
    return {
      notificationSettings: { orgUuid, userUuid, ...responseFields(NOTIFICATION_FIELDS, given) },
    };
  },
});

const updateCurrentUserNotificationSettings = defineEndpoint({
  path: '/api/customer/updateCurrentUserNotificationSettings',
  summary: 'Changes when a user is notified about what.',
  description:
    'Lists are replaced as a whole. Sluice itself notifies by `BROWSER`, in open pages of the console, by `APP`, with Web Push, and by `EMAIL`; it ' +
    'stores the other settings for the services that notify users. A row without locations and devices covers all, one without ' +
    'activities and diagnostics all kinds of alerts, a time frame without rows everything. Settings of others are for admins.',
  repetition: 'same-outcome',
  request: Type.Object({
    orgUuid: Type.Optional(ruuid('The organization; if given, it must be the key’s own.')),
    userUuid: Type.Optional(ruuid('The user; default: the user of the API key.')),
    ...optionalFields(NOTIFICATION_FIELDS),
    updatedSetMethodMap: Type.Optional(UPDATED_SET_METHOD_MAP),
  }),
  response: {},
  example: {
    request: {
      smsPhoneNumbers: ['+1 202 555 0123'],
      timeFrames: [
        {
          days: ['MONDAY'],
          mediums: ['SMS'],
          interval: { minuteOfDayStartInclusive: 480, minuteOfDayStopExclusive: 1_080 },
          rows: [{ activities: ['MOTION_HUMAN'], locations: [EXAMPLE_LOCATION_UUID] }],
        },
      ],
    },
    response: {},
  },
  async handler(context, { orgUuid: namedOrgUuid, userUuid, ...body }) {
    const { orgUuid, caller, services } = context;
    if (namedOrgUuid !== undefined && namedOrgUuid !== orgUuid) {
      throw invalidField('orgUuid must be the organization that the key acts for.');
    }
    const { updatedSetMethodMap: applied = {}, ...settings } = body;
    await services.notificationSettings.update(
      orgUuid,
      settingsUser(caller, userUuid),
      settings,
      (name) => applied[name] ?? applied[setterOf(name)],
    );
    const stored = new Set((body.timeFrames ?? []).flatMap(({ mediums = [] }) => mediums));
    const others = [...stored].filter((medium) => !NOTIFIED_MEDIUMS.has(medium));
    if (others.length > 0 || (body.smsPhoneNumbers ?? []).length > 0) {
      context.warn(
        'The gateway notifies by BROWSER, APP, and EMAIL. It stores the other settings and notifies no one by them.',
      );
    }
    return {};
  },
});

const ACCESS = ['READONLY', 'ADMIN'] as const;

/** By the least role that has them. */
const FUNCTIONALITY: Readonly<Record<Role, readonly string[]>> = {
  viewer: ['VIEW_SAVED_VIDEO'],
  operator: ['CLIP_MANAGEMENT', 'VIEW_AND_MANAGE_SAVED_VIDEO', 'DATA_EXFILTRATION'],
  admin: [
    'DEVICE_ADMINISTRATION',
    'CAMERA_ADMINISTRATION',
    'REGISTER_DEVICES',
    'DELETE_DEVICES',
    'ORG_ADMINISTRATION',
    'USER_ADMINISTRATION',
    'LOCATION_ADMINISTRATION',
    'POLICY_ADMINISTRATION',
    'DOOR_ACCESS_ADMINISTRATION',
    'API_ADMINISTRATION',
    'INTEGRATION_ADMINISTRATION',
    'NOTIFICATION_ADMINISTRATION',
    'REPORT_ADMINISTRATION',
    'LICENSE_ADMINISTRATION',
  ],
};

const access = (what: string) => mapOf(oneOf(ACCESS, 'ADMIN, or READONLY below the role `admin`.'), what);

const getPermissionsForCurrentUser = defineEndpoint({
  path: '/api/permission/getPermissionsForCurrentUser',
  summary: 'Says what the caller may do.',
  description:
    'Of the key, the application or the person that calls. A role holds for the whole organization: `viewer` reads and watches, ' +
    '`operator` also changes shares, clips, schedules, walls and alerts, `admin` everything.',
  request: Type.Object({}),
  response: {
    role: oneOf(ROLES, 'The role. Specific to Sluice.'),
    permissionGroupName: plainText('The role.'),
    superAdmin: flag('Whether the role is `admin`.'),
    installer: flag('Always false.'),
    functionalityList: listOf(plainText('A word of the API family.'), 'What the role allows.'),
    functionalityAccessMap: access('The same, by word.'),
    deviceAccessMap: access('By the UUID of each camera.'),
    locationAccessMap: access('By the UUID of each location.'),
  },
  example: {
    request: {},
    response: {
      role: 'viewer' as const,
      permissionGroupName: 'viewer',
      superAdmin: false,
      installer: false,
      functionalityList: ['VIEW_SAVED_VIDEO'],
      functionalityAccessMap: { VIEW_SAVED_VIDEO: 'READONLY' as const },
      deviceAccessMap: { [EXAMPLE_CAMERA_UUID]: 'READONLY' as const },
      locationAccessMap: { [EXAMPLE_LOCATION_UUID]: 'READONLY' as const },
    },
  },
  async handler({ orgUuid, caller, services }) {
    const { role } = caller;
    const word = role === 'admin' ? 'ADMIN' : 'READONLY';
    const functionalityList = ROLES.slice(0, ROLES.indexOf(role) + 1).flatMap((each) => FUNCTIONALITY[each]);
    const mapFrom = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, word] as const));
    const cameras = await services.deviceStates.cameras(orgUuid, { includeMummified: false });
    const uuids: string[] = [];
    for (const { camera } of await cameras.toArray()) uuids.push(camera.uuid);
    const locations = (await services.locations.list(orgUuid)).map(({ uuid }) => uuid);
    return {
      role,
      permissionGroupName: role,
      superAdmin: role === 'admin',
      installer: false,
      functionalityList,
      functionalityAccessMap: mapFrom(functionalityList),
      deviceAccessMap: mapFrom(uuids),
      locationAccessMap: mapFrom(locations),
    };
  },
});

const USER_SCHEMA = namedType('WrappedOrgUser', {
  uuid: ruuid('The person.'),
  orgUuid: ruuid('The organization.'),
  name: plainText('What the person is called.'),
  firstName: plainText('The name up to its first space.'),
  lastName: plainText('The rest of the name.'),
  email: nullable(plainText('The email address, in lower case.')),
  emailCaseSensitive: nullable(plainText('The email address as it was given.')),
  status: oneOf(['JOINED', 'INACTIVE'], 'INACTIVE: the person is disabled.'),
  passwordSet: flag('Whether the person has a password.'),
  accountOwner: flag('Whether the person has the role `admin`.'),
  deleted: flag('Always false.'),
  createdAtMillis: int64('When the person was added, in epoch milliseconds.'),
});

const NONE = listOf(Type.Object({}), 'Always empty.');
const EMPTY = {
  notificationSettings: [],
  notificationSettingsV2: [],
  partners: [],
  snoozeSettings: [],
  userPermissions: [],
};

const getUsersInOrg = defineEndpoint({
  path: '/api/user/getUsersInOrg',
  summary: 'Lists the people of the organization.',
  description:
    'For administrators, as `/api/console/getPeople`, in the order in which they were added. Invitations are not users yet. ' +
    'The other lists are empty: rights follow from a role, and `getCurrentUserNotificationSettings` reads settings.',
  request: Type.Object({}),
  response: {
    users: listOf(USER_SCHEMA, 'The people.'),
    partners: NONE,
    notificationSettings: NONE,
    notificationSettingsV2: NONE,
    snoozeSettings: NONE,
    userPermissions: NONE,
  },
  example: {
    request: {},
    response: {
      ...EMPTY,
      users: [
        userResponse({
          uuid: deriveRuuid('example', 'person'),
          orgUuid: EXAMPLE_ORG_UUID,
          name: 'Ada Lovelace',
          email: 'ada@example.com',
          role: 'admin',
          scope: null,
          passwordHash: null,
          disabled: false,
          createdAtMs: EXAMPLE_TIME_MS,
          lastSignInAtMs: null,
        }),
      ],
    },
  },
  async handler({ orgUuid, services }) {
    return { ...EMPTY, users: (await services.people.list(orgUuid)).map(userResponse) };
  },
});

function userResponse(person: Person): Static<typeof USER_SCHEMA> {
  const { name, email } = person;
  const [firstName = '', ...others] = name.split(' ');
  return {
    uuid: person.uuid,
    orgUuid: person.orgUuid,
    name,
    firstName,
    lastName: others.join(' '),
    email: email === null ? null : email.toLowerCase(),
    emailCaseSensitive: email,
    status: person.disabled ? 'INACTIVE' : 'JOINED',
    passwordSet: person.passwordHash !== null,
    accountOwner: person.role === 'admin',
    deleted: false,
    createdAtMillis: person.createdAtMs,
  };
}

export const USER_ENDPOINTS: readonly Endpoint[] = [
  getCurrentUserNotificationSettings,
  updateCurrentUserNotificationSettings,
  getPermissionsForCurrentUser,
  getUsersInOrg,
];
