/** Doors, elevator landings, lockdown rules and revocations, as the devices and integrations reported them. */

import { type Answer, call } from './api.ts';
import { readEveryPage } from './every-page.ts';
import { takeTurn } from './few-at-once.ts';
import { t } from './words.ts';

export type Door = Answer<'component/findAccessControlledDoors'>['accessControlledDoors'][number];

export type AccessState = NonNullable<Door['defaultState']>;

export type DoorEvent =
  Answer<'component/findComponentEventsByAccessControlledDoor'>['componentEvents'][number];

export type Landing =
  Answer<'component/elevator/findAccessControlledElevatorLandingsByLocation'>['accessControlledElevatorLandings'][number] & {
    /** As last reported; absent: not yet. */
    readonly state?: AccessState;
    readonly labels: readonly string[];
  };

export type LockdownRule = Answer<'accesscontrol/lockdownPlan/findLockdownRulesByLocation'>['rules'][number];

export interface NewLockdownRule {
  readonly locationUuid: string;
  readonly ruleName: string;
  /** Empty: any activity. */
  readonly triggerActivity: string;
  readonly raisesAlert: boolean;
  /** Empty: none. */
  readonly webhookUrl: string;
  /** Doors whose state it sets. */
  readonly doorUuids: readonly string[];
  readonly doorState: AccessState;
}

export type Revocation =
  Answer<'accesscontrol/findLocationAccessRevocationsByOrg'>['accessRevocations'][number];

const PAGE_SIZE = 1_000;
/** 10,000 doors or landings: more than one looks at. */
const MAX_PAGES = 10;
/** Each location is a call of its own. */
export const MAX_LOCATIONS_AT_ONCE = 40;

const STATE_NAMES: Readonly<Record<AccessState, string>> = {
  UNLOCKED: t('Unlocked'),
  ACCESS_CONTROLLED: t('Opens with a badge or code'),
};

/** Fails with a CallError. */
export async function readDoors(signal?: AbortSignal): Promise<readonly Door[]> {
  return readEveryPage(PAGE_SIZE, MAX_PAGES, async (page) => {
    const { accessControlledDoors, lastEvaluatedKey } = await call(
      'component/findAccessControlledDoors',
      page,
      signal,
    );
    return { items: accessControlledDoors, lastEvaluatedKey };
  });
}

/** Fields of a door that administrators can change; the device sets the others. */
export interface DoorChanges {
  readonly name: string;
  readonly unlockTimeSec?: number;
  readonly remoteUnlockEnabled: boolean;
  /** Absent: stays. */
  readonly defaultState?: AccessState;
}

/** Fails with a CallError. */
export async function updateDoor({ uuid }: Door, changes: DoorChanges): Promise<void> {
  await call('component/updateAccessControlledDoor', { accessControlledDoorUuid: uuid, ...changes });
}

/** The newest first. Fails with a CallError. */
export async function readDoorEvents(
  doorUuid: string,
  limit: number,
  signal: AbortSignal,
): Promise<readonly DoorEvent[]> {
  const { componentEvents } = await takeTurn(signal, () =>
    call(
      'component/findComponentEventsByAccessControlledDoor',
      { accessControlledDoorUuid: doorUuid, limit },
      signal,
    ),
  );
  return componentEvents;
}

/** Reads the landings of these locations, with their states and labels. Fails with a CallError. */
export async function readLandings(
  locationUuids: readonly string[],
  signal: AbortSignal,
): Promise<readonly Landing[]> {
  if (locationUuids.length === 0) return [];
  const [perLocation, shadows, { accessControlledElevatorLandingLabels: labels }] = await Promise.all([
    eachLocation(locationUuids, signal, (locationUuid) => readLandingsAt(locationUuid, signal)),
    readEveryPage(PAGE_SIZE, MAX_PAGES, async (page) => {
      const { shadows, lastEvaluatedKey } = await call(
        'component/elevator/findAccessControlledElevatorLandingShadows',
        page,
        signal,
      );
      return { items: shadows, lastEvaluatedKey };
    }),
    call('component/elevator/getAccessControlledElevatorLandingLabelsForOrg', {}, signal),
  ]);
  const states = new Map(shadows.map(({ componentCompositeUuid, state }) => [componentCompositeUuid, state]));
  return perLocation.map((landing) => {
    const state = states.get(landing.uuid)?.state;
    return { ...landing, ...(state === undefined ? {} : { state }), labels: labels[landing.uuid] ?? [] };
  });
}

