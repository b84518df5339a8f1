/** Organizations as they see themselves. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Organization } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './caller.ts';
import { ACCOUNT_ERRORS } from './errors.ts';

/** A client of a partner, with counts of its objects. */
export interface PartnerClient {
  readonly organization: Organization;
  /** Without those that were removed. */
  readonly cameraCount: number;
  readonly locationCount: number;
}

type OrganizationStore = Pick<Store, 'organizations' | 'cameras' | 'locations'>;

export class Organizations {
  readonly #store: OrganizationStore;

  constructor(store: OrganizationStore) {
    this.#store = store;
  }

  /** Fails ORGANIZATION_NOT_FOUND. */
  async find(uuid: Ruuid): Promise<Organization> {
    const organization = await this.#store.organizations.find(uuid);
    if (organization === null) throw new GatewayError(ACCOUNT_ERRORS.ORGANIZATION_NOT_FOUND);
    return organization;
  }

  /** The organizations that this one manages as a partner, in creation order. */
  async clientsOf(partnerUuid: Ruuid): Promise<PartnerClient[]> {
    const { organizations, cameras, locations } = this.#store;
    const ofPartner = (await organizations.list()).filter((each) => each.partnerUuid === partnerUuid);
    const clients: PartnerClient[] = [];
    for (const organization of ofPartner.toSorted((a, b) => a.createdAtMs - b.createdAtMs)) {
      const cameraRecords = await cameras.listRecords(organization.uuid);
      clients.push({
        organization,
        cameraCount: cameraRecords.filter(({ mummified }) => !mummified).length,
        locationCount: (await locations.list(organization.uuid)).length,
      });
    }
    return clients;
  }

  /** Absent: the name stays. Fails ORGANIZATION_UNNAMED, ORGANIZATION_NOT_FOUND. */
  async rename(uuid: Ruuid, name: string | undefined): Promise<void> {
    if (name?.trim() === '') throw new GatewayError(ACCOUNT_ERRORS.ORGANIZATION_UNNAMED);
    const fields = name === undefined ? {} : { name: name.trim() };
    if (!(await this.#store.organizations.change(uuid, fields))) {
      throw new GatewayError(ACCOUNT_ERRORS.ORGANIZATION_NOT_FOUND);
    }
  }

  /**
   * The organization that a caller means by `named`: the one it acts for or, if a partner acts for itself, one of its
   * clients. Otherwise fails ORGANIZATION_NOT_FOUND, with `named` in the context.
   */
  async meant(caller: Caller, named: Ruuid | undefined): Promise<Ruuid> {
    const { orgUuid, actor } = caller;
    if (named === undefined || named === orgUuid) return orgUuid;
    if (caller.scheme === 'partner-api' && orgUuid === actor.orgUuid) {
      const client = await this.#store.organizations.find(named);
      if (client?.partnerUuid === orgUuid) return named;
    }
    throw new GatewayError(ACCOUNT_ERRORS.ORGANIZATION_NOT_FOUND, { named });
  }
}
