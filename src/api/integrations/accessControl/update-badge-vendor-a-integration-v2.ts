/** POST /api/integrations/accessControl/updateBadgeVendorAIntegrationV2: the first badge vendor's settings. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { flag, listOf, plainText } from '../../../http/fields/field-types.ts';
import { invalidField } from '../../../http/request-body.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID } from '../../types/examples.ts';
import { BADGE_VENDOR_A_INPUT } from './badge-vendor-a-type.ts';

export const updateBadgeVendorAIntegrationV2 = defineEndpoint({
  path: '/api/integrations/accessControl/updateBadgeVendorAIntegrationV2',
  summary: 'Changes the settings of the first badge vendor’s integration.',
  description:
    'Absent fields stay as they are; `doorInfoMap` is replaced as a whole. `authError`: there is no token, it is ' +
    'malformed, or it has expired and cannot be renewed; the integration then stays off. `failedGuids`: doors that ' +
    'were not stored, because they have no name or because their location, cameras or times do not exist. ' +
    '`misconfiguredDoors`: names of doors at several locations, among these and the doors that devices report.',
  repetition: 'same-outcome',
  request: Type.Object({ badgeVendorASettings: BADGE_VENDOR_A_INPUT }),
  response: {
    authError: flag('Whether logging in to the vendor is impossible.'),
    failedGuids: listOf(plainText('An identifier of the vendor.'), 'Doors that were not stored.'),
    misconfiguredDoors: listOf(plainText('A name.'), 'Doors assigned to several locations.'),
  },
  example: {
    request: {
      badgeVendorASettings: {
        enabled: true,
        apiToken: 'TOKEN',
        doorInfoMap: {
          'door-1': {
            doorName: 'Lobby',
            locationUuid: EXAMPLE_LOCATION_UUID,
            assignedCameraList: [EXAMPLE_CAMERA_UUID],
          },
        },
      },
    },
    response: { authError: false, failedGuids: [], misconfiguredDoors: [] },
  },
  async handler(context, { badgeVendorASettings: settings }) {
    const { orgUuid, caller, services } = context;
    if (settings.orgUuid !== undefined && settings.orgUuid !== orgUuid) {
      throw invalidField('badgeVendorASettings.orgUuid must be the organization that the key acts for.');
    }
    const outcome = await services.accessControl.badgeVendorA.update(orgUuid, settings, caller.actor.name);
    if (outcome.authError) {
      context.warn('The integration stays off until it has a valid token.');
    }
    context.warn('The gateway stores these settings but does not call the vendor.');
    return outcome;
  },
});
