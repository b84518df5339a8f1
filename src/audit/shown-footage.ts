/** What the target of an audit row shows, if it is a wall, a clip, or a link to one of them. */

import type { Ruuid } from '../core/ruuid.ts';
import { type AuditEvent, type AuditFootage, MAX_AUDIT_FOOTAGE } from '../store/audit.ts';
import { resourceKind } from '../store/resource.ts';
import type { ChangeEvent, EntityKind, Store } from '../store/store.ts';

interface ClipBody {
  readonly deviceUuids: readonly Ruuid[];
  readonly timestampMs: number;
  readonly durationSec: number | null;
}

const CLIPS = resourceKind<ClipBody>('savedClip');
const CLIP_LINKS = resourceKind<{ readonly itemUuids: readonly Ruuid[] }>('sharedClipGroup');

/** Changes of these, and views of links. */
const SHOWING: Partial<Readonly<Record<EntityKind, 'clip' | 'clip link' | 'wall link'>>> = {
  savedClip: 'clip',
  sharedClipGroup: 'clip link',
  wallShare: 'wall link',
};
const VIEWED: Readonly<Record<string, 'clip link' | 'wall link'>> = {
  VIEW_SHARE_CLIP: 'clip link',
  VIEW_SHARE_VIDEOWALL: 'wall link',
};

/** null: it shows nothing. `known`: of a row that is being written, of the same target. */
export async function shownFootage(
  store: Pick<Store, 'audit' | 'resources' | 'videoWalls' | 'wallShares'>,
  { orgUuid, targetUuid, action }: Omit<AuditEvent, 'targetName'>,
  change: ChangeEvent | null,
  known: readonly AuditFootage[] | undefined,
): Promise<readonly AuditFootage[] | null> {
  const what = change === null ? VIEWED[action] : SHOWING[change.entity];
  if (what === undefined) return null;
  const now =
    what === 'clip'
      ? await ofClips(store, orgUuid, [targetUuid])
      : what === 'clip link'
        ? await ofClipLink(store, orgUuid, targetUuid)
        : await ofWallLink(store, orgUuid, targetUuid);
  // Something that is gone showed what it showed before.
  const found = now ?? known ?? (await store.audit.lastFootageOf(orgUuid, targetUuid));
  return found === null || found.length > MAX_AUDIT_FOOTAGE ? null : found;
}

async function ofClips(
  { resources }: Pick<Store, 'resources'>,
  orgUuid: Ruuid,
  uuids: readonly Ruuid[],
): Promise<AuditFootage[] | null> {
  const footage: AuditFootage[] = [];
  for (const uuid of uuids.slice(0, MAX_AUDIT_FOOTAGE)) {
    const clip = await resources.of(CLIPS).find(orgUuid, uuid);
    if (clip === null) continue;
    const { deviceUuids, timestampMs: fromMs, durationSec } = clip.body;
    const time = { fromMs, toMs: fromMs + (durationSec ?? 0) * 1_000 };
    footage.push(...deviceUuids.map((deviceUuid) => ({ deviceUuid, time })));
  }
  return footage.length === 0 ? null : footage;
}

async function ofClipLink(
  store: Pick<Store, 'resources'>,
  orgUuid: Ruuid,
  uuid: Ruuid,
): Promise<AuditFootage[] | null> {
  const link = await store.resources.of(CLIP_LINKS).find(orgUuid, uuid);
  return link === null ? null : ofClips(store, orgUuid, link.body.itemUuids);
}

async function ofWallLink(
  { videoWalls, wallShares }: Pick<Store, 'videoWalls' | 'wallShares'>,
  orgUuid: Ruuid,
  uuid: Ruuid,
): Promise<AuditFootage[] | null> {
  const link = await wallShares.find(orgUuid, uuid);
  const wall = link === null ? null : await videoWalls.find(orgUuid, link.wallUuid);
  if (wall === null) return null;
  const cameras = new Set(wall.cameras.map(({ cameraUuid }) => cameraUuid));
  return [...cameras].map((deviceUuid) => ({ deviceUuid, time: null }));
}
