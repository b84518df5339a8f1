/**
 * Requests that are carried out once, no matter how often they are sent (draft-ietf-httpapi-idempotency-key-header). A
 * request with a key writes a record before it is carried out, and its response to that record afterwards. The record is
 * in the database, so it survives a restart and works between processes. docs/design/idempotency.md.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { deriveRuuid, newRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceRepository,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './caller.ts';
import { ACCOUNT_ERRORS } from './errors.ts';

const KEPT_MS = 24 * 3_600_000;
/** Per credential, at the same time. */
export const MAX_IDEMPOTENCY_KEYS = LIMITS.idempotencyKeys.perOrganization;
/** Longer responses are not stored. */
const MAX_RESPONSE_CHARS = 32 * 1_024;
/** No endpoint takes this long: the process that ran the call has ended. */
const MOST_RUNNING_MS = 5 * 60_000;
/** How many expired records each new one removes: more than are added. */
const REMOVED_PER_REQUEST = 8;

interface IdempotentRequestBody {
  /** `unknown`: it began, but no response is stored. */
  readonly state: 'running' | 'finished' | 'unknown';
  /** Identifies the attempt. */
  readonly attemptUuid: Ruuid;
  readonly expiresAtMs: number;
}

/** Encrypted at rest: from a request's hash, passwords in it could be guessed, and responses contain links. */
interface KeptSecret {
  readonly fingerprint: string;
  readonly answer: string | null;
}

type IdempotentRequest = Resource<IdempotentRequestBody>;

/** By organization, credential and key. The parent is the credential. */
export const IDEMPOTENT_REQUESTS: ResourceKind<IdempotentRequestBody> = resourceKind('idempotentRequest');

export type IdempotentStart =
  | { readonly kind: 'first'; readonly attempt: IdempotentAttempt }
  /** `answer`: as passed to `finish`. */
  | { readonly kind: 'again'; readonly answer: string };

export class IdempotentRequests {
  readonly #requests: ResourceRepository<IdempotentRequestBody>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor({ store, clock }: { readonly store: Pick<Store, 'resources'>; readonly clock: Clock }) {
    this.#requests = store.resources.of(IDEMPOTENT_REQUESTS);
    this.#clock = clock;
  }

  /**
   * `fingerprint` identifies the request. If several arrive at the same time, one is the first. Fails IDEMPOTENCY_KEY_REUSED,
   * IDEMPOTENT_REQUEST_RUNNING, IDEMPOTENT_ANSWER_UNKNOWN, TOO_MANY_IDEMPOTENCY_KEYS.
   */
  async start(
    { orgUuid, actor, principal }: Pick<Caller, 'orgUuid' | 'actor' | 'principal'>,
    idempotencyKey: string,
    fingerprint: string,
  ): Promise<IdempotentStart> {
    // A person who signs in again can repeat their earlier requests.
    const credentialUuid = principal.kind === 'application' ? principal.grant.uuid : actor.uuid;
    const nowMs = this.#clock.epochMs();
    await this.#removeExpired(orgUuid, credentialUuid, nowMs);
    const attemptUuid = newRuuid();
    const own: IdempotentRequest = {
      uuid: deriveRuuid('idempotent request', `${credentialUuid} ${idempotencyKey}`),
      orgUuid,
      name: '',
      parentUuid: credentialUuid,
      body: { state: 'running', attemptUuid, expiresAtMs: nowMs + KEPT_MS },
      secret: secretOf({ fingerprint, answer: null }),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    const { after } = await this.#requests.change(
      orgUuid,
      own.uuid,
      (known) => (known !== null && nowMs < known.body.expiresAtMs ? 'unchanged' : own),
      {
        atMost: MAX_IDEMPOTENCY_KEYS,
        within: 'parent',
        full: () => new GatewayError(ACCOUNT_ERRORS.TOO_MANY_IDEMPOTENCY_KEYS),
      },
    );
    if (after === null || after.body.attemptUuid === attemptUuid) {
      return { kind: 'first', attempt: new IdempotentAttempt(this.#requests, own, fingerprint) };
    }
    return { kind: 'again', answer: responseOf(after, fingerprint, nowMs) };
  }

  async #removeExpired(orgUuid: Ruuid, credentialUuid: Ruuid, nowMs: number): Promise<void> {
    const oldest = await this.#requests.page(orgUuid, {
      parentUuid: credentialUuid,
      order: 'oldest-first',
      after: null,
      limit: REMOVED_PER_REQUEST,
    });
    const expired = oldest.filter(({ body }) => body.expiresAtMs <= nowMs);
    if (expired.length === 0) return;
    const uuids = expired.map(({ uuid }) => uuid);
    await this.#requests.changeAll(orgUuid, uuids, (known) =>
      known !== null && known.body.expiresAtMs <= nowMs ? 'removed' : 'unchanged',
    );
  }
}

/** A request that is being carried out. One of these methods ends it. */
export class IdempotentAttempt {
  readonly #requests: ResourceRepository<IdempotentRequestBody>;
  readonly #own: IdempotentRequest;
  readonly #fingerprint: string;

  constructor(
    requests: ResourceRepository<IdempotentRequestBody>,
    own: IdempotentRequest,
    fingerprint: string,
  ) {
    this.#requests = requests;
    this.#own = own;
    this.#fingerprint = fingerprint;
  }

  /** The request was carried out. `answer`: the response to the same request when repeated, without the parts that are shown only once. */
  finish(answer: string): Promise<void> {
    if (answer.length > MAX_RESPONSE_CHARS) return this.lose();
    return this.#become((request) => ({
      ...request,
      body: { ...request.body, state: 'finished' },
      secret: secretOf({ fingerprint: this.#fingerprint, answer }),
    }));
  }

  /** It was refused and changed nothing: the key can be used again. */
  release(): Promise<void> {
    return this.#become(() => 'removed');
  }

  /** It may have been carried out. */
  lose(): Promise<void> {
    return this.#become((request) => ({ ...request, body: { ...request.body, state: 'unknown' } }));
  }

  async #become(next: (request: IdempotentRequest) => IdempotentRequest | 'removed'): Promise<void> {
    const { orgUuid, uuid, body } = this.#own;
    await this.#requests.change(orgUuid, uuid, (known) =>
      known?.body.attemptUuid === body.attemptUuid ? next(known) : 'unchanged',
    );
  }
}

/** Fails like `start`. */
function responseOf(request: IdempotentRequest, fingerprint: string, nowMs: number): string {
  const kept = JSON.parse(request.secret?.reveal() ?? '{}') as Partial<KeptSecret>;
  if (kept.fingerprint !== fingerprint) throw new GatewayError(ACCOUNT_ERRORS.IDEMPOTENCY_KEY_REUSED);
  if (request.body.state === 'finished' && typeof kept.answer === 'string') return kept.answer;
  const isRunning = request.body.state === 'running' && nowMs - request.createdAtMs < MOST_RUNNING_MS;
  throw new GatewayError(
    isRunning ? ACCOUNT_ERRORS.IDEMPOTENT_REQUEST_RUNNING : ACCOUNT_ERRORS.IDEMPOTENT_ANSWER_UNKNOWN,
  );
}

function secretOf(kept: KeptSecret): Secret {
  return new Secret(JSON.stringify(kept));
}
