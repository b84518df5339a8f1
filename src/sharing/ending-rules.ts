/** The rules of one process, with its ends of access: an end without the store is kept, and stored later. */

import type { AuditPrincipal } from '../store/audit.ts';
import type { AccessRules } from './access-rules.ts';
import type { ShareDirectory } from './share-directory.ts';
import type { UnstoredEnds } from './unstored-ends.ts';

export function endingRules(
  directory: ShareDirectory,
  ends: Pick<UnstoredEnds, 'endAccess' | 'storeEnds'>,
  actingPrincipal: () => AuditPrincipal,
): AccessRules {
  return {
    applied: (change) => directory.applied(change),
    storeEnds: (uuid) => ends.storeEnds(uuid),
    endAccess: (orgUuid, request) => ends.endAccess(orgUuid, request, actingPrincipal()),
  };
}
