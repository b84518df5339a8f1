/** Leases and nodes as the cameras of this node need them. */

import type { Ruuid } from '../core/ruuid.ts';
import type { NodeLinks } from './links/node-links.ts';
import type { CameraPlaces } from './mirror/cluster-camera.ts';
import { placeOf } from './mirror/node-place.ts';
import type { Acquisition } from './nodes/camera-leases.ts';
import type { ClusterNode } from './nodes/cluster-node.ts';

const UNAVAILABLE: Acquisition = { kind: 'unavailable' };

export function cameraPlaces(
  { ownership, leases, registry, run: self }: ClusterNode,
  links: Pick<NodeLinks, 'linkTo'>,
  isDraining: () => boolean,
): CameraPlaces {
  return {
    ownerOf: async (cameraUuid) => {
      const owner = await ownership.ownerOf(cameraUuid);
      return owner === null ? null : { ...placeOf(owner, owner.isSelf), silence: owner.silence };
    },
    acquire: async (cameraUuid) => {
      if (isDraining()) return UNAVAILABLE;
      const acquisition = await ownership.claim(cameraUuid);
      if (acquisition.kind !== 'acquired' || !isDraining()) return acquisition;
      // The drain has begun meanwhile, and knows nothing of this lease.
      await leases.release(cameraUuid);
      return UNAVAILABLE;
    },
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
