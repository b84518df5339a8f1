/**
 * The numbering of streams in a cluster: the store writes it only for the camera's owner. An owner reads where the numbers
 * of the one before it end after it got its fence, and from then on the one before reserves no more.
 */

import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ClusterLeaseRepository } from '../../store/cluster-lease.ts';
import type { StreamLedgerRepository } from '../../store/store.ts';
import type { RenditionName } from '../../stream/media/live-media.ts';
import type { Numbering, NumberingEntry, NumberingStore } from '../../stream/numbering/numbering.ts';
import type { CameraLeases } from './camera-leases.ts';
import { CLUSTER_ERRORS } from './errors.ts';

export class FencedNumbering implements NumberingStore {
  readonly #ledger: Pick<StreamLedgerRepository, 'find'>;
  readonly #store: Pick<ClusterLeaseRepository, 'saveNumbering'>;
  readonly #leases: Pick<CameraLeases, 'fencedLease'>;

  constructor(
    ledger: Pick<StreamLedgerRepository, 'find'>,
    store: Pick<ClusterLeaseRepository, 'saveNumbering'>,
    leases: Pick<CameraLeases, 'fencedLease'>,
  ) {
    this.#ledger = ledger;
    this.#store = store;
    this.#leases = leases;
  }

  find(cameraUuid: Ruuid, rendition: RenditionName): Promise<Numbering | null> {
    return this.#ledger.find(cameraUuid, rendition);
  }

  /** Fails CLUSTER_LEASE_LOST, also if this run owns the camera again, with another fence. */
  async save(entry: NumberingEntry): Promise<void> {
    const lease = this.#leases.fencedLease(entry.cameraUuid);
    if (lease?.fence === entry.fence && (await this.#store.saveNumbering(entry, lease))) return;
    throw new GatewayError(CLUSTER_ERRORS.CLUSTER_LEASE_LOST, { camera: entry.cameraUuid });
  }
}
