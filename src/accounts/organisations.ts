/** Organisations as they see themselves. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Organisation } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './caller.ts';
import { ACCOUNT_ERRORS } from './errors.ts';

export class Organisations {
  readonly #store: Pick<Store, 'organisations'>;

  constructor(store: Pick<Store, 'organisations'>) {
    this.#store = store;
  }

  /** Fails ORGANISATION_NOT_FOUND. */
  async find(uuid: Ruuid): Promise<Organisation> {
    const organisation = await this.#store.organisations.find(uuid);
    if (organisation === null) throw new GatewayError(ACCOUNT_ERRORS.ORGANISATION_NOT_FOUND);
    return organisation;
  }

  /** Absent: the name stays. Fails ORGANISATION_UNNAMED, ORGANISATION_NOT_FOUND. */
  async rename(uuid: Ruuid, name: string | undefined): Promise<void> {
    if (name?.trim() === '') throw new GatewayError(ACCOUNT_ERRORS.ORGANISATION_UNNAMED);
    const organisation = await this.find(uuid);
    if (name !== undefined) await this.#store.organisations.save({ ...organisation, name: name.trim() });
  }

  /**
   * The organisation that a caller means by `named`: the one it acts on, or, for a partner that acts on none in
   * particular, one of its clients. Fails ORGANISATION_NOT_FOUND, with `named` in the context, for any other.
   */
  async meant(caller: Caller, named: Ruuid | undefined): Promise<Ruuid> {
    const { orgUuid } = caller;
    if (named === undefined || named === orgUuid) return orgUuid;
    if (caller.scheme === 'partner-api' && orgUuid === caller.key.orgUuid) {
      const client = await this.#store.organisations.find(named);
      if (client?.partnerUuid === orgUuid) return named;
    }
    throw new GatewayError(ACCOUNT_ERRORS.ORGANISATION_NOT_FOUND, { named });
  }
}
