/** POST /api/customer/updateCurrentUserNotificationSettings: when a user is told of what. */

import { Type } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import type { Store } from '../../store/store.ts';
import { defineEndpoint } from '../base/endpoint.ts';
import { EXAMPLE_LOCATION_UUID } from '../base/examples.ts';
import { optionalFields } from '../base/field-groups.ts';
import { ruuid } from '../base/field-types.ts';
import { invalidField } from '../base/request-body.ts';
import {
  NOTIFICATION_FIELD_NAMES,
  NOTIFICATION_FIELDS,
  NOTIFICATION_SETTINGS,
  type NotificationSettings,
  notificationSettingsUuid,
  UPDATED_SET_METHOD_MAP,
} from './notification-settings-type.ts';

/** Digits as E.164 counts them, with what people write between them. */
const PHONE_NUMBER = /^\+?\d(?:[ ().-]*\d){6,14}$/;

export const updateCurrentUserNotificationSettings = defineEndpoint({
  path: '/api/customer/updateCurrentUserNotificationSettings',
  summary: 'Changes when a user is told of what.',
  description: 'Lists are replaced whole. Sluice keeps the settings for the services that notify users.',
  request: Type.Object({
    orgUuid: Type.Optional(ruuid('The organisation of the key, when given.')),
    userUuid: Type.Optional(ruuid('The user; that of the API key when absent.')),
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
  async handler({ orgUuid, caller, services }, { orgUuid: namedOrgUuid, userUuid, ...body }) {
    if (namedOrgUuid !== undefined && namedOrgUuid !== orgUuid) {
      throw invalidField('orgUuid must be the organisation that the key acts for.');
    }
    const { store, clock } = services;
    await check(store, orgUuid, body);
    const ofUser = userUuid ?? caller.key.uuid;
    const uuid = notificationSettingsUuid(orgUuid, ofUser);
    await store.resources.of(NOTIFICATION_SETTINGS).change(orgUuid, uuid, (known) => {
      const nowMs = clock.epochMs();
      return {
        ...{ uuid, orgUuid, name: '', parentUuid: ofUser, secret: null },
        body: applied(known?.body ?? {}, body, body.updatedSetMethodMap ?? {}),
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
    });
    return {};
  },
});

async function check(store: Store, orgUuid: Ruuid, settings: NotificationSettings): Promise<void> {
  for (const [index, number] of (settings.smsPhoneNumbers ?? []).entries()) {
    if (!PHONE_NUMBER.test(number)) throw invalidField(`smsPhoneNumbers[${index}] must be a phone number.`);
  }
  const known = new Set((await store.locations.list(orgUuid)).map(({ uuid }) => uuid));
  for (const [frame, { interval = {}, rows = [] }] of (settings.timeFrames ?? []).entries()) {
    const { minuteOfDayStartInclusive: start, minuteOfDayStopExclusive: stop } = interval;
    if (start !== undefined && stop !== undefined && stop <= start) {
      throw invalidField(
        `timeFrames[${frame}].interval.minuteOfDayStopExclusive must be later than minuteOfDayStartInclusive.`,
      );
    }
    for (const [row, { locations = [], locationOnly = [] }] of rows.entries()) {
      for (const [name, uuids] of [
        ['locations', locations],
        ['locationOnly', locationOnly],
      ] as const) {
        const stranger = uuids.findIndex((uuid) => !known.has(uuid));
        if (stranger < 0) continue;
        throw invalidField(
          `timeFrames[${frame}].rows[${row}].${name}[${stranger}] must be a location of the organisation.`,
        );
      }
    }
  }
}

function applied(
  known: NotificationSettings,
  given: NotificationSettings,
  updatedSetMethodMap: Readonly<Record<string, boolean>>,
): NotificationSettings {
  const settings: Record<string, unknown> = { ...known };
  for (const name of NOTIFICATION_FIELD_NAMES) {
    const setter = `set${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const isNamed = updatedSetMethodMap[name] ?? updatedSetMethodMap[setter];
    if (!(isNamed ?? given[name] !== undefined)) continue;
    if (given[name] === undefined) delete settings[name];
    else settings[name] = given[name];
  }
  return settings;
}
