/** The audit trail as limited callers have it: what concerns devices that they see, their links, and what belongs to them. */

import type { Ruuid } from '../core/ruuid.ts';
import type { ActingView } from './acting-view.ts';
import {
  type AuditEvent,
  type AuditRepository,
  type AuditTargets,
  SHARE_CREATING_ACTIONS,
  SHARE_VIEWING_ACTIONS,
} from './audit.ts';
import { resourceKind } from './resource.ts';
import { scopedRepository } from './scoped-repository.ts';
import { seesKind } from './scoped-resources.ts';
import type { Store } from './store.ts';

const MADE_OF_CAMERAS = [resourceKind<object>('savedClip'), resourceKind<object>('timelapse')];
/** Frequent actions whose target is a link. */
const OF_SHARES: ReadonlySet<string> = new Set([...SHARE_VIEWING_ACTIONS, ...SHARE_CREATING_ACTIONS]);
const GROUPS = [resourceKind<object>('sharedClipGroup'), resourceKind<object>('sharedTimelapseGroup')];
/** More are read at a time than wanted, because some may be left out. */
const MIN_PAGE = 100;

type TrailStore = Pick<Store, 'audit' | 'videoWalls' | 'wallShares' | 'resources'>;

export function scopedAudit(store: TrailStore): AuditRepository {
  return scopedRepository<AuditRepository>(store.audit, {
    add: 'open',
    repeat: 'open',
    async list(view, real, orgUuid, query) {
      const targets = await targetsOf(store, orgUuid, view);
      const limit = Math.max(query.limit, MIN_PAGE);
      const seen: AuditEvent[] = [];
      for (let { after } = query; ; ) {
        const page: AuditEvent[] = await real.list(orgUuid, {
          ...query,
          limit,
          targets,
          ...(after === undefined ? {} : { after }),
        });
        for (const event of page) if (await isSeen(store, event, view)) seen.push(event);
        if (page.length < limit || seen.length >= query.limit) return seen.slice(0, query.limit);
        after = page.at(-1)!;
      }
    },
    removeBefore: 'open',
    removeExcess: 'open',
    // Callers have found the targets before.
    lastFootageOf: 'open',
    lastNameOf: 'open',
    lastViewed: 'open',
    creatorsOf: 'open',
    creators: async (view, real, orgUuid) => real.creators(orgUuid, await targetsOf(store, orgUuid, view)),
    createdBy: 'open',
  });
}

/** A clip and a timelapse of several cameras have only one of them as their parent. */
async function isSeen(
  { resources }: TrailStore,
  { orgUuid, action, targetUuid }: AuditEvent,
  view: ActingView,
): Promise<boolean> {
  if (OF_SHARES.has(action) || view.seesDevice(targetUuid)) return true;
  for (const kind of MADE_OF_CAMERAS) {
    const made = await resources.of(kind).find(orgUuid, targetUuid);
    if (made !== null) return seesKind(resources, kind.name)(made, view);
  }
  return true;
}

async function targetsOf(store: TrailStore, orgUuid: Ruuid, view: ActingView): Promise<AuditTargets> {
  const { videoWalls, wallShares, resources } = store;
  const uuids: Ruuid[] = [];
  const walls = new Set<Ruuid>();
  for (const { uuid, cameras } of await videoWalls.list(orgUuid)) {
    if (cameras.length > 0 && cameras.every(({ cameraUuid }) => view.seesDevice(cameraUuid))) walls.add(uuid);
  }
  uuids.push(...walls);
  for (const { uuid, wallUuid } of await wallShares.list(orgUuid)) if (walls.has(wallUuid)) uuids.push(uuid);
  for (const kind of GROUPS) {
    const sees = seesKind(resources, kind.name);
    for (const group of await resources.of(kind).list(orgUuid)) {
      if (await sees(group, view)) uuids.push(group.uuid);
    }
  }
  return { deviceUuids: view.deviceUuids, uuids };
}
