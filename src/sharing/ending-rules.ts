/** The rules of one process, with its ends of access: what is ended without the store is kept, and stored later. */

import type { AuditPrincipal } from '../store/audit.ts';
import type { AccessRules, ShareDirectory } from './share-directory.ts';
import type { UnstoredEnds } from './unstored-ends.ts';

export function endingRules(
  directory: ShareDirectory,
  ends: Pick<UnstoredEnds, 'endAccess' | 'storeEnds'>,
  actingPrincipal: () => AuditPrincipal,
): AccessRules {
  return {
    putShare: (share) => directory.putShare(share),
    removeShare: (uuid) => directory.removeShare(uuid),
    storeEnds: (uuid) => ends.storeEnds(uuid),
    endAccess: (orgUuid, request) => ends.endAccess(orgUuid, request, actingPrincipal()),
    putSchedule: (schedule) => directory.putSchedule(schedule),
    removeSchedule: (uuid) => directory.removeSchedule(uuid),
    putWall: (wall) => directory.putWall(wall),
    removeWall: (uuid) => directory.removeWall(uuid),
    putWallShare: (share) => directory.putWallShare(share),
    removeWallShare: (uuid) => directory.removeWallShare(uuid),
    putGroup: (group) => directory.putGroup(group),
    removeGroup: (uuid) => directory.removeGroup(uuid),
  };
}
