/** Whom an organization opens cameras to in an emergency, and where they get the link. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Secret } from '../core/secret.ts';
import { MAIL_ERRORS } from '../mail/errors.ts';
import { isMailAddress } from '../mail/mail-address.ts';
import type { EmergencyRecipient } from '../sharing/emergency-link.ts';
import type { ResourceRepository } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { webhookUrl } from '../webhooks/webhook-request.ts';
import { newWebhookSecret } from '../webhooks/webhook-signature.ts';
import {
  EMERGENCY_PARTNERS,
  EMERGENCY_RULES,
  type EmergencyPartner,
  type EmergencyPartnerBody,
} from './emergency-records.ts';
import { EMERGENCY_ERRORS } from './errors.ts';

export interface GivenPartner extends EmergencyPartnerBody {
  readonly name: string;
}

/** Each recipient has a link with a share for each camera. */
export const MAX_PARTNER_ADDRESSES = 4;

export class EmergencyPartners {
  readonly #partners: ResourceRepository<EmergencyPartnerBody>;
  readonly #store: Pick<Store, 'resources'>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor(store: Pick<Store, 'resources'>, clock: Pick<Clock, 'epochMs'>) {
    this.#store = store;
    this.#partners = store.resources.of(EMERGENCY_PARTNERS);
    this.#clock = clock;
  }

  list(orgUuid: Ruuid): Promise<EmergencyPartner[]> {
    return this.#partners.list(orgUuid);
  }

  /** Fails EMERGENCY_PARTNER_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<EmergencyPartner> {
    const partner = await this.#partners.find(orgUuid, uuid);
    if (partner === null) {
      throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_PARTNER_NOT_FOUND, { partner: uuid });
    }
    return partner;
  }

  /**
   * `uuid` null: a new one. Resolves with the secret of a webhook that is new to the partner; null: it has none, or is known. Fails
   * EMERGENCY_PARTNER_NOT_FOUND, EMERGENCY_PARTNER_UNNAMED, MAIL_ADDRESS_INVALID, WEBHOOK_URL_INVALID, TOO_MANY_EMERGENCY_PARTNERS.
   */
  async set(
    orgUuid: Ruuid,
    uuid: Ruuid | null,
    { name, ...given }: GivenPartner,
  ): Promise<{ readonly partner: EmergencyPartner; readonly newSecret: Secret | null }> {
    if (name.trim() === '') throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_PARTNER_UNNAMED);
    if (given.mailAddresses.some((address) => !isMailAddress(address))) {
      throw new GatewayError(MAIL_ERRORS.MAIL_ADDRESS_INVALID, { field: 'Each address' });
    }
    const url = given.webhookUrl === null ? null : webhookUrl(given.webhookUrl).href;
    const body = { ...given, mailAddresses: [...new Set(given.mailAddresses)], webhookUrl: url };
    const madeUuid = uuid ?? newRuuid();
    const madeSecret = newWebhookSecret();
    const nowMs = this.#clock.epochMs();
    const { after } = await this.#partners.change(
      orgUuid,
      madeUuid,
      (known) => {
        if (uuid !== null && known === null) {
          throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_PARTNER_NOT_FOUND, { partner: uuid });
        }
        const isKnownUrl = url !== null && known?.body.webhookUrl === url;
        const secret = isKnownUrl ? known.secret : url === null ? null : madeSecret;
        return {
          uuid: madeUuid,
          orgUuid,
          name: name.trim(),
          parentUuid: null,
          body,
          secret,
          createdAtMs: known?.createdAtMs ?? nowMs,
          updatedAtMs: nowMs,
        };
      },
      {
        atMost: LIMITS.emergencyPartners.perOrganization,
        within: 'organization',
        full: () => new GatewayError(EMERGENCY_ERRORS.TOO_MANY_EMERGENCY_PARTNERS),
      },
    );
    const isNew = after!.secret?.reveal() === madeSecret.reveal();
    return { partner: after!, newSecret: isNew ? madeSecret : null };
  }

  /** Open emergencies continue. Fails EMERGENCY_PARTNER_NOT_FOUND, EMERGENCY_PARTNER_USED. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const rules = await this.#store.resources.of(EMERGENCY_RULES).list(orgUuid);
    if (rules.some(({ body }) => body.partnerUuid === uuid)) {
      throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_PARTNER_USED);
    }
    if (!(await this.#partners.remove(orgUuid, uuid))) {
      throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_PARTNER_NOT_FOUND, { partner: uuid });
    }
  }
}

/** Where the partner gets links, and one more, which a person can pass on. Dispatch also looks for feeds near a call. */
export function recipientsOf({ body }: EmergencyPartner): Omit<EmergencyRecipient, 'uuid'>[] {
  const { mailAddresses, webhookUrl: url } = body;
  return [
    ...mailAddresses.map((address) => ({ by: 'mail' as const, address })),
    ...(url === null ? [] : [{ by: 'webhook' as const, address: hostOf(url) }]),
    { by: 'copy', address: '' },
    ...(body.kind === 'RAPIDSOS' ? [{ by: 'feed' as const, address: '' }] : []),
  ];
}

/** Path and query are how a host knows its caller: reports, and people who are no administrators, get neither. */
export function hostOf(url: string): string {
  return new URL(url).origin;
}
