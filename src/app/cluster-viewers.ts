/** Who watches by a link on all nodes of the cluster. */

import type { Ruuid } from '../core/ruuid.ts';
import type { LinkViewers, ShareViewers } from '../sharing/share-viewers.ts';
import { joinedViewers } from '../sharing/viewers-of-nodes.ts';
import type { ClusterStage } from './cluster-stage.ts';

const LIST_VIEWERS = 'viewers.list';

interface ListedLink {
  readonly orgUuid: Ruuid;
  readonly linkUuid: Ruuid;
}

/** As ShareViewers.list; with a cluster, of all nodes. */
export function viewersOfCluster(
  cluster: ClusterStage | null,
  shareViewers: Pick<ShareViewers, 'list'>,
): (orgUuid: Ruuid, linkUuid: Ruuid) => Promise<LinkViewers | null> {
  if (cluster === null) return async (orgUuid, linkUuid) => shareViewers.list(orgUuid, linkUuid);
  cluster.answer(LIST_VIEWERS, (body) => {
    const { orgUuid, linkUuid } = body as ListedLink;
    return shareViewers.list(orgUuid, linkUuid);
  });
  return async (orgUuid, linkUuid) => {
    const own = shareViewers.list(orgUuid, linkUuid);
    if (own === null) return null;
    const asked: ListedLink = { orgUuid, linkUuid };
    const { answers, silent } = await cluster.ask<LinkViewers | null>(LIST_VIEWERS, asked);
    // null: a link that was created a moment ago, and has no viewers there.
    return joinedViewers(
      own,
      answers.filter((answer) => answer !== null),
      silent,
    );
  };
}
