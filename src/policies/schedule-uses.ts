/** Where a schedule is used: what needs it, and what lists of schedules show. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { CAMERA_CONFIGS, RECORDING_FIELDS } from '../devices/camera-config.ts';
import { ACCESS_REVOCATIONS, type AccessRevocation } from '../platform/access-control/credential.ts';
import { DOORS, type Door } from '../platform/access-control/door.ts';
import { LANDINGS, type Landing } from '../platform/access-control/landing.ts';
import { LOCKDOWN_RULES, type LockdownRule } from '../platform/access-control/lockdown/lockdown-rule.ts';
import { CLIMATE_POLICIES, type ClimatePolicy, isUsing } from '../platform/policies/climate-policies.ts';
import { SHARING_ERRORS } from '../sharing/errors.ts';
import type { ScheduleService } from '../sharing/schedule-service.ts';
import type { Share, WallShare, WeeklySchedule } from '../store/entities.ts';
import type { Store } from '../store/store.ts';

export interface ScheduleUses {
  readonly shares: readonly Share[];
  readonly wallShares: readonly WallShare[];
  readonly doors: readonly Door[];
  readonly landings: readonly Landing[];
  readonly rules: readonly LockdownRule[];
  readonly revocations: readonly AccessRevocation[];
  readonly policies: readonly ClimatePolicy[];
  /** Cameras that are off, or recorded, during it. The schedules of the configuration file are not known here. */
  readonly cameraUuids: readonly Ruuid[];
}

export const SCHEDULE_USER_KINDS = [
  'SHARED_STREAM',
  'SHARED_VIDEO_WALL',
  'DOOR',
  'ELEVATOR_LANDING',
  'LOCKDOWN_RULE',
  'ACCESS_REVOCATION',
  'CLIMATE_POLICY',
  'CAMERA_CONFIG',
] as const;

/** One thing that uses a schedule, as a list for people shows it. */
export interface ScheduleUser {
  readonly kind: (typeof SCHEDULE_USER_KINDS)[number];
  readonly uuid: Ruuid;
  /** '' if it has none. */
  readonly name: string;
  /** It is hidden during the schedule. */
  readonly isInverted: boolean;
}

/** How many users a refusal names. */
const MAX_NAMED = 10;

export interface UsedSchedulesOptions {
  readonly store: Pick<Store, 'shares' | 'wallShares' | 'videoWalls' | 'resources' | 'cameras'>;
  readonly schedules: Pick<ScheduleService, 'find' | 'findWeekly' | 'remove'>;
}

/** Schedules and their users. */
export class UsedSchedules {
  readonly #options: UsedSchedulesOptions;

  constructor(options: UsedSchedulesOptions) {
    this.#options = options;
  }

  /** A weekly schedule with its uses and the locations where it is used. Fails SCHEDULE_NOT_FOUND. */
  async findWeekly(
    orgUuid: Ruuid,
    uuid: Ruuid,
  ): Promise<{
    readonly schedule: WeeklySchedule;
    readonly uses: ScheduleUses;
    readonly locationUuids: readonly Ruuid[];
  }> {
    const { store, schedules } = this.#options;
    const schedule = await schedules.findWeekly(orgUuid, uuid);
    const uses = await scheduleUses(store, orgUuid, uuid);
    return { schedule, uses, locationUuids: await locationsUsedIn(store, orgUuid, uses) };
  }

  /** The users of a schedule of any kind. Fails SCHEDULE_NOT_FOUND. */
  async listUsers(orgUuid: Ruuid, uuid: Ruuid): Promise<readonly ScheduleUser[]> {
    const { store, schedules } = this.#options;
    await schedules.find(orgUuid, uuid);
    const uses = await scheduleUses(store, orgUuid, uuid);
    const walls = new Map((await store.videoWalls.list(orgUuid)).map((wall) => [wall.uuid, wall.name]));
    const cameras = new Map(
      uses.cameraUuids.length === 0
        ? []
        : (await store.cameras.listRecords(orgUuid)).map((camera) => [camera.uuid, camera.name]),
    );
    const named = (kind: ScheduleUser['kind'], { uuid: user, name }: { uuid: Ruuid; name: string }) => ({
      kind,
      uuid: user,
      name,
      isInverted: false,
    });
    return [
      ...uses.shares.map((share) => ({
        ...named('SHARED_STREAM', share),
        isInverted: share.invertSchedule,
      })),
      ...uses.wallShares.map((share) => ({
        ...named('SHARED_VIDEO_WALL', { uuid: share.uuid, name: walls.get(share.wallUuid) ?? '' }),
        isInverted: share.scheduleUuid === uuid && share.invertSchedule,
      })),
      ...uses.doors.map((door) => named('DOOR', door)),
      ...uses.landings.map((landing) => named('ELEVATOR_LANDING', landing)),
      ...uses.rules.map((rule) => named('LOCKDOWN_RULE', rule)),
      ...uses.revocations.map((revocation) => named('ACCESS_REVOCATION', revocation)),
      ...uses.policies.map(({ name, body }) => named('CLIMATE_POLICY', { uuid: body.policyUuid, name })),
      ...uses.cameraUuids.map((camera) =>
        named('CAMERA_CONFIG', { uuid: camera, name: cameras.get(camera) ?? '' }),
      ),
    ];
  }

