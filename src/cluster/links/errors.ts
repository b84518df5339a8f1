/** Error codes of links between the nodes of a cluster. Both nodes of a link name the same code for its end. */

import { defineErrors } from '../../core/errors.ts';

export const LINK_ERRORS = defineErrors({
  LINK_LISTEN_FAILED: {
    kind: 'unavailable',
    message: 'The cluster port cannot be opened. Check the address and that no other program uses the port.',
  },
  LINK_UNREACHABLE: {
    kind: 'unavailable',
    message:
      'The other node cannot be reached at its cluster address. Check that it runs and that the network lets nodes connect.',
  },
  LINK_NOT_AUTHENTICATED: {
    kind: 'unauthenticated',
    message:
      'A connection between nodes did not prove that it has the secret of the cluster. Check that all nodes have the same cluster.secret and that nothing else connects to the cluster port.',
  },
  LINK_OPEN_TIMEOUT: {
    kind: 'timeout',
    message: 'A connection between nodes was not authenticated in time.',
  },
  LINK_TOO_MANY_ARRIVALS: {
    kind: 'limit',
    message:
      'Too many connections to the cluster port had not authenticated yet. The one that had waited longest made room.',
  },
  LINK_OTHER_VERSION: {
    kind: 'conflict',
    message:
      'The two nodes speak different versions of the protocol between nodes. Run the same version of Sluice on all nodes.',
  },
  LINK_OTHER_CLUSTER: {
    kind: 'conflict',
    message: 'The two nodes belong to clusters with different names. Check cluster.name on both nodes.',
  },
  LINK_TO_ITSELF: {
    kind: 'conflict',
    message: 'The node connected to itself. Check the cluster address of the other node.',
  },
  LINK_SAME_NODE_ID: {
    kind: 'conflict',
    message: 'Two nodes have the same nodeId. Give each node its own cluster.nodeId.',
  },
  LINK_OTHER_NODE: {
    kind: 'conflict',
    message: 'Another node than expected answers at this address. Check the cluster addresses of the nodes.',
  },
  LINK_OTHER_RUN: {
    kind: 'conflict',
    message: 'The other node was restarted: what was known of it no longer holds.',
  },
  LINK_FRAME_MALFORMED: {
    kind: 'peer-protocol',
    message: 'A frame on a link between nodes is malformed.',
  },
  LINK_FRAME_LIMIT: {
    kind: 'limit',
    message: 'A frame on a link between nodes is larger than allowed.',
  },
  LINK_BACKLOG: {
    kind: 'limit',
    message: 'The other node does not read as fast as this one writes; the link was ended.',
  },
  LINK_SILENT: {
    kind: 'timeout',
    message: 'Nothing arrived on a link between nodes for too long; the link was ended.',
  },
  LINK_BROKEN: {
    kind: 'unavailable',
    message: 'The connection between two nodes broke.',
  },
  LINK_CLOSED: {
    kind: 'unavailable',
    message: 'The link between two nodes was closed.',
  },
  LINK_IDLE: {
    kind: 'unavailable',
    message: 'The link between two nodes was closed because nothing used it.',
  },
  LINK_REPLACED: {
    kind: 'unavailable',
    message: 'The link between two nodes was closed because a newer one took its place.',
  },
  LINK_PAUSED: {
    kind: 'unavailable',
    message: 'The last attempt to open a link to this node failed; the next one is made later.',
  },
  LINK_UNKNOWN_KIND: {
    kind: 'peer-protocol',
    message: 'The other node does not know this kind of request.',
  },
  LINK_REQUEST_TIMEOUT: {
    kind: 'timeout',
    message: 'The other node did not answer a request in time.',
  },
  LINK_TOO_MANY_REQUESTS: {
    kind: 'limit',
    message: 'Too many requests between two nodes are in progress.',
  },
});
