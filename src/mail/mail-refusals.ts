/** Addresses that a mail server refused for good: nothing more is sent there until someone removes the mark. */

import type { Clock } from '../core/clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { emailKey } from '../store/person.ts';
import { type Resource, type ResourceRepository, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';

export interface MailRefusalBody {
  readonly address: string;
  /** The server's words. */
  readonly reply: string;
}

export type MailRefusal = Resource<MailRefusalBody>;

const MAX_REFUSALS = LIMITS.refusedMailAddresses.perOrganization;

export class MailRefusals {
  readonly #refusals: ResourceRepository<MailRefusalBody>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor(store: Pick<Store, 'resources'>, clock: Pick<Clock, 'epochMs'>) {
    this.#refusals = store.resources.of(resourceKind<MailRefusalBody>('mailRefusal'));
    this.#clock = clock;
  }

  find(orgUuid: Ruuid, address: string): Promise<MailRefusal | null> {
    return this.#refusals.find(orgUuid, uuidOf(orgUuid, address));
  }

  list(orgUuid: Ruuid): Promise<MailRefusal[]> {
    return this.#refusals.list(orgUuid);
  }

  async mark(orgUuid: Ruuid, address: string, reply: string): Promise<void> {
    const nowMs = this.#clock.epochMs();
    const [oldest] = (await this.#refusals.count(orgUuid)) < MAX_REFUSALS ? [] : await this.list(orgUuid);
    if (oldest !== undefined) await this.#refusals.remove(orgUuid, oldest.uuid);
    await this.#refusals.save({
      uuid: uuidOf(orgUuid, address),
      orgUuid,
      name: '',
      parentUuid: null,
      body: { address, reply },
      secret: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    });
  }

  /** False: it was not marked. */
  clear(orgUuid: Ruuid, address: string): Promise<boolean> {
    return this.#refusals.remove(orgUuid, uuidOf(orgUuid, address));
  }
}

function uuidOf(orgUuid: Ruuid, address: string): Ruuid {
  return deriveRuuid('mail refusal', `${orgUuid}\0${emailKey(address)}`);
}
