/**
 * Viewers as the organization is notified of them and counts them: at this gateway, or at all nodes of its cluster, which
 * exchange their viewers (docs/design/mirrors.md#viewers).
 */

import type { Ruuid } from '../../core/ruuid.ts';
import type { Counters } from '../../counters/counters.ts';
import type { ViewerChange } from '../../realtime/change-follower.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { ViewerObserver } from '../../sharing/viewer-sessions.ts';
import type { Cluster } from '../cluster.ts';
import type { ClusterViewers } from '../viewers/cluster-viewers.ts';

export type ViewerCounts = Pick<Counters, 'viewerSeen' | 'viewerLeft' | 'viewerCounts' | 'localViewerCount'>;

/** Without a cluster, `counters` itself. */
export function viewerCounts(cluster: Pick<Cluster, 'viewers'> | null, counters: Counters): ViewerCounts {
  if (cluster === null) return counters;
  const { viewers } = cluster;
  return {
    // Nodes hear from sessions who comes and who leaves.
    viewerSeen: () => undefined,
    viewerLeft: () => undefined,
    viewerCounts: async (audienceUuids) => audienceUuids.map((uuid) => viewers.count(uuid)),
    localViewerCount: (audienceUuid) => viewers.count(audienceUuid),
  };
}

/** `notify` is called for viewers of shares. `wallViewers`: of a wall's share, at this gateway. */
export function viewerObserver(
  cluster: Pick<Cluster, 'viewers'> | null,
  notify: (viewer: ViewerChange) => void,
  wallViewers: (wallShareUuid: Ruuid) => number,
): ViewerObserver {
  if (cluster === null) {
    const told = (type: ViewerChange['type'], session: ViewerSession, ofAudience: number): void => {
      const { orgUuid, deviceUuid: cameraUuid, wallShareUuid, grant } = session;
      const shareUuid = linkUuidOf(session);
      if (shareUuid === null) return;
      const viewers = wallShareUuid === null ? ofAudience : wallViewers(wallShareUuid);
      notify({ type, orgUuid, shareUuid, cameraUuid, viewerId: grant.viewerId, viewers });
    };
    return {
      viewerJoined: (session, viewers) => told('CREATE', session, viewers),
      viewerLeft: (session, viewers) => told('DELETE', session, viewers),
    };
  }
  const { viewers } = cluster;
  viewers.onChange(({ linkUuid: shareUuid, ...change }) => {
    if (shareUuid !== null) notify({ ...change, shareUuid });
  });
  return observerOf(viewers, linkUuidOf);
}

/** Viewers of groups of files are counted, but cause no notices. */
export function groupViewerObserver({ viewers }: Pick<Cluster, 'viewers'>): ViewerObserver {
  return observerOf(viewers, () => null);
}

function observerOf(viewers: ClusterViewers, linkOf: typeof linkUuidOf): ViewerObserver {
  return {
    viewerJoined: (session) => {
      const { audienceUuid, orgUuid, deviceUuid: cameraUuid, grant } = session;
      viewers.joined(audienceUuid, grant.viewerId, { orgUuid, cameraUuid, linkUuid: linkOf(session) });
    },
    viewerLeft: ({ audienceUuid, grant }) => viewers.left(audienceUuid, grant.viewerId),
  };
}

/** The link that the viewer opened; null: a device, without a link. */
function linkUuidOf({ shareUuid, wallShareUuid }: ViewerSession): Ruuid | null {
  return shareUuid === null ? null : (wallShareUuid ?? shareUuid);
}
