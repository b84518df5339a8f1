/** A node's knowledge of its cluster from the configuration. */

import type { HostPort } from '../../core/host-port.ts';
import type { Secret } from '../../core/secret.ts';

export interface ClusterSettings {
  /** Letters, digits, - and _. */
  readonly name: string;
  /** Letters, digits, - and _; no other node has it. */
  readonly nodeId: string;
  /** Port 0: any free one. */
  readonly listen: HostPort;
  /** Where other nodes reach this node; null: where it listens. */
  readonly address: HostPort | null;
  readonly secret: Secret;
}
