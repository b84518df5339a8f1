/** Which organizations are clients of a partner. Read for each request, and remembered for those that end access without the store. */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { waitingBrieflyIf } from '../store/brief-waits.ts';
import type { Store } from '../store/store.ts';
import { isStoreAway } from '../store/store-away.ts';
import { MAX_AWAY_MS } from './access-cache.ts';
import { RecentCredentials } from './recent-credentials.ts';

const MAX_REMEMBERED = 1_000;

interface Client {
  readonly orgUuid: Ruuid;
  readonly readAtMonoMs: number;
}

export class ClientOrganizations {
  readonly #store: Pick<Store, 'organizations'>;
  readonly #clock: Clock;
  /** By partner and client; partners share it. */
  readonly #recent = new RecentCredentials<Client>(MAX_REMEMBERED);
  readonly #unsubscribe: () => void;

  constructor(store: Pick<Store, 'organizations' | 'onChange'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#unsubscribe = store.onChange(({ entity, uuid }) => {
      if (entity === 'organization') this.#recent.deleteWhere(({ orgUuid }) => orgUuid === uuid);
    });
  }

  /** `endsAccess`: if the store is unavailable, a recent read counts. */
  async isClientOf(partnerUuid: Ruuid, orgUuid: Ruuid, endsAccess: boolean): Promise<boolean> {
    const pair = `${partnerUuid} ${orgUuid}`;
    const known = this.#recent.get(pair);
    const isRecent = known !== undefined && this.#clock.monoMs() - known.readAtMonoMs < MAX_AWAY_MS;
    const find = () => this.#store.organizations.find(orgUuid);
    try {
      const isClient = (await waitingBrieflyIf(endsAccess && isRecent, find))?.partnerUuid === partnerUuid;
      if (isClient) this.#recent.put(pair, partnerUuid, { orgUuid, readAtMonoMs: this.#clock.monoMs() });
      else this.#recent.delete(pair);
      return isClient;
    } catch (thrown) {
      if (endsAccess && isRecent && isStoreAway(thrown)) return true;
      throw thrown;
    }
  }

  close(): void {
    this.#unsubscribe();
    this.#recent.clear();
  }
}
