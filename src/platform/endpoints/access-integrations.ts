/** Settings for badge and alarm systems of other vendors. */

import { type Static, type TSchema, Type } from 'typebox';
import {
  ORG_INTEGRATION_INPUT,
  ORG_INTEGRATION_PROPERTIES,
  ORG_INTEGRATION_SCHEMA,
  orgIntegrationResponse,
} from '../../api/organization/webhooks.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID, EXAMPLE_ORG_UUID } from '../../api/types/examples.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  flag,
  int32,
  listOf,
  MAX_NAME_LENGTH,
  mapOf,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { ignored } from '../../http/fields/no-effect.ts';
import { invalidField } from '../../http/request-body.ts';
import type { BadgeFlagName } from '../integrations/badge-vendor-a.ts';

const MAX_TOKEN_LENGTH = 4_096;
const MAX_CAMERAS_PER_DOOR = 50;
/** One hour. */
const MAX_CLIP_SECONDS = 3_600;

const BADGE_DOOR_INFO = namedType('BadgeIntegrationDoorInfo', {
  doorName: Type.Optional(text('Its name.', MAX_NAME_LENGTH)),
  locationUuid: Type.Optional(ruuid('Where it is.')),
  assignedCameraList: Type.Optional(
    listOf(deviceUuid('A camera.'), 'Cameras that see it.', MAX_CAMERAS_PER_DOOR),
  ),
  clipDuration: Type.Optional(
    int32('How many seconds of video of a badge event are stored.', 0, MAX_CLIP_SECONDS),
  ),
  leadingSeconds: Type.Optional(int32('How many of these are before the event.', 0, MAX_CLIP_SECONDS)),
  remoteUnlock: Type.Optional(flag('Whether it can be unlocked remotely.')),
});

/** Switches of the integration, all false for a new one. */
const BADGE_FLAGS = {
  alertUnauthorizedFaces: flag('Whether faces without a badge raise alerts.'),
  badgeAuthDisablesAlarmMonitoring: flag('Whether an accepted badge ends alarm monitoring.'),
  createSeekPoints: flag('Whether to mark badge events in the footage.'),
  identifyFacesFromBadge: flag('Whether to name faces from badge events.'),
  indexFaces: flag('Whether to index faces.'),
  saveClips: flag('Whether to save clips of badge events.'),
} satisfies Record<BadgeFlagName, TSchema>;

const optional = Type.Optional;
const WORKED_OUT = 'the gateway computes it';

const BADGE_VENDOR_A_INPUT = namedType('BadgeVendorASettings', {
  ...ORG_INTEGRATION_INPUT,
  alertUnauthorizedFaces: optional(BADGE_FLAGS.alertUnauthorizedFaces),
  badgeAuthDisablesAlarmMonitoring: optional(BADGE_FLAGS.badgeAuthDisablesAlarmMonitoring),
  createSeekPoints: optional(BADGE_FLAGS.createSeekPoints),
  identifyFacesFromBadge: optional(BADGE_FLAGS.identifyFacesFromBadge),
  indexFaces: optional(BADGE_FLAGS.indexFaces),
  saveClips: optional(BADGE_FLAGS.saveClips),
  doorInfoMap: optional(
    mapOf(BADGE_DOOR_INFO, 'Doors by the vendor’s identifiers; replaces all earlier ones.'),
  ),
  apiToken: optional(text('The vendor’s token; never returned.', MAX_TOKEN_LENGTH)),
  refreshToken: optional(text('The token that renews it; never returned.', MAX_TOKEN_LENGTH)),
  serviceToken: optional(ruuid('The token of the vendor’s service.')),
  webhookSignatureSecret: optional(
    text('The secret that the vendor signs with; never returned.', MAX_TOKEN_LENGTH),
  ),
  webhookUuid: optional(text('The vendor’s ID for its webhook.')),
  integration: optional(ignored(text('BADGE_VENDOR_A.'), WORKED_OUT)),
  orgUuid: optional(ruuid('The organization; if given, it must be the key’s own.')),
  doorsValidated: optional(ignored(flag('Whether no door is misconfigured.'), WORKED_OUT)),
  tokenValid: optional(ignored(flag('Whether the token is valid.'), WORKED_OUT)),
  misconfiguredDoors: optional(
    ignored(listOf(text('A door.'), 'Doors assigned to several locations.', 10_000), WORKED_OUT),
  ),
  integrationAuditMap: optional(
    ignored(Type.Unsafe<object>({ type: 'object', description: 'Its latest changes.' }), WORKED_OUT),
  ),
});

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

