/** The networks where cameras may be, by the configuration and the organizations, in the form that sources need. */

import {
  type AddressClaim,
  type AddressReach,
  type AddressRule,
  EVERYWHERE,
} from '../sources/network/camera-address.ts';
import type { OrganizationNetworks } from './organization-networks.ts';

export interface AddressRulesOptions {
  /** Where cameras may be that the operator did not declare. */
  readonly undeclaredReach: AddressReach;
  readonly networks: Pick<OrganizationNetworks, 'of' | 'operator'>;
}

export class AddressRules {
  readonly #options: AddressRulesOptions;

  constructor(options: AddressRulesOptions) {
    this.#options = options;
  }

  /**
   * The rule for an address. The operator's own cameras can be anywhere. For others, networks are read when an address is
   * judged: a list that changes holds for the next connection of whatever has the rule.
   */
  for({ reach, orgUuid }: AddressClaim): AddressRule {
    if (reach === 'anywhere') return { reach, orgUuid, networks: EVERYWHERE };
    const { undeclaredReach, networks } = this.#options;
    return {
      reach: undeclaredReach,
      orgUuid,
      get networks() {
        return { operator: networks.operator, organization: orgUuid === null ? [] : networks.of(orgUuid) };
      },
    };
  }
}
