/** Sends the links of emergencies: mails and calls, by the queues that all mails and webhooks have. */

import type { Clock } from '../core/clock.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { withoutTrailingSlashes } from '../core/trailing-slashes.ts';
import type { MailRequest, WrittenMail } from '../mail/mail.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import {
  EMERGENCIES,
  type Emergency,
  type EmergencyDelivery,
  type EmergencyRecipient,
  type PastEmergency,
} from '../sharing/emergency-link.ts';
import type { ShareTokens } from '../sharing/share-token.ts';
import { memberUuidOf } from '../sharing/wall-members.ts';
import type { Store } from '../store/store.ts';
import type { WebhookDeliveries } from '../webhooks/webhook-deliveries.ts';
import { linkMail } from './emergency-mail.ts';
import { hostOf } from './emergency-partners.ts';
import { EMERGENCY_PARTNERS } from './emergency-records.ts';

interface EmergencyRequest extends MailRequest {
  readonly writer: 'emergency';
  readonly emergencyUuid: Ruuid;
  readonly recipientUuid: Ruuid;
}

export interface EmergencySenderOptions {
  readonly store: Pick<Store, 'resources' | 'locations'>;
  readonly outbox: MailOutbox;
  readonly deliveries: Pick<WebhookDeliveries, 'send' | 'page'>;
  /** ShareTokens.forWalls, and those of cameras. */
  readonly wallTokens: ShareTokens;
  readonly cameraTokens: ShareTokens;
  /** Base of the media listener as viewers reach it. */
  readonly publicMediaUrl: string;
  readonly clock: Pick<Clock, 'epochMs'>;
}

/** More than a partner can have addresses, with the calls at the opening and the end. */
const MAX_DELIVERIES = 50;

export class EmergencySender {
  readonly #options: EmergencySenderOptions;
  readonly #mediaUrl: string;

  constructor(options: EmergencySenderOptions) {
    this.#options = options;
    this.#mediaUrl = withoutTrailingSlashes(options.publicMediaUrl);
    options.outbox.writeWith<EmergencyRequest>('emergency', ({ orgUuid }, request) =>
      this.#write(orgUuid, request),
    );
  }

  /** Mails and calls are in their queues when this resolves; what was queued before is not sent again. */
  async opened(emergency: Emergency): Promise<void> {
    const { outbox } = this.#options;
    const { orgUuid, uuid, body } = emergency;
    for (const recipient of body.recipients) {
      if (recipient.by === 'mail') {
        await outbox.add<EmergencyRequest>({
          uuid: deriveRuuid('emergency mail', recipient.uuid),
          orgUuid,
          topic: 'EMERGENCY',
          forUuid: uuid,
          to: recipient.address,
          request: { writer: 'emergency', emergencyUuid: uuid, recipientUuid: recipient.uuid },
        });
      } else if (recipient.by === 'webhook') await this.#call(emergency, recipient, 'opened');
    }
  }

  /** Programs learn that it has ended. */
  async closed(past: PastEmergency): Promise<void> {
    for (const recipient of past.body.recipients) {
      if (recipient.by === 'webhook') await this.#call(past, recipient, 'closed');
    }
  }

  /** The page of a recipient. */
  pageUrl({ uuid }: EmergencyRecipient): string {
    return `${this.#mediaUrl}/wall/${this.#options.wallTokens.tokenOf(uuid)}`;
  }

  /** The playlist of a camera, for programs. */
  playlistUrl({ uuid }: EmergencyRecipient, cameraUuid: Ruuid): string {
    const token = this.#options.cameraTokens.tokenOf(memberUuidOf(uuid, cameraUuid));
    return `${this.#mediaUrl}/live/${token}/file.m3u8`;
  }

