/** Error codes of a cluster. */

import { defineErrors } from '../../core/errors.ts';

export const CLUSTER_ERRORS = defineErrors({
  CLUSTER_NODE_ID_TAKEN: {
    kind: 'conflict',
    message: 'Another process of the cluster runs with this cluster.nodeId. Give each node its own.',
  },
  CLUSTER_BAD_ADDRESS: {
    kind: 'peer-protocol',
    message: 'Another node of the cluster says that it listens at something that is no address.',
  },
  CLUSTER_NO_OTHER_NODE: {
    kind: 'conflict',
    message: 'No other node of the cluster could take over the cameras of this one. Start one first.',
  },
  CLUSTER_LEASE_LOST: {
    kind: 'conflict',
    message: 'This node does not own the camera: another node may have taken over.',
  },
});
