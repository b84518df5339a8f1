/** The viewers of one link on several nodes, as one list: a viewer may send requests to any of them. */

import { joined, type LinkViewer, type LinkViewers, MAX_LISTED_VIEWERS } from './share-viewers.ts';

/** `silentNodes`: nodes that did not answer. The blocked addresses are those that this node knows. */
export function joinedViewers(
  own: LinkViewers,
  others: readonly LinkViewers[],
  silentNodes: readonly string[],
): LinkViewers {
  const viewers = new Map<string, LinkViewer>();
  let total = 0;
  for (const of of [own, ...others]) {
    total += of.total;
    for (const viewer of of.viewers) {
      const known = viewers.get(viewer.viewerId);
      if (known !== undefined) total -= 1;
      viewers.set(viewer.viewerId, joined(known, viewer));
    }
  }
  const inOrder = [...viewers.values()].toSorted((one, other) => one.sinceEpochMs - other.sinceEpochMs);
  return { ...own, viewers: inOrder.slice(0, MAX_LISTED_VIEWERS), total, silentNodes };
}
