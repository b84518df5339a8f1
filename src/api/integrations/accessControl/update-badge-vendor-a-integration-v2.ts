/** POST /api/integrations/accessControl/updateBadgeVendorAIntegrationV2: the first badge vendor's settings. */

import { Type } from 'typebox';
import { Secret } from '../../../core/secret.ts';
import type { Resource } from '../../../store/resource.ts';
import { defineEndpoint } from '../../base/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID } from '../../base/examples.ts';
import { flag, listOf, plainText } from '../../base/field-types.ts';
import { invalidField } from '../../base/request-body.ts';
import { mergeIntegrationInput } from '../org-integration.ts';
import { checkBadgeDoors } from './badge-doors.ts';
import { isUsableToken } from './badge-token.ts';
import {
  BADGE_FLAG_NAMES,
  BADGE_VENDOR_A_INPUT,
  type BadgeFlags,
  type BadgeVendorABody,
  type BadgeVendorAInput,
  type BadgeVendorASecrets,
} from './badge-vendor-a-type.ts';

const MAX_DOORS = 10_000;

export const updateBadgeVendorAIntegrationV2 = defineEndpoint({
  path: '/api/integrations/accessControl/updateBadgeVendorAIntegrationV2',
  summary: 'Changes the settings of the first badge vendor’s integration.',
  description:
    'Absent fields stay as they are; `doorInfoMap` is replaced whole. `authError`: there is no token, it is malformed, ' +
    'or it has ended and cannot be renewed; the integration is then kept switched off. `failedGuids`: doors that were ' +
    'not kept, for want of a name or because their location, cameras or times do not exist. `misconfiguredDoors`: names ' +
    'of doors at several locations, among these and the doors that devices report.',
  request: Type.Object({ badgeVendorASettings: BADGE_VENDOR_A_INPUT }),
  response: {
    authError: flag('Whether the vendor cannot be logged in to.'),
    failedGuids: listOf(plainText('An identifier of the vendor.'), 'Doors that were not kept.'),
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
      throw invalidField('badgeVendorASettings.orgUuid must be the organisation that the key acts for.');
    }
    if (Object.keys(settings.doorInfoMap ?? {}).length > MAX_DOORS) {
      throw invalidField(`badgeVendorASettings.doorInfoMap must have at most ${MAX_DOORS} entries.`);
    }
    const { store, clock, accessControl } = services;
    const found = { authError: false, failedGuids: [] as string[], misconfiguredDoors: [] as string[] };
    await accessControl.badgeVendorA.update(orgUuid, async (known) => {
      const secrets = { ...badgeSecrets(known), ...givenSecrets(settings) };
      const given = settings.doorInfoMap ?? known?.body.doorInfoMap ?? {};
      const doors = await checkBadgeDoors(store, orgUuid, given);
      found.authError = !isUsableToken(secrets.apiToken, secrets.refreshToken, clock.epochMs());
      found.failedGuids = doors.failedGuids;
      found.misconfiguredDoors = doors.misconfiguredDoors;
      const { enabled, userUuid } = mergeIntegrationInput(settings, known);
      return {
        body: {
          enabled: enabled && !found.authError,
          userUuid,
          flags: flagsOf(settings, known),
          doorInfoMap: doors.doorInfoMap,
          serviceToken: settings.serviceToken ?? known?.body.serviceToken ?? null,
          webhookUuid: settings.webhookUuid ?? known?.body.webhookUuid ?? null,
        },
        secret: new Secret(JSON.stringify(secrets)),
        changedBy: caller.key.name,
      };
    });
    if (found.authError) {
      context.warn('The integration is switched off until it has a token that can be used.');
    }
    return found;
  },
});

function badgeSecrets(known: Resource<BadgeVendorABody> | null): BadgeVendorASecrets {
  const text = known?.secret?.reveal();
  if (text === undefined) return { apiToken: null, refreshToken: null, webhookSignatureSecret: null };
  return JSON.parse(text) as BadgeVendorASecrets;
}

/** A new token stands alone: the old one's renewal does not renew it. */
function givenSecrets(settings: BadgeVendorAInput): Partial<BadgeVendorASecrets> {
  const { apiToken, refreshToken, webhookSignatureSecret } = settings;
  return {
    ...(apiToken === undefined ? {} : { apiToken, refreshToken: null }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(webhookSignatureSecret === undefined ? {} : { webhookSignatureSecret }),
  };
}

function flagsOf(settings: BadgeVendorAInput, known: Resource<BadgeVendorABody> | null): BadgeFlags {
  const flags = BADGE_FLAG_NAMES.map((name) => [name, settings[name] ?? known?.body.flags[name] ?? false]);
  return Object.fromEntries(flags) as BadgeFlags;
}

/** Whether the kept tokens can be used now. */
export function hasUsableToken(integration: Resource<BadgeVendorABody>, nowMs: number): boolean {
  const { apiToken, refreshToken } = badgeSecrets(integration);
  return isUsableToken(apiToken, refreshToken, nowMs);
}
