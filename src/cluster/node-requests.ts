/** A question to all other live nodes, with a limit: what does not answer in time is named. */

import type { Clock } from '../core/clock.ts';
import type { NodeRun } from '../store/cluster-lease.ts';
import type { LinkResponse, NodeLink } from './links/node-link.ts';
import { packed, unpacked } from './mirror/mirror-messages.ts';

/** A caller of the API waits for it. */
export const RESPONSE_MS = 1_000;

export interface NodeResponses<Result> {
  readonly responses: readonly Result[];
  /** IDs of nodes that did not answer, in order. */
  readonly silent: readonly string[];
}

export async function askNodes<Result>({
  nodes,
  linkTo,
  kind,
  body,
  clock,
}: {
  readonly nodes: readonly NodeRun[];
  readonly linkTo: (run: NodeRun) => Promise<NodeLink>;
  readonly kind: string;
  readonly body: unknown;
  readonly clock: Clock;
}): Promise<NodeResponses<Result>> {
  const responded = new Map<string, Result>();
  const requested = nodes.map(async (run) => {
    try {
      const link = await linkTo(run);
      const { bytes } = await link.request(kind, body, { timeoutMs: RESPONSE_MS });
      responded.set(run.nodeId, unpacked<Result>(bytes[0]));
    } catch {
      // It is named as silent. The links log their faults.
    }
  });
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(RESPONSE_MS, resolve);
  await Promise.race([Promise.all(requested), isLate]);
  timer.cancel();
  const silent = nodes.map(({ nodeId }) => nodeId).filter((nodeId) => !responded.has(nodeId));
  return { responses: [...responded.values()], silent: silent.toSorted() };
}

/** How a node answers. Attached, because an answer may be longer than a header. */
export function responseTo(response: unknown): LinkResponse {
  return { body: null, bytes: [packed(response)] };
}
