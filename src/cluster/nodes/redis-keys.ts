/**
 * The keys that a cluster stores in Redis. All keys carry the hash tag `{<cluster name>}`: in a Redis Cluster they share one
 * slot, so that a script works with several of them in one atomic step.
 *
 * - `sluice:{<name>}:lease:<camera>`   string: `<node ID> <run ID> <fence>`, fence 0 while the claim is under way; expires
 * - `sluice:{<name>}:node:<node ID>`   string: what the node says of itself, as JSON; expires
 * - `sluice:{<name>}:nodes`            set: IDs of nodes that may be alive
 * - `sluice:{<name>}:open`             string: the run ID of the server whose leases can be claimed. Another server may have lost data
 * - `sluice:{<name>}:opening`          string: who waits until every lease from before has ended; expires
 */

import type { Ruuid } from '../../core/ruuid.ts';

export class ClusterKeys {
  readonly open: string;
  readonly opening: string;
  readonly nodes: string;
  readonly #prefix: string;

  constructor(clusterName: string) {
    this.#prefix = `sluice:{${clusterName}}:`;
    this.open = `${this.#prefix}open`;
    this.opening = `${this.#prefix}opening`;
    this.nodes = `${this.#prefix}nodes`;
  }

  lease(cameraUuid: Ruuid): string {
    return `${this.#prefix}lease:${cameraUuid}`;
  }

  node(nodeId: string): string {
    return `${this.#prefix}node:${nodeId}`;
  }
}
