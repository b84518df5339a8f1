/** Two ends of one record that one node made become one, with the UUID of the first and the time of the second. Pure. */

import type { AccessEnd } from '../store/access-end.ts';

/** `earlier` itself if `later` adds nothing, as a second removal does. Both change the same record in the same way. */
export function joinedEnds(earlier: AccessEnd, later: AccessEnd): AccessEnd {
  const { endUuid } = earlier;
  if (earlier.kind === 'rules' && later.kind === 'rules') {
    return { ...earlier, ...later, endUuid, base: earlier.base };
  }
  if (earlier.kind === 'hours' && later.kind === 'hours') {
    return { ...later, endUuid, baseHash: earlier.baseHash };
  }
  if (earlier.kind === 'wall' && later.kind === 'wall') {
    return { ...later, endUuid, removed: [...new Set([...earlier.removed, ...later.removed])] };
  }
  if (earlier.kind === 'person' && later.kind === 'person' && later.isRemoved && !earlier.isRemoved) {
    return { ...later, endUuid };
  }
  return earlier;
}
