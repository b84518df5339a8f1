/** A question to all other live nodes, with a limit: what does not answer in time is named. */

import type { Clock } from '../core/clock.ts';
import type { NodeRun } from '../store/cluster-lease.ts';
import type { LinkAnswer, NodeLink } from './links/node-link.ts';
import { packed, unpacked } from './mirror/mirror-messages.ts';

/** A caller of the API waits for it. */
export const ANSWER_MS = 1_000;

export interface NodeAnswers<Answer> {
  readonly answers: readonly Answer[];
  /** IDs of nodes that did not answer, in order. */
  readonly silent: readonly string[];
}

export async function askNodes<Answer>({
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
}): Promise<NodeAnswers<Answer>> {
  const answered = new Map<string, Answer>();
  const requested = nodes.map(async (run) => {
    try {
      const link = await linkTo(run);
      const { bytes } = await link.request(kind, body, { timeoutMs: ANSWER_MS });
      answered.set(run.nodeId, unpacked<Answer>(bytes[0]));
    } catch {
      // It is named as silent. The links log what is wrong with them.
    }
  });
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(ANSWER_MS, resolve);
  await Promise.race([Promise.all(requested), isLate]);
  timer.cancel();
  const silent = nodes.map(({ nodeId }) => nodeId).filter((nodeId) => !answered.has(nodeId));
  return { answers: [...answered.values()], silent: silent.toSorted() };
}

/** How a node answers. Attached, because an answer may be longer than a header. */
export function answerTo(answer: unknown): LinkAnswer {
  return { body: null, bytes: [packed(answer)] };
}
