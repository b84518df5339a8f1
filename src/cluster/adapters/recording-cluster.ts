/** A cluster, as recording sees it: which nodes are gone, and which one does the work for all. */

import type { Clock } from '../../core/clock.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { GONE_AFTER_MS } from '../../recording/recording-keeper.ts';
import type { RecordingNodes } from '../../recording/recording-nodes.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';
import type { Store } from '../../store/store.ts';
import type { ClusterNode } from '../nodes/cluster-node.ts';

/** Not a camera: ranks the nodes for what one does for all. */
const CARETAKING = deriveRuuid('cluster', 'recording caretaker');

export class RecordingCluster implements RecordingNodes {
  readonly #node: Pick<ClusterNode, 'run' | 'registry' | 'ownership'>;
  readonly #store: Pick<Store, 'clusterLeases'>;
  readonly #clock: Clock;
  /** Runs that were looked for and not found, since when. */
  readonly #absentSince = new Map<Ruuid, number>();

  constructor(
    node: Pick<ClusterNode, 'run' | 'registry' | 'ownership'>,
    store: Pick<Store, 'clusterLeases'>,
    clock: Clock,
  ) {
    this.#node = node;
    this.#store = store;
    this.#clock = clock;
    node.registry.onChange(({ kind, node: { runId } }) => {
      if (kind === 'left') this.#absentSince.set(runId, clock.monoMs());
      else this.#absentSince.delete(runId);
    });
  }

  get run(): NodeRun {
    return this.#node.run;
  }

  isCaretaker(): boolean {
    return this.#node.ownership.ranking(CARETAKING)[0]?.runId === this.run.runId;
  }

  isAbsent({ runId }: NodeRun): boolean {
    return this.#absentSince.has(runId);
  }

  /** A node that Redis does not know may still rely on the store. */
  async isGone({ nodeId, runId }: NodeRun, cameraUuid: Ruuid): Promise<boolean> {
    const { registry } = this.#node;
    if (registry.find({ nodeId, runId }) !== null || !registry.isRegistered) {
      this.#absentSince.delete(runId);
      return false;
    }
    const nowMonoMs = this.#clock.monoMs();
    const sinceMonoMs = this.#absentSince.get(runId) ?? nowMonoMs;
    this.#absentSince.set(runId, sinceMonoMs);
    if (nowMonoMs - sinceMonoMs < GONE_AFTER_MS) return false;
    return (await this.#store.clusterLeases.relyingOwner(cameraUuid))?.runId !== runId;
  }
}
