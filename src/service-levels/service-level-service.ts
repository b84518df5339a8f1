/** Service levels for the operator: the measurements, and the shares that the synthetic viewer plays. */

import type { Caller } from '../accounts/caller.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Share } from '../store/entities.ts';
import type { ResourceStore } from '../store/resource.ts';
import { SERVICE_LEVEL_ERRORS } from './errors.ts';
import { MAX_PROBED_SHARES } from './level-books.ts';
import type { LevelColumns, ServiceLevelState } from './level-view.ts';
import type { LevelSource } from './measurement.ts';
import { SERVICE_PROBES } from './probed-share-records.ts';

export interface ServiceLevelCalls {
  serviceLevels(orgUuid: Ruuid): Promise<ServiceLevelState>;
  serviceHistory(shareUuid: Ruuid | null, source: LevelSource): Promise<LevelColumns>;
  /** Resolves when the change is in effect. */
  serviceProbesChanged(): Promise<void>;
}

export interface ServiceLevelServiceOptions {
  /** Fails SYSTEM_CALLER_REFUSED if the caller is not an operator. */
  readonly callsFor: (caller: Caller) => ServiceLevelCalls;
  readonly resources: ResourceStore;
  readonly findShare: (orgUuid: Ruuid, shareUuid: Ruuid) => Promise<Share | null>;
  readonly clock: Clock;
}

/** Every call fails SYSTEM_CALLER_REFUSED if the caller is not an operator. */
export class ServiceLevelService {
  readonly #options: ServiceLevelServiceOptions;

  constructor(options: ServiceLevelServiceOptions) {
    this.#options = options;
  }

  read(caller: Caller): Promise<ServiceLevelState> {
    return this.#options.callsFor(caller).serviceLevels(caller.orgUuid);
  }

  /** The history of a share of the organization; null: of all shares of the gateway. Fails SERVICE_SHARE_NOT_FOUND. */
  async history(caller: Caller, shareUuid: Ruuid | null, source: LevelSource): Promise<LevelColumns> {
    const calls = this.#options.callsFor(caller);
    if (shareUuid !== null && !(await this.#isKnown(caller.orgUuid, shareUuid))) {
      throw new GatewayError(SERVICE_LEVEL_ERRORS.SERVICE_SHARE_NOT_FOUND);
    }
    return calls.serviceHistory(shareUuid, source);
  }

  /** Whether the synthetic viewer plays the share from now on. Fails SERVICE_SHARE_NOT_FOUND, SERVICE_PROBES_FULL. */
  async choose(caller: Caller, shareUuid: Ruuid, isChosen: boolean): Promise<void> {
    const { callsFor, resources, findShare, clock } = this.#options;
    const calls = callsFor(caller);
    const { orgUuid } = caller;
    const probes = resources.of(SERVICE_PROBES);
    if (isChosen) {
      const share = await findShare(orgUuid, shareUuid);
      if (share === null) throw new GatewayError(SERVICE_LEVEL_ERRORS.SERVICE_SHARE_NOT_FOUND);
      const full = () =>
        new GatewayError(SERVICE_LEVEL_ERRORS.SERVICE_PROBES_FULL, { atMost: MAX_PROBED_SHARES });
      const all = await probes.listEverywhere();
      if (all.every(({ uuid }) => uuid !== shareUuid) && all.length >= MAX_PROBED_SHARES) throw full();
      const nowMs = clock.epochMs();
      const record = { uuid: shareUuid, orgUuid, name: share.name, parentUuid: null, body: {}, secret: null };
      await probes.change(
        orgUuid,
        shareUuid,
        (known) => known ?? { ...record, createdAtMs: nowMs, updatedAtMs: nowMs },
        { atMost: MAX_PROBED_SHARES, within: 'organization', full },
      );
    } else if (!(await probes.remove(orgUuid, shareUuid))) {
      // A share that exists and is not chosen stays as it is.
      if ((await findShare(orgUuid, shareUuid)) === null) {
        throw new GatewayError(SERVICE_LEVEL_ERRORS.SERVICE_SHARE_NOT_FOUND);
      }
    }
    await calls.serviceProbesChanged();
  }

  /** A share that was deleted may still be chosen. */
  async #isKnown(orgUuid: Ruuid, shareUuid: Ruuid): Promise<boolean> {
    const { resources, findShare } = this.#options;
    if ((await findShare(orgUuid, shareUuid)) !== null) return true;
    return (await resources.of(SERVICE_PROBES).find(orgUuid, shareUuid)) !== null;
  }
}
