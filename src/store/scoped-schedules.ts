/**
 * Schedules as limited callers have them. A schedule belongs to no camera: those see it who see something that uses it, and everyone sees
 * one that nothing uses. It can be changed only if they see everything that uses it.
 */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { type ActingView, uuidsIn } from './acting-view.ts';
import type { Schedule, WallShare } from './entities.ts';
import { STORE_ERRORS } from './errors.ts';
import { type ResourceKindName, resourceKind } from './resource.ts';
import { changeOfSeen, decidingSeen, recordRules, type Sees, scopedRepository } from './scoped-repository.ts';
import { seesKind } from './scoped-resources.ts';
import type { ScheduleRepository, Store } from './store.ts';

/** Kinds whose bodies can name a schedule. */
const USING_KINDS = [
  'accessRevocation',
  'cameraConfig',
  'climatePolicy',
  'door',
  'elevatorLanding',
  'lockdownRule',
] as const satisfies readonly ResourceKindName[];

type UsesStore = Pick<Store, 'shares' | 'wallShares' | 'schedules' | 'resources'>;

/** The schedules that something seen, or something hidden, uses. */
interface Uses {
  readonly seen: ReadonlySet<string>;
  readonly hidden: ReadonlySet<string>;
}

export function scopedSchedules(store: UsesStore, seesWallShare: Sees<WallShare>): ScheduleRepository {
  const usesOf = (orgUuid: Ruuid, view: ActingView) => readUses(store, seesWallShare, orgUuid, view);
  const mayRead = async ({ orgUuid, uuid }: Schedule, view: ActingView) =>
    isReadable(await usesOf(orgUuid, view), uuid);
  const mayChange = async ({ orgUuid, uuid }: Schedule, view: ActingView) =>
    !(await usesOf(orgUuid, view)).hidden.has(uuid);
  return scopedRepository<ScheduleRepository>(store.schedules, {
    ...recordRules<Schedule>(mayRead),
    async list(view, real, orgUuid) {
      const uses = await usesOf(orgUuid, view);
      return (await real.list(orgUuid)).filter(({ uuid }) => isReadable(uses, uuid));
    },
    async change(view, real, orgUuid, uuid, decide, importance) {
      const expectOwn: Sees<Schedule> = async (schedule, of) => {
        if (!(await mayRead(schedule, of))) return false;
        if (await mayChange(schedule, of)) return true;
        throw new GatewayError(STORE_ERRORS.STORE_NOT_IN_VIEW);
      };
      const change = await real.change(orgUuid, uuid, decidingSeen(decide, view, expectOwn), importance);
      return changeOfSeen(change, view, mayRead);
    },
    save: 'refused',
    changeWithRoom: 'refused',
    remove: 'refused',
    async removeUnused(view, real, orgUuid, uuid) {
      const schedule = await real.find(orgUuid, uuid);
      if (schedule === null || !(await mayRead(schedule, view))) return { removed: false, usedBy: [] };
      if (!(await mayChange(schedule, view))) throw new GatewayError(STORE_ERRORS.STORE_NOT_IN_VIEW);
      return real.removeUnused(orgUuid, uuid);
    },
  });
}

function isReadable({ seen, hidden }: Uses, uuid: string): boolean {
  return seen.has(uuid) || !hidden.has(uuid);
}

async function readUses(
  { shares, wallShares, resources }: UsesStore,
  seesWallShare: Sees<WallShare>,
  orgUuid: Ruuid,
  view: ActingView,
): Promise<Uses> {
  const [seen, hidden] = [new Set<string>(), new Set<string>()];
  for (const { scheduleUuid, cameraUuid } of await shares.scheduled(orgUuid)) {
    (view.seesDevice(cameraUuid) ? seen : hidden).add(scheduleUuid);
  }
  for (const share of await wallShares.list(orgUuid)) {
    const uses = (await seesWallShare(share, view)) ? seen : hidden;
    for (const uuid of uuidsIn([share.scheduleUuid, share.deviceSchedules])) uses.add(uuid);
  }
  for (const kind of USING_KINDS) {
    const sees = seesKind(resources, kind);
    for (const resource of await resources.of(resourceKind<object>(kind)).list(orgUuid)) {
      const uses = (await sees(resource, view)) ? seen : hidden;
      for (const uuid of uuidsIn(resource.body)) uses.add(uuid);
    }
  }
  return { seen, hidden };
}
