/** The first badge vendor's integration: its settings as they are given and answered. */

import { type TSchema, Type } from 'typebox';
import type { BadgeFlagName } from '../../../integrations/badge-vendor-a.ts';
import {
  deviceUuid,
  flag,
  int32,
  listOf,
  MAX_NAME_LENGTH,
  mapOf,
  namedType,
  ruuid,
  text,
} from '../../fields/field-types.ts';
import { ignored } from '../../fields/no-effect.ts';
import { ORG_INTEGRATION_INPUT } from '../org-integration.ts';

const MAX_TOKEN_LENGTH = 4_096;
const MAX_CAMERAS_PER_DOOR = 50;
/** An hour. */
const MAX_CLIP_SECONDS = 3_600;

export const BADGE_DOOR_INFO = namedType('BadgeIntegrationDoorInfo', {
  doorName: Type.Optional(text('Its name.', MAX_NAME_LENGTH)),
  locationUuid: Type.Optional(ruuid('Where it is.')),
  assignedCameraList: Type.Optional(
    listOf(deviceUuid('A camera.'), 'Cameras that see it.', MAX_CAMERAS_PER_DOOR),
  ),
  clipDuration: Type.Optional(int32('Seconds of video kept of a badge event.', 0, MAX_CLIP_SECONDS)),
  leadingSeconds: Type.Optional(int32('Seconds of these before the event.', 0, MAX_CLIP_SECONDS)),
  remoteUnlock: Type.Optional(flag('Whether it may be unlocked from afar.')),
});

/** Switches of the integration, all false for a new one. */
export const BADGE_FLAGS = {
  alertUnauthorizedFaces: flag('Whether faces without a badge raise alerts.'),
  badgeAuthDisablesAlarmMonitoring: flag('Whether an accepted badge ends alarm monitoring.'),
  createSeekPoints: flag('Whether badge events are marked in the footage.'),
  identifyFacesFromBadge: flag('Whether badge events name faces.'),
  indexFaces: flag('Whether faces are indexed.'),
  saveClips: flag('Whether clips of badge events are saved.'),
} satisfies Record<BadgeFlagName, TSchema>;

const optional = Type.Optional;
const WORKED_OUT = 'the gateway works it out';

export const BADGE_VENDOR_A_INPUT = namedType('BadgeVendorASettings', {
  ...ORG_INTEGRATION_INPUT,
  alertUnauthorizedFaces: optional(BADGE_FLAGS.alertUnauthorizedFaces),
  badgeAuthDisablesAlarmMonitoring: optional(BADGE_FLAGS.badgeAuthDisablesAlarmMonitoring),
  createSeekPoints: optional(BADGE_FLAGS.createSeekPoints),
  identifyFacesFromBadge: optional(BADGE_FLAGS.identifyFacesFromBadge),
  indexFaces: optional(BADGE_FLAGS.indexFaces),
  saveClips: optional(BADGE_FLAGS.saveClips),
  doorInfoMap: optional(
    mapOf(BADGE_DOOR_INFO, 'Doors by the identifiers of the vendor, in place of all there were.'),
  ),
  apiToken: optional(text('The vendor’s token; never answered.', MAX_TOKEN_LENGTH)),
  refreshToken: optional(text('What renews it; never answered.', MAX_TOKEN_LENGTH)),
  serviceToken: optional(ruuid('The token of the vendor’s service.')),
  webhookSignatureSecret: optional(text('What the vendor signs with; never answered.', MAX_TOKEN_LENGTH)),
  webhookUuid: optional(text('How the vendor names its webhook.')),
  integration: optional(ignored(text('BADGE_VENDOR_A.'), WORKED_OUT)),
  orgUuid: optional(ruuid('The organisation of the key, when given.')),
  doorsValidated: optional(ignored(flag('Whether no door is misconfigured.'), WORKED_OUT)),
  tokenValid: optional(ignored(flag('Whether the token can be used.'), WORKED_OUT)),
  misconfiguredDoors: optional(
    ignored(listOf(text('A door.'), 'Doors assigned to several locations.', 10_000), WORKED_OUT),
  ),
  integrationAuditMap: optional(
    ignored(Type.Unsafe<object>({ type: 'object', description: 'Its latest changes.' }), WORKED_OUT),
  ),
});
