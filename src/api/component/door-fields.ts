/** What is known about an access controlled door (docs/spec/rules.md#doors). */

import { type TSchema, Type } from 'typebox';
import { ACCESS_STATES } from '../../access-control/access-state.ts';
import type { DoorReport, DoorSettings } from '../../access-control/door.ts';
import {
  deviceFacetUuid,
  double,
  flag,
  int32,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  mapOf,
  namedType,
  oneOf,
  ruuid,
  subLocationsHierarchyKey,
  text,
} from '../../http/fields/field-types.ts';
import { alertPolicy } from '../../http/fields/no-effect.ts';
import {
  ACCESS_STATE_OVERRIDE_SCHEMA,
  FIRST_IN_STATE_SCHEMA,
  ORIGINATOR_SCHEMA,
} from '../types/access-state-type.ts';

/** Cameras, readers, relays and so on of one door. */
const MAX_COMPONENTS = 100;
/** One day: nothing about a door takes longer. */
const MAX_SECONDS = 86_400;
const MAX_MILLISECONDS = 1_000 * MAX_SECONDS;
/** Half the circumference of the earth. */
const MAX_RADIUS_METRES = 20_037_500;

const seconds = (description: string) => int32(`${description} Seconds.`, 0, MAX_SECONDS);
const milliseconds = (description: string) => int32(`${description} Milliseconds.`, 0, MAX_MILLISECONDS);
const signalStrength = () => int32('Weakest signal that counts, in dBm.', -200, 0);

export const COMPONENT_REFERENCE_SCHEMA = namedType('ComponentReference', {
  componentUuid: ruuid('The component.'),
  deviceUuid: Type.Optional(ruuid('The device that it is part of.')),
});

export const PROXIMITY_UNLOCK_SCHEMA = namedType('ProximityUnlockSettings', {
  enabled: Type.Optional(flag('Whether the door unlocks for a phone nearby.')),
  credCooldownSec: Type.Optional(seconds('Time before the same credential counts again.')),
  exitResetsCooldown: Type.Optional(flag('Whether leaving ends that time.')),
  holdUnlocked: Type.Optional(flag('Whether the door stays unlocked while the phone is near.')),
  holdUnlockedEventIntervalSec: Type.Optional(seconds('Time between the events of a door held unlocked.')),
  minHoldUnlockedTimeSec: Type.Optional(seconds('Shortest time for which it is held unlocked.')),
  maxHoldUnlockedTimeSec: Type.Optional(seconds('Longest time for which it is held unlocked.')),
  minRSSIThreshold: Type.Optional(signalStrength()),
});

const WAVE_TO_UNLOCK_SCHEMA = namedType('WaveToUnlockSettings', {
  enabled: Type.Optional(flag('Whether a hand wave unlocks the door.')),
  awaitAuthDurationMs: Type.Optional(milliseconds('Time to wait for a credential after a wave.')),
  minRSSIThreshold: Type.Optional(signalStrength()),
  showAwaitIntentFeedback: Type.Optional(flag('Whether the reader shows that it waits for a wave.')),
  treatNfcAsIntent: Type.Optional(flag('Whether a card held to the reader counts as a wave.')),
});

const components = (what: string) => listOf(COMPONENT_REFERENCE_SCHEMA, `Its ${what}.`, MAX_COMPONENTS);

/** What callers set. */
export const DOOR_SETTING_FIELDS = {
  name: text('Its name.', MAX_NAME_LENGTH),
  policyUuid: alertPolicy('The alert policy assigned to it.'),
  defaultState: oneOf(ACCESS_STATES, 'Its state unless a schedule or an override says otherwise.'),
  doorStateToScheduleUuidMap: mapOf(
    ruuid('A schedule.'),
    'The schedule during which the door is in a state, by state.',
  ),
  ajarTimeSec: seconds('Time after which an open door counts as ajar.'),
  forcedOpenEnabled: flag('Whether to report a door that was opened without being unlocked.'),
  forcedOpenTimeSec: seconds('Time after which to report a door that was opened without being unlocked.'),
  unlockTimeSec: seconds('How long a credential unlocks it.'),
  unlockTimeSecRex: seconds('How long a request to exit unlocks it.'),
  relockAfterOpenTimeMs: milliseconds('Time after which it locks again once opened.'),
  remoteUnlockEnabled: flag('Whether it can be unlocked remotely.'),
  floorNumber: int32('The floor it is on.'),
  directionRadians: double('The direction that it faces, clockwise from north.'),
  latitude: double('Degrees north.', -90, 90),
  longitude: double('Degrees east.', -180, 180),
  geofenceEnabled: flag('Whether phones unlock it only from within the geofence.'),
  geofenceRadius: double('Radius of the geofence in meters.', 0, MAX_RADIUS_METRES),
  associatedCameras: listOf(deviceFacetUuid('A camera.'), 'Cameras that see it.', MAX_COMPONENTS),
  associatedFaceDetectionCameras: listOf(
    deviceFacetUuid('A camera.'),
    'Cameras that recognize faces at it.',
    MAX_COMPONENTS,
  ),
  dpiComponents: components('door position indicators'),
  readerComponents: components('readers'),
  relayComponents: components('relays'),
  rexComponents: components('request-to-exit inputs'),
  forceAllReadersFirstInAuthRequiredLedFeedbackEnabled: flag(
    'Whether all readers show that someone must come in first.',
  ),
  forceAllReadersFirstInUnlockPendingLedFeedbackEnabled: flag(
    'Whether all readers show that the first person to come in unlocks the door.',
  ),
  forceAllReadersOtherReaderUnlockAudioFeedbackEnabled: flag(
    'Whether all readers sound when another one unlocks the door.',
  ),
  forceAllReadersRemoteUnlockAudioFeedbackEnabled: flag(
    'Whether all readers sound when the door is unlocked remotely.',
  ),
  proximityUnlockSettings: PROXIMITY_UNLOCK_SCHEMA,
  waveToUnlockSettings: WAVE_TO_UNLOCK_SCHEMA,
  subLocationsHierarchyKey: subLocationsHierarchyKey('Its sublocation.'),
} satisfies Record<keyof DoorSettings, TSchema>;

/** What only its owner device knows. */
export const DOOR_REPORTED_FIELDS = {
  subType: oneOf(['NATIVE', 'LOCK_VENDOR'], 'Whether a lock vendor operates it.'),
  lockVendorDoorId: text('The lock vendor’s ID for it.'),
  lockVendorDoorExtensionComponent: COMPONENT_REFERENCE_SCHEMA,
  lockVendorGatewayComponent: COMPONENT_REFERENCE_SCHEMA,
  nfcSecureDowngradeEnabled: flag('Whether less secure cards are accepted.'),
  privacyModeSupportEnabled: flag('Whether it can be locked from the inside.'),
  sendExpiredIntentEvents: flag('Whether it reports waves without a credential.'),
  defaultAccessStateOriginator: ORIGINATOR_SCHEMA,
  defaultAccessStateRequestedAtMillis: int64('When the default state was requested, epoch milliseconds.', 0),
  doorAuthFirstInStateOverride: FIRST_IN_STATE_SCHEMA,
  doorScheduleFirstInStateOverride: FIRST_IN_STATE_SCHEMA,
  doorStateOverride: ACCESS_STATE_OVERRIDE_SCHEMA,
} satisfies Record<keyof DoorReport, TSchema>;
