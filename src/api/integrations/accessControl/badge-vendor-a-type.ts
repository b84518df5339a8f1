/** The first badge vendor's integration: its settings, as sent and as returned. */

import { type TSchema, Type } from 'typebox';
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
} from '../../../http/fields/field-types.ts';
import { ignored } from '../../../http/fields/no-effect.ts';
import type { BadgeFlagName } from '../../../integrations/badge-vendor-a.ts';
import { ORG_INTEGRATION_INPUT } from '../../organization/webhooks.ts';

const MAX_TOKEN_LENGTH = 4_096;
const MAX_CAMERAS_PER_DOOR = 50;
/** One hour. */
const MAX_CLIP_SECONDS = 3_600;

export const BADGE_DOOR_INFO = namedType('BadgeIntegrationDoorInfo', {
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
export const BADGE_FLAGS = {
  alertUnauthorizedFaces: flag('Whether faces without a badge raise alerts.'),
  badgeAuthDisablesAlarmMonitoring: flag('Whether an accepted badge ends alarm monitoring.'),
  createSeekPoints: flag('Whether to mark badge events in the footage.'),
  identifyFacesFromBadge: flag('Whether to name faces from badge events.'),
  indexFaces: flag('Whether to index faces.'),
  saveClips: flag('Whether to save clips of badge events.'),
} satisfies Record<BadgeFlagName, TSchema>;

const optional = Type.Optional;
const WORKED_OUT = 'the gateway computes it';

export const BADGE_VENDOR_A_INPUT = namedType('BadgeVendorASettings', {
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
