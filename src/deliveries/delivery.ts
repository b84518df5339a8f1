/** A delivery to another host: what to send, and the log of its attempts. */

import type { GatewayError } from '../core/errors.ts';
import type { Resource } from '../store/resource.ts';

export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What every attempt has in the log. */
export interface LoggedAttempt {
  readonly atMs: number;
  readonly durationMs: number;
  /** Code of the error; null: none. */
  readonly errorCode: string | null;
}

export interface QueuedBody<Attempt extends LoggedAttempt> {
  readonly state: DeliveryState;
  readonly attempts: readonly Attempt[];
  /** When the next attempt is due, epoch milliseconds; null: there is none. */
  readonly nextAttemptAtMs: number | null;
}

/** The attempts of a kind of delivery. */
export type AttemptOf<Body> = Body extends QueuedBody<infer Attempt> ? Attempt : never;

/** The result of an attempt; `again`: another one may do better. */
export type QueueOutcome<Attempt extends LoggedAttempt> =
  | {
      readonly result: 'delivered';
      /** Fields of the body that are known since this attempt. */
      readonly learned?: object;
      /** What the log has about it. */
      readonly facts: Omit<Attempt, keyof LoggedAttempt>;
    }
  | {
      readonly result: 'failed';
      readonly learned?: object;
      readonly facts: Omit<Attempt, keyof LoggedAttempt>;
      readonly error: GatewayError;
      readonly again: boolean;
      /** The pause that the host requests; null: it requests none. */
      readonly retryAfterMs: number | null;
    }
  /** There is nothing to send any more: it leaves the log. */
  | { readonly result: 'dropped' };

export type QueuedDelivery<Body extends object> = Resource<Body>;
