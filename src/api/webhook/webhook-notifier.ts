/** Calls the webhooks of the webhook integration: for alerts those of activities, for device health those of diagnostics. */

import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { StoredEvent } from '../../store/event.ts';
import type { Store } from '../../store/store.ts';
import type { WebhookDeliveries } from '../../webhooks/webhook-deliveries.ts';
import type { OrgIntegrations } from '../integrations/org-integration.ts';
import type { WebhookIntegrationBody } from '../integrations/webhooks/webhook-integration-type.ts';
import { secretOf, type WebhookRegistry, type WebhookTopic } from './webhook-registry.ts';

export interface WebhookNotifierOptions {
  readonly store: Pick<Store, 'events'>;
  readonly registry: WebhookRegistry;
  readonly integrations: OrgIntegrations<WebhookIntegrationBody>;
  readonly deliveries: WebhookDeliveries;
  readonly log: Log;
}

/** Events of one call. */
const MAX_EVENTS_PER_CALL = 100;
/** Events that wait for their calls to be made up. */
const MAX_WAITING_EVENTS = 20_000;

export class WebhookNotifier {
  readonly #options: WebhookNotifierOptions;
  #underWay: Promise<void> = Promise.resolve();
  #waitingEvents = 0;
  readonly #unsubscribe: () => void;

  /** Events that are reported from now on are told. */
  constructor(options: WebhookNotifierOptions) {
    this.#options = options;
    this.#unsubscribe = options.store.events.onAdded((events) => this.#onEvents(events));
  }

  /** Resolves when what was reported so far is on its way. */
  settled(): Promise<void> {
    return this.#underWay;
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#underWay;
  }

  #onEvents(events: readonly StoredEvent[]): void {
    const told = events.filter((event) => topicOf(event) !== null);
    if (told.length === 0) return;
    if (this.#waitingEvents + told.length > MAX_WAITING_EVENTS) {
      this.#options.log.error(
        { events: told.length },
        'too many events wait: webhooks are not told of these',
      );
      return;
    }
    this.#waitingEvents += told.length;
    const groups = Map.groupBy(told, (event) => `${event.orgUuid} ${topicOf(event)}`).values();
    this.#underWay = this.#underWay.then(async () => {
      for (const group of groups) {
        const { orgUuid } = group[0]!;
        this.#waitingEvents -= group.length;
        try {
          await this.#tell(orgUuid, topicOf(group[0]!)!, group);
        } catch (thrown) {
          this.#options.log.error({ err: toGatewayError(thrown), orgUuid }, 'webhooks could not be called');
        }
      }
    });
  }

  async #tell(orgUuid: Ruuid, topic: WebhookTopic, events: readonly StoredEvent[]): Promise<void> {
    const { registry, integrations, deliveries } = this.#options;
    if ((await integrations.find(orgUuid))?.body.enabled !== true) return;
    const webhooks = await registry.list(orgUuid);
    const called = webhooks.filter(({ body }) => body[topic] !== null && !body[topic].disabled);
    if (called.length === 0) return;
    for (let start = 0; start < events.length; start += MAX_EVENTS_PER_CALL) {
      const payload = payloadOf(orgUuid, topic, events.slice(start, start + MAX_EVENTS_PER_CALL));
      for (const webhook of called) {
        await deliveries.send({
          orgUuid,
          causeUuid: webhook.uuid,
          event: topic,
          url: webhook.body.url,
          headers: {},
          payload,
          signingSecret: secretOf(webhook).reveal(),
          oauthClient: null,
        });
      }
    }
  }
}

function topicOf({ kind }: StoredEvent): WebhookTopic | null {
  if (kind === 'policyAlert') return 'activity';
  return kind === 'deviceHealth' ? 'diagnostic' : null;
}

function payloadOf(orgUuid: Ruuid, topic: WebhookTopic, events: readonly StoredEvent[]): string {
  return JSON.stringify({
    event: topic,
    orgUuid,
    events: events.map(({ kind, id, deviceUuid, locationUuid, atMs, body }) => ({
      kind,
      id,
      deviceUuid,
      locationUuid: locationUuid ?? null,
      timestampMs: atMs,
      details: body,
    })),
  });
}
