/**
 * A test of a webhook: one marked call, signed and limited like every other, and what came back. The first bytes of the response
 * are shown only where they can be nothing but a stranger's: a gateway that may call private networks shows them to its own
 * organization alone, because another one could read the insides of the gateway's network with it.
 */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { WebhookDeliveries } from '../webhooks/webhook-deliveries.ts';
import { secretOf, type WebhookRegistry } from '../webhooks/webhook-registry.ts';
import { INTEGRATION_ERRORS } from './errors.ts';

/** Of the response, as text. */
const SHOWN_CHARS = 200;
/** In the payload, so that programs can tell it from what happened. */
export const TEST_EVENT = 'test';

export interface WebhookTestResult {
  readonly isDelivered: boolean;
  /** null: there was no response. */
  readonly httpStatus: number | null;
  readonly durationMs: number;
  readonly error: GatewayError | null;
  /** The beginning of the response as plain text; null: it is not shown. */
  readonly responseStart: string | null;
}

export interface WebhookTestOptions {
  readonly registry: Pick<WebhookRegistry, 'list'>;
  readonly deliveries: Pick<WebhookDeliveries, 'sendOnce' | 'allowPrivateNetworks'>;
  /** The organization of those who run the gateway. */
  readonly ownOrgUuid: Ruuid;
}

export class WebhookTest {
  readonly #options: WebhookTestOptions;

  constructor(options: WebhookTestOptions) {
    this.#options = options;
  }

  /** Fails WEBHOOK_NOT_FOUND, WEBHOOK_QUEUE_FULL. A call that fails is a result. */
  async run(orgUuid: Ruuid, url: string): Promise<WebhookTestResult> {
    const { registry, deliveries, ownOrgUuid } = this.#options;
    const webhook = (await registry.list(orgUuid)).find(({ body }) => body.url === url);
    if (webhook === undefined) throw new GatewayError(INTEGRATION_ERRORS.WEBHOOK_NOT_FOUND);
    const { delivery, responseBody, error } = await deliveries.sendOnce({
      orgUuid,
      causeUuid: webhook.uuid,
      event: TEST_EVENT,
      url,
      headers: {},
      payload: JSON.stringify({ event: TEST_EVENT, orgUuid, events: [] }),
      signingSecret: secretOf(webhook).reveal(),
      oauthClient: null,
    });
    const [attempt] = delivery.body.attempts;
    const isShown = !deliveries.allowPrivateNetworks || orgUuid === ownOrgUuid;
    return {
      isDelivered: delivery.body.state === 'DELIVERED',
      httpStatus: attempt!.httpStatus,
      durationMs: attempt!.durationMs,
      error,
      responseStart: isShown ? plainStart(responseBody) : null,
    };
  }
}

/** Without control characters and marks that turn text around. */
function plainStart(response: string): string {
  const plain = response.slice(0, 4 * SHOWN_CHARS).replaceAll(/[\s\p{Cc}\p{Cf}\p{Co}\p{Cn}]+/gu, ' ');
  return plain.trim().slice(0, SHOWN_CHARS);
}
