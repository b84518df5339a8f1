/** How a node leaves its cluster, so that no request fails on the way: docs/design/drain.md#stop. */

import { type Clock, pause } from '../core/clock.ts';
import type { Cluster } from './cluster.ts';

/** How long everything, until listeners close, may take at a stop: the rest of the shutdown time is for requests in transit. */
export const STOP_DRAIN_MS = 6_500;
/** How long /readyz fails at least before connections end: a load balancer that asks every second has noticed. */
export const NOTICE_MS = 3_000;
/** How long connections end with their next response, before those that had none are closed. */
export const LEAVE_MS = 1_000;
/** Nodes that stop together have no other node to wait for. */
const LOOK_MS = 250;

export interface LeavingNode {
  readonly cluster: Pick<Cluster, 'drain' | 'hasHeirs'>;
  readonly clock: Clock;
  /** Connections of all listeners end with their next response. */
  leaveConnections(): void;
}

/** Resolves when its listeners can close. */
export async function leaveCluster({ cluster, clock, leaveConnections }: LeavingNode): Promise<void> {
  const sinceMonoMs = clock.monoMs();
  const wait = (ms: number): Promise<void> => pause(clock, ms);
  const drained = cluster.drain(STOP_DRAIN_MS);
  const noticed = async (): Promise<void> => {
    await drained;
    while (cluster.hasHeirs && clock.monoMs() - sinceMonoMs < NOTICE_MS) await wait(LOOK_MS);
  };
  await Promise.race([noticed(), wait(STOP_DRAIN_MS - LEAVE_MS)]);
  if (cluster.hasHeirs) {
    leaveConnections();
    await wait(LEAVE_MS);
  }
  await drained;
}
