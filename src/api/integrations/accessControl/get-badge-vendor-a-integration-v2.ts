/**
 * POST /api/integrations/accessControl/getBadgeVendorAIntegrationV2: the first badge vendor's settings. Specific to
 * Sluice.
 */

import { type Static, Type } from 'typebox';
import { defineEndpoint } from '../../../http/endpoint.ts';
import {
  flag,
  listOf,
  mapOf,
  namedType,
  nullable,
  plainText,
  ruuid,
} from '../../../http/fields/field-types.ts';
import { ORG_INTEGRATION_PROPERTIES, orgIntegrationAnswer } from '../../organization/webhooks.ts';
import { EXAMPLE_ORG_UUID } from '../../types/examples.ts';
import { BADGE_DOOR_INFO, BADGE_FLAGS } from './badge-vendor-a-type.ts';

const BADGE_VENDOR_A_SCHEMA = namedType('KeptBadgeVendorASettings', {
  ...ORG_INTEGRATION_PROPERTIES,
  ...BADGE_FLAGS,
  doorInfoMap: mapOf(BADGE_DOOR_INFO, 'Doors by the vendor’s identifiers.'),
  serviceToken: nullable(ruuid('The token of the vendor’s service.')),
  webhookUuid: nullable(plainText('The vendor’s ID for its webhook.')),
  tokenValid: flag('Whether the vendor’s token can be used.'),
  doorsValidated: flag('Whether no door is misconfigured.'),
  misconfiguredDoors: listOf(plainText('A name.'), 'Doors assigned to several locations.'),
});

export const getBadgeVendorAIntegrationV2 = defineEndpoint({
  path: '/api/integrations/accessControl/getBadgeVendorAIntegrationV2',
  summary: 'Reads the settings of the first badge vendor’s integration.',
  description: 'Absent if there is none. Tokens and secrets are left out.',
  isExtension: true,
  request: Type.Object({}),
  response: { badgeVendorASettings: nullable(BADGE_VENDOR_A_SCHEMA) },
  example: {
    request: {},
    response: {
      badgeVendorASettings: {
        enabled: true,
        integration: 'BADGE_VENDOR_A',
        integrationAuditMap: {},
        orgUuid: EXAMPLE_ORG_UUID,
        userUuid: null,
        alertUnauthorizedFaces: false,
        badgeAuthDisablesAlarmMonitoring: false,
        createSeekPoints: false,
        identifyFacesFromBadge: false,
        indexFaces: false,
        saveClips: true,
        doorInfoMap: {},
        serviceToken: null,
        webhookUuid: null,
        tokenValid: true,
        doorsValidated: true,
        misconfiguredDoors: [],
      },
    },
  },
  async handler({ orgUuid, services }) {
    const known = await services.accessControl.badgeVendorA.find(orgUuid);
    if (known === null) return { badgeVendorASettings: null };
    const { integration, tokenValid, misconfiguredDoors } = known;
    const { flags, doorInfoMap, serviceToken, webhookUuid } = integration.body;
    return {
      badgeVendorASettings: {
        ...orgIntegrationAnswer('BADGE_VENDOR_A', integration),
        ...flags,
        doorInfoMap: doorInfoMap as Record<string, Static<typeof BADGE_DOOR_INFO>>,
        serviceToken,
        webhookUuid,
        tokenValid,
        doorsValidated: misconfiguredDoors.length === 0,
        misconfiguredDoors,
      },
    };
  },
});