const getBadgeVendorAIntegrationV2 = defineEndpoint({
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
        ...orgIntegrationResponse('BADGE_VENDOR_A', integration),
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

const updateBadgeVendorAIntegrationV2 = defineEndpoint({
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

const getBadgeVendorBIntegrationV2 = defineEndpoint({
  path: '/api/integrations/accessControl/getBadgeVendorBIntegrationV2',
  summary: 'Reads the second badge vendor’s integration.',
  description: 'Absent if there is none.',
  request: Type.Object({}),
  response: { orgIntegrationV2: nullable(ORG_INTEGRATION_SCHEMA) },
  example: {
    request: {},
    response: {
      orgIntegrationV2: {
        enabled: true,
        integration: 'BADGE_VENDOR_B',
        integrationAuditMap: {},
        orgUuid: EXAMPLE_ORG_UUID,
        userUuid: null,
      },
    },
  },
  async handler({ orgUuid, services }) {
    const integration = await services.accessControl.badgeVendorB.find(orgUuid);
    return {
      orgIntegrationV2: integration === null ? null : orgIntegrationResponse('BADGE_VENDOR_B', integration),
    };
  },
});

const updateBadgeVendorBIntegrationV2 = defineEndpoint({
  path: '/api/integrations/accessControl/updateBadgeVendorBIntegrationV2',
  summary: 'Creates or changes the second badge vendor’s integration.',
  description: 'Absent fields stay as they are.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object(ORG_INTEGRATION_INPUT),
  response: {},
  example: { request: { enabled: true }, response: {} },
  async handler(context, given) {
    const { orgUuid, caller, services } = context;
    await services.accessControl.badgeVendorB.set(orgUuid, given, caller.actor.name);
    context.warn('The gateway stores these settings but does not call the vendor.');
    return {};
  },
});

const getAlarmVendorIntegration = defineEndpoint({
  path: '/api/integrations/accessControl/getAlarmVendorIntegration',
  summary: 'Reads the alarm vendor’s integration.',
  description: 'Absent if there is none.',
  isExtension: true,
  request: Type.Object({}),
  response: { orgIntegrationV2: nullable(ORG_INTEGRATION_SCHEMA) },
  example: { request: {}, response: { orgIntegrationV2: null } },
  async handler({ orgUuid, services }) {
    const integration = await services.accessControl.alarmVendor.find(orgUuid);
    return {
      orgIntegrationV2: integration === null ? null : orgIntegrationResponse('ALARM_VENDOR', integration),
    };
  },
});

const updateAlarmVendorIntegration = defineEndpoint({
  path: '/api/integrations/accessControl/updateAlarmVendorIntegration',
  summary: 'Creates or changes the alarm vendor’s integration.',
  description: 'Absent fields stay as they are.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object(ORG_INTEGRATION_INPUT),
  response: {},
  example: { request: { enabled: true }, response: {} },
  async handler(context, given) {
    const { orgUuid, caller, services } = context;
    await services.accessControl.alarmVendor.set(orgUuid, given, caller.actor.name);
    context.warn('The gateway stores these settings but does not call the vendor.');
    return {};
  },
});

const deleteAlarmVendorIntegration = defineEndpoint({
  path: '/api/integrations/accessControl/deleteAlarmVendorIntegration',
  summary: 'Deletes the alarm vendor’s integration.',
  description: 'Also succeeds if the organization has none.',
  repetition: 'same-outcome',
  request: Type.Object({}),
  response: {},
  example: { request: {}, response: {} },
  async handler({ orgUuid, services }) {
    await services.accessControl.alarmVendor.remove(orgUuid);
    return {};
  },
});

export const ACCESS_INTEGRATION_ENDPOINTS: readonly Endpoint[] = [
  getBadgeVendorAIntegrationV2,
  updateBadgeVendorAIntegrationV2,
  getBadgeVendorBIntegrationV2,
  updateBadgeVendorBIntegrationV2,
  getAlarmVendorIntegration,
  updateAlarmVendorIntegration,
  deleteAlarmVendorIntegration,
];
