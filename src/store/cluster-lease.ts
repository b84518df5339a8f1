/**
 * The owner of each camera in a cluster, by fence: the side of src/cluster/nodes/camera-leases.ts that survives Redis. A fence
 * belongs to one run of one node and never comes again. A run that relies on the store keeps its cameras while Redis is
 * unavailable.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { StreamLedgerEntry } from './entities.ts';

/** One run of a node. Another one for each start of its process. */
export interface NodeRun {
  readonly nodeId: string;
  readonly runId: Ruuid;
}

/** One ownership of one camera. */
export interface FencedLease {
  readonly cameraUuid: Ruuid;
  readonly runId: Ruuid;
  /** Greater than every earlier one of the camera. */
  readonly fence: number;
}

/** A run that relies on the store; `beat` grows as long as it lives. */
export interface RelyingRun extends NodeRun {
  /** `host:port` of its internal listener. */
  readonly address: string;
  readonly beat: number;
  /** Its leases hold for so long after this beat. */
  readonly aliveMs: number;
}

export type LeaseClaim =
  | {
      readonly kind: 'claimed';
      readonly fence: number;
      /** The same run owned the camera last, and no other run since. */
      readonly isContinuation: boolean;
    }
  | { readonly kind: 'refused'; readonly holder: RelyingRun };

export interface ClusterLeaseRepository {
  /**
   * Gives the camera to `run` with the next fence, unless another run relies on the store for it. `ended`: a run that no
   * longer beats; it is removed if its beat is still that one.
   */
  claim(cameraUuid: Ruuid, run: NodeRun, ended: RelyingRun | null): Promise<LeaseClaim>;
  /** No one owns the cameras afterwards, except those whose fence is another one. */
  release(leases: readonly FencedLease[]): Promise<void>;
  /**
   * The run relies on the store from now on, or beats. Returns the leases that it owns at that moment. Waits for no other request
   * where the database can run it in parallel with them, so claims under way may or may not be in the result.
   */
  rely(run: RelyingRun): Promise<FencedLease[]>;
  /** Like `rely`. Does nothing if the run has beaten after `beat`: an earlier call may arrive late. */
  stopRelying(run: Pick<RelyingRun, 'runId' | 'beat'>): Promise<void>;
  /** The camera's owner, if it relies on the store; null: no such run. */
  relyingOwner(cameraUuid: Ruuid): Promise<(RelyingRun & FencedLease) | null>;
  /** null: the run does not rely on the store. */
  relyingRun(runId: Ruuid): Promise<RelyingRun | null>;
  /** Writes the numbering of a stream if `lease` owns its camera. false: it does not, and nothing was written. */
  saveNumbering(entry: StreamLedgerEntry, lease: FencedLease): Promise<boolean>;
}
