/** Leases and nodes as the cameras of this node need them. */

import type { ClusterNode } from '../cluster/cluster-node.ts';
import type { NodeLinks } from '../cluster/links/node-links.ts';
import type { CameraPlaces } from '../cluster/mirror/cluster-camera.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { placeOf } from './node-place.ts';

export function cameraPlaces(
  { ownership, leases, registry, run: self }: ClusterNode,
  links: Pick<NodeLinks, 'linkTo'>,
  isDraining: () => boolean,
): CameraPlaces {
  return {
    ownerOf: async (cameraUuid) => {
      const owner = await ownership.ownerOf(cameraUuid);
      return owner === null ? null : placeOf(owner, owner.isSelf);
    },
    acquire: async (cameraUuid) => (isDraining() ? { kind: 'unavailable' } : ownership.claim(cameraUuid)),
    release: (cameraUuid) => leases.release(cameraUuid),
    isHeld: (cameraUuid) => leases.isHeld(cameraUuid),
    ranked: (cameraUuid) =>
      ownership.ranking(cameraUuid).flatMap((run) => {
        const node = registry.find(run);
        return node === null ? [] : [placeOf(node, node.runId === self.runId)];
      }),
    suspect: (runId) => ownership.suspect(runId as Ruuid),
    linkTo: (target) => links.linkTo(target),
  };
}