function readLandingsAt(locationUuid: string, signal: AbortSignal) {
  return readEveryPage(PAGE_SIZE, MAX_PAGES, async (page) => {
    const { accessControlledElevatorLandings, lastEvaluatedKey } = await call(
      'component/elevator/findAccessControlledElevatorLandingsByLocation',
      { locationUuid, ...page },
      signal,
    );
    return { items: accessControlledElevatorLandings, lastEvaluatedKey };
  });
}

/** Reads the lockdown rules of these locations. Fails with a CallError. */
export async function readLockdownRules(
  locationUuids: readonly string[],
  signal: AbortSignal,
): Promise<readonly LockdownRule[]> {
  return eachLocation(locationUuids, signal, async (locationUuid) => {
    const { rules } = await call(
      'accesscontrol/lockdownPlan/findLockdownRulesByLocation',
      { locationUuid },
      signal,
    );
    return rules;
  });
}

/** Fails with a CallError. */
export async function createLockdownRule(rule: NewLockdownRule): Promise<void> {
  const { locationUuid, ruleName, triggerActivity, raisesAlert, webhookUrl, doorUuids, doorState } = rule;
  await call('accesscontrol/lockdownPlan/createLockdownRuleForLocation', {
    rule: {
      locationUuid,
      ruleName,
      ...(triggerActivity === '' ? {} : { triggerActivity }),
      action: {
        ...(raisesAlert ? { alertAction: true } : {}),
        ...(webhookUrl === '' ? {} : { webhookActions: [{ webhookUrl }] }),
        ...(doorUuids.length === 0
          ? {}
          : {
              changeComponentCompositeAccessStateActions: doorUuids.map((componentCompositeUuid) => ({
                componentCompositeUuid,
                accessState: doorState,
              })),
            }),
      },
    },
  });
}

/** Fails with a CallError. */
export async function deleteLockdownRule({ ruleUuid }: LockdownRule): Promise<void> {
  await call('accesscontrol/lockdownPlan/deleteLockdownRule', { ruleUuid });
}

/** Fails with a CallError. */
export async function readRevocations(signal?: AbortSignal): Promise<readonly Revocation[]> {
  const { accessRevocations } = await call('accesscontrol/findLocationAccessRevocationsByOrg', {}, signal);
  return accessRevocations;
}

/** The state that a door is meant to have now: an override in effect, or its default. Null: unknown. */
export function doorState(
  { defaultState, doorStateOverride: override }: Door,
  nowEpochMs: number,
): { readonly text: string; readonly isUnlocked: boolean; readonly isOverride: boolean } | null {
  const isInEffect =
    override?.state !== undefined &&
    override.type !== 'CANCELLED_DOOR_STATE_OVERRIDE' &&
    (override.expiresAtMillis ?? Number.POSITIVE_INFINITY) > nowEpochMs;
  const state = isInEffect ? override.state : defaultState;
  if (state === undefined) return null;
  return { text: accessStateText(state), isUnlocked: state === 'UNLOCKED', isOverride: isInEffect };
}

export function accessStateText(state: AccessState): string {
  return STATE_NAMES[state] ?? state;
}

/** `DoorReaderStateChangeEvent` → `Door reader state change`. */
export function eventText(type: string): string {
  const words = type
    .replace(/Event$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Describes in words what a rule does. */
export function actionTexts({ action }: LockdownRule): string[] {
  const doors = action.changeComponentCompositeAccessStateActions?.length ?? 0;
  const webhooks = action.webhookActions?.length ?? 0;
  const known = new Set(['alertAction', 'webhookActions', 'changeComponentCompositeAccessStateActions']);
  const others = Object.keys(action).filter((name) => !known.has(name)).length;
  return [
    ...(action.alertAction === true ? [t('raises an alert')] : []),
    ...(doors === 0 ? [] : [t('{count, plural, one {sets # door} other {sets # doors}}', { count: doors })]),
    ...(webhooks === 0
      ? []
      : [t('{count, plural, one {calls # webhook} other {calls # webhooks}}', { count: webhooks })]),
    ...(others === 0 ? [] : [t('stores actions for other programs')]),
  ];
}

/** Reads the items of each location, in the order of the locations. */
async function eachLocation<Item>(
  locationUuids: readonly string[],
  signal: AbortSignal,
  read: (locationUuid: string) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const perLocation = await Promise.all(
    locationUuids.slice(0, MAX_LOCATIONS_AT_ONCE).map((uuid) => takeTurn(signal, () => read(uuid))),
  );
  return perLocation.flat();
}
