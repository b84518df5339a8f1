/** Doors, elevator landings, lockdown rules and revocations, as the devices and integrations reported them. */

import { call } from './api.ts';
import { takeTurn } from './few-at-once.ts';

export interface Door {
  readonly uuid: string;
  readonly name?: string;
  readonly locationUuid?: string;
  readonly defaultState?: AccessState;
  readonly doorStateOverride?: {
    readonly type?: string;
    readonly state?: AccessState;
    readonly expiresAtMillis?: number;
  };
  readonly unlockTimeSec?: number;
  readonly remoteUnlockEnabled?: boolean;
  readonly updatedAtMillis: number;
}

export type AccessState = 'UNLOCKED' | 'ACCESS_CONTROLLED';

export interface DoorEvent {
  readonly uuid: string;
  readonly type: string;
  readonly timestampMs: number;
}

export interface Landing {
  readonly uuid: string;
  readonly name?: string;
  readonly locationUuid?: string;
  readonly floorNumber?: number;
  /** As last reported; absent: not yet. */
  readonly state?: AccessState;
  readonly labels: readonly string[];
}

export interface LockdownRule {
  readonly ruleUuid: string;
  readonly locationUuid?: string;
  readonly ruleName: string;
  readonly triggerActivity?: string;
  readonly action: Readonly<Record<string, unknown>>;
  readonly lastRunAtMillis?: number;
}

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

export interface Revocation {
  readonly uuid: string;
  readonly name: string;
  readonly locationUuid?: string;
  readonly groupUuids?: readonly string[];
  readonly userUuids?: readonly string[];
  readonly accessControlledDoorUuids?: readonly string[];
  readonly updatedAtMillis: number;
}

const PAGE_SIZE = 1_000;
/** 10,000 doors or landings: more than one looks at. */
const MAX_PAGES = 10;
/** Each location is a call of its own. */
export const MAX_LOCATIONS_AT_ONCE = 40;

const STATE_NAMES: Readonly<Record<AccessState, string>> = {
  UNLOCKED: 'Unlocked',
  ACCESS_CONTROLLED: 'Needs a credential',
};

/** Fails with a CallError. */
export async function readDoors(signal?: AbortSignal): Promise<readonly Door[]> {
  return readPages<Door>('component/findAccessControlledDoors', 'accessControlledDoors', {}, signal);
}

/** What administrators can change about a door; the rest is the device's. */
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
    call<{ componentEvents: readonly DoorEvent[] }>(
      'component/findComponentEventsByAccessControlledDoor',
      { accessControlledDoorUuid: doorUuid, limit },
      signal,
    ),
  );
  return componentEvents;
}

/** Of these locations, with their states and labels. Fails with a CallError. */
export async function readLandings(
  locationUuids: readonly string[],
  signal: AbortSignal,
): Promise<readonly Landing[]> {
  if (locationUuids.length === 0) return [];
  interface Shadow {
    readonly componentCompositeUuid: string;
    readonly state?: { readonly state?: AccessState };
  }
  const [perLocation, shadows, { accessControlledElevatorLandingLabels: labels }] = await Promise.all([
    eachLocation(locationUuids, signal, (locationUuid) =>
      readPages<Omit<Landing, 'labels' | 'state'>>(
        'component/elevator/findAccessControlledElevatorLandingsByLocation',
        'accessControlledElevatorLandings',
        { locationUuid },
        signal,
      ),
    ),
    readPages<Shadow>('component/elevator/findAccessControlledElevatorLandingShadows', 'shadows', {}, signal),
    call<{ accessControlledElevatorLandingLabels: Readonly<Record<string, readonly string[]>> }>(
      'component/elevator/getAccessControlledElevatorLandingLabelsForOrg',
      {},
      signal,
    ),
  ]);
  const states = new Map(shadows.map(({ componentCompositeUuid, state }) => [componentCompositeUuid, state]));
  return perLocation.map((landing) => {
    const state = states.get(landing.uuid)?.state;
    return { ...landing, ...(state === undefined ? {} : { state }), labels: labels[landing.uuid] ?? [] };
  });
}

/** Of these locations. Fails with a CallError. */
export async function readLockdownRules(
  locationUuids: readonly string[],
  signal: AbortSignal,
): Promise<readonly LockdownRule[]> {
  return eachLocation(locationUuids, signal, async (locationUuid) => {
    const { rules } = await call<{ rules: readonly LockdownRule[] }>(
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
      ...{ locationUuid, ruleName },
      ...(triggerActivity === '' ? {} : { triggerActivity }),
      action: {
        ...(raisesAlert ? { alertAction: true } : {}),
        ...(webhookUrl === '' ? {} : { webhookActions: [{ webhookUrl }] }),
        ...(doorUuids.length === 0
          ? {}
          : {
              changeComponentCompositeAccessStateActions: doorUuids.map((componentCompositeUuid) => ({
                ...{ componentCompositeUuid, accessState: doorState },
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
  const { accessRevocations } = await call<{ accessRevocations: readonly Revocation[] }>(
    'accesscontrol/findLocationAccessRevocationsByOrg',
    {},
    signal,
  );
  return accessRevocations;
}

/** The state that a door is meant to have now: an override in effect, or its default. Null: unknown. */
export function doorState(
  { defaultState, doorStateOverride: override }: Door,
  nowEpochMs: number,
): { readonly text: string; readonly isOverride: boolean } | null {
  const isInEffect =
    override?.state !== undefined &&
    override.type !== 'CANCELLED_DOOR_STATE_OVERRIDE' &&
    (override.expiresAtMillis ?? Number.POSITIVE_INFINITY) > nowEpochMs;
  if (isInEffect) return { text: accessStateText(override.state!), isOverride: true };
  return defaultState === undefined ? null : { text: accessStateText(defaultState), isOverride: false };
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

/** What a rule does, in words. */
export function actionTexts({ action }: LockdownRule): string[] {
  const countOf = (name: string) => {
    const list = action[name];
    return Array.isArray(list) ? list.length : 0;
  };
  const doors = countOf('changeComponentCompositeAccessStateActions');
  const webhooks = countOf('webhookActions');
  const known = new Set(['alertAction', 'webhookActions', 'changeComponentCompositeAccessStateActions']);
  const others = Object.keys(action).filter((name) => !known.has(name)).length;
  return [
    ...(action.alertAction === true ? ['raises an alert'] : []),
    ...(doors === 0 ? [] : [doors === 1 ? 'sets 1 door' : `sets ${doors} doors`]),
    ...(webhooks === 0 ? [] : [webhooks === 1 ? 'calls 1 webhook' : `calls ${webhooks} webhooks`]),
    ...(others === 0 ? [] : ['stores actions for other programs']),
  ];
}

async function readPages<Item>(
  path: string,
  list: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  let key: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await call<Record<string, unknown> & { readonly lastEvaluatedKey?: string }>(
      path,
      { ...body, maxPageSize: PAGE_SIZE, ...(key === undefined ? {} : { lastEvaluatedKey: key }) },
      signal,
    );
    all.push(...(answer[list] as readonly Item[]));
    key = answer.lastEvaluatedKey;
    if (key === undefined) break;
  }
  return all;
}

/** What each location has, in the order of the locations. */
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