  /** Removes a schedule of any kind. Fails SCHEDULE_NOT_FOUND, and SCHEDULE_IN_USE with a sentence that names the users. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const { store, schedules } = this.#options;
    refuseUsed(uuid, await scheduleUses(store, orgUuid, uuid));
    await schedules.remove(orgUuid, uuid);
  }
}

async function scheduleUses(
  store: Pick<Store, 'shares' | 'wallShares' | 'resources'>,
  orgUuid: Ruuid,
  uuid: Ruuid,
): Promise<ScheduleUses> {
  const { resources } = store;
  const isIn = (map: Readonly<Record<string, Ruuid>> = {}) => Object.values(map).includes(uuid);
  const [shares, wallShares, doors, landings, rules, revocations, policies, cameraConfigs] =
    await Promise.all([
      store.shares.listBySchedule(orgUuid, uuid),
      store.wallShares.list(orgUuid),
      resources.of(DOORS).list(orgUuid),
      resources.of(LANDINGS).list(orgUuid),
      resources.of(LOCKDOWN_RULES).list(orgUuid),
      resources.of(ACCESS_REVOCATIONS).list(orgUuid),
      resources.of(CLIMATE_POLICIES).list(orgUuid),
      resources.of(CAMERA_CONFIGS).list(orgUuid),
    ]);
  return {
    shares,
    wallShares: wallShares.filter(
      ({ scheduleUuid, deviceSchedules }) =>
        scheduleUuid === uuid || Object.values(deviceSchedules).some((own) => own.scheduleUuid === uuid),
    ),
    doors: doors.filter(({ body }) => isIn(body.doorStateToScheduleUuidMap)),
    landings: landings.filter(({ body }) => isIn(body.accessStateToScheduleUuidMap)),
    rules: rules.filter(({ body }) => body.scheduleUuids.includes(uuid)),
    revocations: revocations.filter(({ body }) => body.scheduleUuid === uuid),
    policies: policies.filter((policy) => isUsing(policy, uuid)),
    cameraUuids: cameraConfigs
      .filter(({ body }) => body.disabled_schedule_uuid === uuid || body[RECORDING_FIELDS.schedule] === uuid)
      .map(({ parentUuid }) => parentUuid)
      .filter((camera) => camera !== null),
  };
}

/** The locations of cameras, doors, landings, rules and revocations that use a schedule. */
async function locationsUsedIn(
  store: Pick<Store, 'cameras'>,
  orgUuid: Ruuid,
  uses: ScheduleUses,
): Promise<Ruuid[]> {
  const locations = new Set<Ruuid | null>();
  for (const cameraUuid of new Set([...uses.shares.map((share) => share.cameraUuid), ...uses.cameraUuids])) {
    locations.add((await store.cameras.find(orgUuid, cameraUuid))?.locationUuid ?? null);
  }
  for (const { body } of uses.doors) locations.add(body.locationUuid);
  for (const { parentUuid } of [...uses.landings, ...uses.rules, ...uses.revocations]) {
    locations.add(parentUuid);
  }
  return [...locations].filter((location) => location !== null);
}

/** Fails SCHEDULE_IN_USE with a sentence that names users other than shares; the store takes care of shares. */
function refuseUsed(uuid: Ruuid, uses: ScheduleUses): void {
  const { wallShares, doors, landings, rules, revocations, policies, cameraUuids } = uses;
  const users = [
    ...wallShares.map((share) => `a share of video wall ${share.wallUuid} (${share.uuid})`),
    ...doors.map(({ name, uuid: door }) => `door ${name} (${door})`),
    ...landings.map(({ name, uuid: landing }) => `elevator landing ${name} (${landing})`),
    ...rules.map(({ name, uuid: rule }) => `lockdown rule ${name} (${rule})`),
    ...revocations.map(({ name, uuid: revocation }) => `access revocation ${name} (${revocation})`),
    ...policies.map(({ name, body }) => `climate policy ${name} (${body.policyUuid})`),
    ...cameraUuids.map((camera) => `the configuration of camera ${camera}`),
  ];
  if (users.length === 0) return;
  const more = users.length > MAX_NAMED ? ` and ${users.length - MAX_NAMED} more` : '';
  throw new GatewayError(SHARING_ERRORS.SCHEDULE_IN_USE, {
    schedule: uuid,
    sentence: `The schedule is used by ${users.slice(0, MAX_NAMED).join(', ')}${more}.`,
  });
}
