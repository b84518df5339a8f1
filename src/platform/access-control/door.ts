/** The access controlled door (docs/spec/rules.md#doors): as configured, reported and stored. */

import type { Ruuid } from '../../core/ruuid.ts';
import { type Resource, type ResourceKind, resourceKind } from '../../store/resource.ts';
import type { AccessState, AccessStateOverride, FirstInState, Originator } from './access-state.ts';

/** A reader, relay or sensor. */
export interface ComponentReference {
  readonly componentUuid: Ruuid;
  /** The device that it is part of. */
  readonly deviceUuid?: Ruuid;
}

/** How the door unlocks for a phone nearby. */
export interface ProximityUnlockSettings {
  readonly enabled?: boolean;
  readonly credCooldownSec?: number;
  readonly exitResetsCooldown?: boolean;
  readonly holdUnlocked?: boolean;
  readonly holdUnlockedEventIntervalSec?: number;
  readonly minHoldUnlockedTimeSec?: number;
  readonly maxHoldUnlockedTimeSec?: number;
  /** dBm. */
  readonly minRSSIThreshold?: number;
}

/** How a hand wave unlocks the door. */
export interface WaveToUnlockSettings {
  readonly enabled?: boolean;
  readonly awaitAuthDurationMs?: number;
  /** dBm. */
  readonly minRSSIThreshold?: number;
  readonly showAwaitIntentFeedback?: boolean;
  readonly treatNfcAsIntent?: boolean;
}

/** The settings. The names and units are the specification's. */
export interface DoorSettings {
  readonly name?: string;
  readonly policyUuid?: Ruuid;
  readonly defaultState?: AccessState;
  /** The schedule during which the door is in a state, by state. */
  readonly doorStateToScheduleUuidMap?: Readonly<Record<string, Ruuid>>;
  readonly ajarTimeSec?: number;
  readonly forcedOpenEnabled?: boolean;
  readonly forcedOpenTimeSec?: number;
  readonly unlockTimeSec?: number;
  readonly unlockTimeSecRex?: number;
  readonly relockAfterOpenTimeMs?: number;
  readonly remoteUnlockEnabled?: boolean;
  readonly floorNumber?: number;
  readonly directionRadians?: number;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly geofenceEnabled?: boolean;
  /** Meters. */
  readonly geofenceRadius?: number;
  /** With their facets. */
  readonly associatedCameras?: readonly string[];
  readonly associatedFaceDetectionCameras?: readonly string[];
  readonly dpiComponents?: readonly ComponentReference[];
  readonly readerComponents?: readonly ComponentReference[];
  readonly relayComponents?: readonly ComponentReference[];
  readonly rexComponents?: readonly ComponentReference[];
  readonly forceAllReadersFirstInAuthRequiredLedFeedbackEnabled?: boolean;
  readonly forceAllReadersFirstInUnlockPendingLedFeedbackEnabled?: boolean;
  readonly forceAllReadersOtherReaderUnlockAudioFeedbackEnabled?: boolean;
  readonly forceAllReadersRemoteUnlockAudioFeedbackEnabled?: boolean;
  readonly proximityUnlockSettings?: ProximityUnlockSettings;
  readonly waveToUnlockSettings?: WaveToUnlockSettings;
  /** Its sublocation. */
  readonly subLocationsHierarchyKey?: string;
}

/** Facts that only the door's owner device knows. */
export interface DoorReport {
  readonly subType?: 'NATIVE' | 'LOCK_VENDOR';
  readonly lockVendorDoorId?: string;
  readonly lockVendorDoorExtensionComponent?: ComponentReference;
  readonly lockVendorGatewayComponent?: ComponentReference;
  readonly nfcSecureDowngradeEnabled?: boolean;
  readonly privacyModeSupportEnabled?: boolean;
  readonly sendExpiredIntentEvents?: boolean;
  readonly defaultAccessStateOriginator?: Originator;
  readonly defaultAccessStateRequestedAtMillis?: number;
  readonly doorAuthFirstInStateOverride?: FirstInState;
  readonly doorScheduleFirstInStateOverride?: FirstInState;
  readonly doorStateOverride?: AccessStateOverride;
}

const REPORTED: Readonly<Record<keyof DoorReport, true>> = {
  subType: true,
  lockVendorDoorId: true,
  lockVendorDoorExtensionComponent: true,
  lockVendorGatewayComponent: true,
  nfcSecureDowngradeEnabled: true,
  privacyModeSupportEnabled: true,
  sendExpiredIntentEvents: true,
  defaultAccessStateOriginator: true,
  defaultAccessStateRequestedAtMillis: true,
  doorAuthFirstInStateOverride: true,
  doorScheduleFirstInStateOverride: true,
  doorStateOverride: true,
};

/** The reported facts about a door besides its settings. */
export function reportOfDoor(given: DoorReport): DoorReport {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => name in REPORTED && value !== undefined),
  );
}

/** The name is the resource's, the owner device its parent. */
export interface DoorBody extends Omit<DoorSettings, 'name'>, DoorReport {
  readonly locationUuid: Ruuid | null;
}

export const DOORS: ResourceKind<DoorBody> = resourceKind('door');
export type Door = Resource<DoorBody>;
