/** A delivery to another service: what to send, and the log of its attempts. */

import type { Ruuid } from '../core/ruuid.ts';
import type { LoggedAttempt, QueuedBody } from '../deliveries/delivery.ts';
import { type Resource, type ResourceKind, resourceKind } from '../store/resource.ts';
import type { OAuthClient } from './oauth-client-tokens.ts';

export interface DeliveryAttempt extends LoggedAttempt {
  /** null: there was no response. */
  readonly httpStatus: number | null;
}

/** The parent is what caused it: a rule or a webhook. */
export interface DeliveryBody extends QueuedBody<DeliveryAttempt> {
  /** The event, in a word. */
  readonly event: string;
  /** Without its query, which may contain a key. */
  readonly url: string;
}

export const DELIVERIES: ResourceKind<DeliveryBody> = resourceKind('webhookDelivery');
export type Delivery = Resource<DeliveryBody>;

/** The request to send. It is stored encrypted with the delivery until it is finished, so that a restart does not lose it. */
export interface DeliveryRequest {
  readonly url: string;
  /** As `webhookHeaders` gives them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
  readonly signingSecret: string;
  readonly oauthClient: OAuthClient | null;
}

export interface NewDelivery extends DeliveryRequest {
  /** Sending a logged delivery again does nothing; absent: a new UUID. */
  readonly uuid?: Ruuid;
  readonly orgUuid: Ruuid;
  readonly causeUuid: Ruuid;
  readonly event: string;
}
