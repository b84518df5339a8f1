/** POST /api/customer/getCurrentUserNotificationSettings: when a user is notified about what. Specific to Sluice. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { answeredFields } from '../../http/fields/field-groups.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_ORG_UUID } from '../types/examples.ts';
import {
  type GivenNotificationSettings,
  NOTIFICATION_FIELDS,
  NOTIFICATION_SETTINGS_SCHEMA,
} from './notification-settings-type.ts';

export const getCurrentUserNotificationSettings = defineEndpoint({
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
      },
    },
  },
  async handler({ orgUuid, caller, services }, { userUuid = caller.actor.uuid }) {
    const known = await services.notificationSettings.find(orgUuid, userUuid);
    const given = known as GivenNotificationSettings;
    return {
      notificationSettings: { orgUuid, userUuid, ...answeredFields(NOTIFICATION_FIELDS, given) },
    };
  },
});
