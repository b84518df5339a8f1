/** How an organization appears in its mails, and which alarm centers get its alerts. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { type Resource, type ResourceRepository, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { MAIL_ERRORS } from './errors.ts';
import { isMailAddress } from './mail-address.ts';
import type { SenderIdentity } from './mail-sender.ts';
import { oneLine } from './plain-text.ts';

export interface OrganizationMailBody {
  /** null: the configured name. */
  readonly senderName: string | null;
  /** Where answers go; null: to the sender. */
  readonly replyTo: string | null;
}

const NOTHING: OrganizationMailBody = { senderName: null, replyTo: null };

export class OrganizationMail {
  readonly #settings: ResourceRepository<OrganizationMailBody>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor(store: Pick<Store, 'resources'>, clock: Pick<Clock, 'epochMs'>) {
    this.#settings = store.resources.of(resourceKind<OrganizationMailBody>('mailSettings'));
    this.#clock = clock;
  }

  async find(orgUuid: Ruuid): Promise<OrganizationMailBody> {
    return { ...NOTHING, ...(await this.#settings.find(orgUuid, uuidOf(orgUuid)))?.body };
  }

  async identity(orgUuid: Ruuid): Promise<SenderIdentity> {
    const { senderName, replyTo } = await this.find(orgUuid);
    return { name: senderName, replyTo };
  }

  /** Absent fields stay. Fails MAIL_ADDRESS_INVALID. */
  async update(orgUuid: Ruuid, given: Partial<OrganizationMailBody>): Promise<OrganizationMailBody> {
    const checked = {
      ...given,
      ...(given.senderName == null ? {} : { senderName: oneLine(given.senderName) || null }),
    };
    if (checked.replyTo != null && !isMailAddress(checked.replyTo)) {
      throw new GatewayError(MAIL_ERRORS.MAIL_ADDRESS_INVALID, { field: 'replyTo' });
    }
    const uuid = uuidOf(orgUuid);
    const nowMs = this.#clock.epochMs();
    const decide = (known: Resource<OrganizationMailBody> | null): Resource<OrganizationMailBody> => ({
      uuid,
      orgUuid,
      name: '',
      parentUuid: null,
      body: { ...NOTHING, ...known?.body, ...checked },
      secret: null,
      createdAtMs: known?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    });
    return (await this.#settings.change(orgUuid, uuid, decide)).after!.body;
  }
}

function uuidOf(orgUuid: Ruuid): Ruuid {
  return deriveRuuid('mail settings', orgUuid);
}