  /** From the logs of mails and calls, which keep the newest ones. */
  async deliveriesOf({ orgUuid, uuid, body }: Emergency): Promise<EmergencyDelivery[]> {
    const query = { parentUuid: uuid, after: null, limit: MAX_DELIVERIES };
    const mails = await this.#options.outbox.page(orgUuid, query);
    const calls = await this.#options.deliveries.page(orgUuid, query);
    const to = (by: EmergencyRecipient['by'], address: string) =>
      body.recipients.find((each) => each.by === by && each.address === address)?.uuid ?? null;
    return [
      ...mails.items.map(({ body: mail, createdAtMs }) => ({
        recipientUuid: to('mail', mail.to),
        by: 'mail' as const,
        address: mail.to,
        ...factsOf(mail, createdAtMs),
      })),
      ...calls.items.map(({ body: call, createdAtMs }) => ({
        recipientUuid: to('webhook', hostOf(call.url)),
        by: 'webhook' as const,
        address: hostOf(call.url),
        ...factsOf(call, createdAtMs),
      })),
    ];
  }

  async #call(
    emergency: Emergency,
    recipient: EmergencyRecipient,
    change: 'opened' | 'closed',
  ): Promise<void> {
    const { store, deliveries } = this.#options;
    const { orgUuid, uuid, body } = emergency;
    const partner = await store.resources.of(EMERGENCY_PARTNERS).find(orgUuid, body.partner.uuid);
    const url = partner?.body.webhookUrl ?? null;
    // The secret went with the address.
    if (partner?.secret == null || url === null || hostOf(url) !== recipient.address) return;
    await deliveries.send({
      uuid: deriveRuuid(`emergency ${change}`, recipient.uuid),
      orgUuid,
      causeUuid: uuid,
      event: 'emergency',
      url,
      headers: {},
      payload: JSON.stringify(this.#payload(emergency, recipient, change)),
      signingSecret: partner.secret.reveal(),
      oauthClient: null,
    });
  }

  #payload(
    { orgUuid, uuid, name, createdAtMs, body }: Emergency,
    recipient: EmergencyRecipient,
    change: 'opened' | 'closed',
  ): object {
    const isOpen = change === 'opened';
    return {
      event: 'emergency',
      change,
      orgUuid,
      emergencyUuid: uuid,
      title: name,
      partner: body.partner.name,
      partnerType: body.partner.kind,
      reason: body.cause.reason,
      alertUuid: body.cause.alertId,
      openedAtMs: createdAtMs,
      untilMs: body.untilMs,
      pageUrl: isOpen ? this.pageUrl(recipient) : null,
      cameras: body.cameras.map(({ cameraUuid, name: camera, siteName }) => ({
        uuid: cameraUuid,
        name: camera,
        site: siteName,
        liveM3U8Url: isOpen ? this.playlistUrl(recipient, cameraUuid) : null,
      })),
    };
  }

  /** null: it has ended, so there is nothing to watch. */
  async #write(
    orgUuid: Ruuid,
    { emergencyUuid, recipientUuid }: EmergencyRequest,
  ): Promise<WrittenMail | null> {
    const { store, clock } = this.#options;
    const emergency = await store.resources.of(EMERGENCIES).find(orgUuid, emergencyUuid);
    const recipient = emergency?.body.recipients.find(({ uuid }) => uuid === recipientUuid);
    if (emergency == null || recipient === undefined || clock.epochMs() >= emergency.body.untilMs)
      return null;
    return {
      to: { name: '', address: recipient.address },
      content: linkMail(emergency, this.pageUrl(recipient)),
    };
  }
}

function factsOf(
  {
    state,
    attempts,
  }: {
    readonly state: EmergencyDelivery['state'];
    readonly attempts: readonly { readonly atMs: number; readonly errorCode: string | null }[];
  },
  queuedAtMs: number,
): Pick<EmergencyDelivery, 'state' | 'queuedAtMs' | 'lastAttemptAtMs' | 'attempts' | 'errorCode'> {
  const last = attempts.at(-1);
  return {
    state,
    queuedAtMs,
    attempts: attempts.length,
    lastAttemptAtMs: last?.atMs ?? null,
    errorCode: last?.errorCode ?? null,
  };
}
