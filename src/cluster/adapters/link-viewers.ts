/** Lists the viewers of a link on all nodes of the cluster, and ends one of their views. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { EndedViewer } from '../../sharing/ended-views.ts';
import type { FoundViewer, OtherNodes, ViewerOfLink } from '../../sharing/other-nodes.ts';
import type { LinkViewers, ShareViewers } from '../../sharing/share-viewers.ts';
import type { ViewerCalls } from '../../sharing/viewer-service.ts';
import { joinedViewers } from '../../sharing/viewers-of-nodes.ts';
import type { Cluster } from '../cluster.ts';

const LIST_VIEWERS = 'viewers.list';
const FIND_VIEWER = 'viewers.find';
const END_VIEWER = 'viewers.end';

interface ListedLink {
  readonly orgUuid: Ruuid;
  readonly linkUuid: Ruuid;
}

/** As ShareViewers.list; with a cluster, of all nodes. */
export function viewersOfCluster(
  cluster: Cluster | null,
  shareViewers: Pick<ShareViewers, 'list'>,
): ViewerCalls['listViewers'] {
  if (cluster === null) return async (orgUuid, linkUuid) => shareViewers.list(orgUuid, linkUuid);
  cluster.respond(LIST_VIEWERS, (body) => {
    const { orgUuid, linkUuid } = body as ListedLink;
    return shareViewers.list(orgUuid, linkUuid);
  });
  return async (orgUuid, linkUuid) => {
    const own = shareViewers.list(orgUuid, linkUuid);
    if (own === null) return null;
    const requested: ListedLink = { orgUuid, linkUuid };
    const { responses, silent } = await cluster.ask<LinkViewers | null>(LIST_VIEWERS, requested);
    // null: a link that was created a moment ago, and has no viewers there.
    return joinedViewers(
      own,
      responses.filter((response) => response !== null),
      silent,
    );
  };
}

/** As ShareViewers.end; with a cluster, at all nodes. */
export function viewerEnd(
  cluster: Cluster | null,
  shareViewers: Pick<ShareViewers, 'find' | 'end' | 'endHere'>,
  grantLifetimeMs: number,
): ViewerCalls['endViewer'] {
  const others = cluster === null ? undefined : otherNodes(cluster, shareViewers, grantLifetimeMs);
  return (orgUuid, linkUuid, viewerId, blockMs) =>
    shareViewers.end(orgUuid, linkUuid, viewerId, blockMs, others);
}

function otherNodes(
  cluster: Cluster,
  shareViewers: Pick<ShareViewers, 'find' | 'endHere'>,
  grantLifetimeMs: number,
): OtherNodes {
  cluster.respond(FIND_VIEWER, (body) => shareViewers.find(body as ViewerOfLink));
  cluster.respond(END_VIEWER, (body) => shareViewers.endHere(body as EndedViewer));
  return {
    grantLifetimeMs,
    find: (viewer) => cluster.ask<FoundViewer | null>(FIND_VIEWER, viewer),
    end: (view) => cluster.ask<readonly string[]>(END_VIEWER, view),
  };
}
