/** POST /api/customer/updateCurrentUserNotificationSettings: when a user is notified about what. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { optionalFields } from '../../http/fields/field-groups.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';
import { NOTIFICATION_FIELDS, setterOf, UPDATED_SET_METHOD_MAP } from './notification-settings-type.ts';

export const updateCurrentUserNotificationSettings = defineEndpoint({
  path: '/api/customer/updateCurrentUserNotificationSettings',
  summary: 'Changes when a user is notified about what.',
  description:
    'Lists are replaced as a whole. Sluice stores the settings for the services that notify users.',
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
      userUuid ?? caller.actor.uuid,
      settings,
      (name) => applied[name] ?? applied[setterOf(name)],
    );
    context.warn('The gateway stores these settings but notifies no one itself.');
    return {};
  },
});
