/** Organizations as they see themselves. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Organisation } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './caller.ts';
import { ACCOUNT_ERRORS } from './errors.ts';

/** A client of a partner, with counts of what it has. */
export interface PartnerClient {
  readonly organisation: Organisation;
  /** Without those that were removed. */
  readonly cameraCount: number;
  readonly locationCount: number;
}

type OrganisationStore = Pick<Store, 'organisations' | 'cameras' | 'locations'>;

export class Organisations {
  readonly #store: OrganisationStore;

  constructor(store: OrganisationStore) {
    this.#store = store;
  }

  /** Fails ORGANISATION_NOT_FOUND. */
  async find(uuid: Ruuid): Promise<Organisation> {
    const organisation = await this.#store.organisations.find(uuid);
    if (organisation === null) throw new GatewayError(ACCOUNT_ERRORS.ORGANISATION_NOT_FOUND);
    return organisation;
  }

  /** The organizations that this one manages as a partner, in creation order. */
  async clientsOf(partnerUuid: Ruuid): Promise<PartnerClient[]> {
    const { organisations, cameras, locations } = this.#store;
    const ofPartner = (await organisations.list()).filter((each) => each.partnerUuid === partnerUuid);
    const clients: PartnerClient[] = [];
    for (const organisation of ofPartner.toSorted((a, b) => a.createdAtMs - b.createdAtMs)) {
      const cameraRecords = await cameras.listRecords(organisation.uuid);
      clients.push({
        organisation,
        cameraCount: cameraRecords.filter(({ mummified }) => !mummified).length,
        locationCount: (await locations.list(organisation.uuid)).length,
      });
    }
    return clients;
  }

  /** Absent: the name stays. Fails ORGANISATION_UNNAMED, ORGANISATION_NOT_FOUND. */
  async rename(uuid: Ruuid, name: string | undefined): Promise<void> {
    if (name?.trim() === '') throw new GatewayError(ACCOUNT_ERRORS.ORGANISATION_UNNAMED);
    const organisation = await this.find(uuid);
    if (name !== undefined) await this.#store.organisations.save({ ...organisation, name: name.trim() });
  }

  /**
   * The organization that a caller means by `named`: the one it acts for or, if a partner acts for itself, one of its
   * clients. Otherwise fails ORGANISATION_NOT_FOUND, with `named` in the context.
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
