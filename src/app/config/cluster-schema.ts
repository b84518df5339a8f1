/** The keys of a cluster: a part of schema.ts. */

import { group, optional } from './schema-nodes.ts';
import * as types from './value-types.ts';

export const CLUSTER = group(
  'Several gateways as one. With cluster.secret, this gateway is a node of a cluster. All nodes share redis, database (PostgreSQL), the secret key and this file, except cluster.nodeId and the listeners. Changes need a restart.',
  {
    secret: optional(
      types.clusterSecret,
      'no cluster: one gateway alone',
      'What nodes prove to each other on their internal links. The same on all nodes.',
      'a-random-secret-of-at-least-32-characters',
    ),
    name: optional(
      types.clusterName,
      'sluice',
      'Tells clusters apart that share a Redis. The same on all nodes; part of the names of Redis keys.',
      'sluice',
    ),
    nodeId: optional(
      types.clusterName,
      'the host name, with - for every other character',
      'Tells the nodes apart: each has its own.',
      'node-1',
    ),
    internal: group('How nodes reach each other.', {
      listen: optional(
        types.listenAddress,
        '127.0.0.1:7700',
        'Where this node accepts connections of other nodes.',
        '10.0.0.11:7700',
      ),
      address: optional(
        types.peerAddress,
        'the address of cluster.internal.listen',
        'Where other nodes reach this node.',
        'node-1.internal:7700',
      ),
    }),
  },
);
