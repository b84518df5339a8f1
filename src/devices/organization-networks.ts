/**
 * The networks in which the cameras of each organization may be, as its administrators state them, and the operator's outer bound. Kept in
 * memory, because every connection to a camera needs it, and follows the store.
 */

import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Store } from '../store/store.ts';

export interface OrganizationNetworksOptions {
  readonly store: Pick<Store, 'organizations' | 'onChange'>;
  /** In CIDR notation. Empty: anywhere. */
  readonly operatorNetworks: readonly string[];
  readonly log: Log;
}

const NONE: readonly string[] = [];

export class OrganizationNetworks {
  /** The networks for cameras of the API of every organization. Empty: anywhere. */
  readonly operator: readonly string[];
  readonly #options: OrganizationNetworksOptions;
  readonly #stated = new Map<Ruuid, readonly string[]>();
  readonly #listeners = new Set<(orgUuid: Ruuid) => void>();
  readonly #unsubscribe: () => void;
  /** A later read must not be replaced by an earlier one. */
  #work: Promise<void> = Promise.resolve();

  private constructor(options: OrganizationNetworksOptions) {
    this.#options = options;
    this.operator = options.operatorNetworks;
    this.#unsubscribe = options.store.onChange(({ entity, uuid }) => {
      if (entity === 'organization') this.#work = this.#work.then(() => this.#reread(uuid));
    });
  }

  /** Resolves when it has read the stored networks. Rejects like the store. */
  static async open(options: OrganizationNetworksOptions): Promise<OrganizationNetworks> {
    const networks = new OrganizationNetworks(options);
    await networks.refresh();
    return networks;
  }

  /** Empty: anywhere. */
  of(orgUuid: Ruuid): readonly string[] {
    return this.#stated.get(orgUuid) ?? NONE;
  }

  /** Calls back after an organization's networks have changed. Returns how to end that. */
  onChange(listener: (orgUuid: Ruuid) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Applies networks that were just stored, before their change arrives. */
  put(orgUuid: Ruuid, networks: readonly string[]): void {
    const known = this.of(orgUuid);
    this.#stated.set(orgUuid, networks);
    if (known.join() === networks.join()) return;
    for (const listener of this.#listeners) listener(orgUuid);
  }

  /** Reads all again: for commits whose change was not sent. Rejects like the store. */
  async refresh(): Promise<void> {
    for (const { uuid, cameraNetworks } of await this.#options.store.organizations.list()) {
      this.put(uuid, cameraNetworks);
    }
  }

  stop(): void {
    this.#unsubscribe();
    this.#listeners.clear();
  }

  async #reread(orgUuid: Ruuid): Promise<void> {
    try {
      const organization = await this.#options.store.organizations.find(orgUuid);
      if (organization !== null) this.put(orgUuid, organization.cameraNetworks);
    } catch (thrown) {
      const err = toGatewayError(thrown);
      this.#options.log.error({ organization: orgUuid, err }, 'networks of cameras not read');
    }
  }
}
