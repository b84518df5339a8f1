/** Calls the webhooks of the webhook integration: activity webhooks for alerts, diagnostic webhooks for device health. */

import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { isPassing } from '../events/event-effects.ts';
import { type DeviceHealthBody, isHealthNews } from '../events/unhealthy-device.ts';
import type { StoredEvent } from '../store/event.ts';
import type { WebhookDeliveries } from './webhook-deliveries.ts';
import { secretOf, type WebhookRegistry, type WebhookTopic } from './webhook-registry.ts';

export interface WebhookNotifierOptions {
  readonly registry: WebhookRegistry;
  /** Whether the organization's webhooks are on. */
  readonly isEnabled: (orgUuid: Ruuid) => Promise<boolean>;
  readonly deliveries: WebhookDeliveries;
  readonly log: Log;
}

/** How many events one call has. */
const MAX_EVENTS_PER_CALL = 100;

export class WebhookNotifier {
  readonly #options: WebhookNotifierOptions;

  constructor(options: WebhookNotifierOptions) {
    this.#options = options;
  }

  /** Calls the webhooks that are notified of the reported events. */
  async onEvents(events: readonly StoredEvent[]): Promise<void> {
    const told = events.filter((event) => topicOf(event) !== null);
    for (const group of Map.groupBy(told, (event) => `${event.orgUuid} ${topicOf(event)}`).values()) {
      const { orgUuid } = group[0]!;
      try {
        await this.#tell(orgUuid, topicOf(group[0]!)!, group);
      } catch (thrown) {
        if (isPassing(thrown)) throw thrown;
        this.#options.log.error({ err: toGatewayError(thrown), orgUuid }, 'webhooks not called');
      }
    }
  }

  async #tell(orgUuid: Ruuid, topic: WebhookTopic, events: readonly StoredEvent[]): Promise<void> {
    const { registry, isEnabled, deliveries } = this.#options;
    if (!(await isEnabled(orgUuid))) return;
    const webhooks = await registry.list(orgUuid);
    const called = webhooks.filter(({ body }) => body[topic] !== null && !body[topic].disabled);
    if (called.length === 0) return;
    for (let start = 0; start < events.length; start += MAX_EVENTS_PER_CALL) {
      const ofCall = events.slice(start, start + MAX_EVENTS_PER_CALL);
      const payload = payloadOf(orgUuid, topic, ofCall);
      const ids = ofCall.map(({ kind, id }) => `${kind}\0${id}`).join('\0');
      for (const webhook of called) {
        await deliveries.send({
          uuid: deriveRuuid('webhook delivery', `${webhook.uuid}\0${topic}\0${ids}`),
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

/** null: no one is notified. */
function topicOf({ kind, body }: StoredEvent): WebhookTopic | null {
  if (kind === 'policyAlert') return 'activity';
  return kind === 'deviceHealth' && isHealthNews(body as DeviceHealthBody) ? 'diagnostic' : null;
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
