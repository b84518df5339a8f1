/** Tokens with which a directory manages an organization's people: shown once, stored as a hash, several at a time for a change of token. */

import { newConsoleToken } from '../accounts/console-token.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Secret } from '../core/secret.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import { type Resource, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { SCIM_ERRORS } from './errors.ts';

/** Its UUID is derived from the token's hash: the token itself is not stored. */
export type ScimToken = Resource<Record<string, never>>;
export const SCIM_TOKENS = resourceKind<Record<string, never>>('scimToken');

/** The last request with a token, as far as it is noted. */
export interface ScimRequest {
  readonly atMs: number;
  readonly method: string;
  /** Below `/scim/v2`, without its query. */
  readonly path: string;
  readonly status: number;
  /** What the response said of a failure; null: it succeeded. */
  readonly detail: string | null;
}

/** Its UUID and parent are the token's. No one is audited for it: it would fill the trail. */
export const SCIM_TOKEN_USES = resourceKind<ScimRequest>('scimTokenUse');

/** A use is noted at most this often, unless another result is. */
const NOTED_EVERY_MS = 10_000;
const MAX_PATH_CHARS = 200;

const ROOM = {
  atMost: LIMITS.scimTokens.perOrganization,
  within: 'organization' as const,
  full: () => new GatewayError(SCIM_ERRORS.TOO_MANY_SCIM_TOKENS),
};

export class ScimTokens {
  readonly #store: Pick<Store, 'resources'>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor({
    store,
    clock,
  }: {
    readonly store: Pick<Store, 'resources'>;
    readonly clock: Pick<Clock, 'epochMs'>;
  }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Resolves with the token, which is not stored. Fails SCIM_TOKEN_UNNAMED, TOO_MANY_SCIM_TOKENS. */
  async create(
    orgUuid: Ruuid,
    displayName: string,
  ): Promise<{ readonly record: ScimToken; readonly token: Secret }> {
    const name = displayName.trim();
    if (name === '') throw new GatewayError(SCIM_ERRORS.SCIM_TOKEN_UNNAMED);
    const { token, hash } = newConsoleToken('slv_');
    const nowMs = this.#clock.epochMs();
    const record: ScimToken = {
      uuid: uuidOf(hash),
      orgUuid,
      name,
      parentUuid: null,
      secret: null,
      body: {},
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    await this.#store.resources.of(SCIM_TOKENS).change(orgUuid, record.uuid, () => record, ROOM);
    return { record, token };
  }

  /** In the order in which they were created, each with its last request; null: there was none. */
  async list(
    orgUuid: Ruuid,
  ): Promise<readonly { readonly token: ScimToken; readonly lastRequest: ScimRequest | null }[]> {
    const uses = await this.#store.resources.of(SCIM_TOKEN_USES).list(orgUuid);
    const byToken = new Map(uses.map(({ uuid, body }) => [uuid, body]));
    const tokens = await this.#store.resources.of(SCIM_TOKENS).list(orgUuid);
    return tokens.map((token) => ({ token, lastRequest: byToken.get(token.uuid) ?? null }));
  }

  /** It works for no further request. Fails SCIM_TOKEN_NOT_FOUND. */
  async revoke(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    if (!(await this.#store.resources.of(SCIM_TOKENS).remove(orgUuid, uuid))) {
      throw new GatewayError(SCIM_ERRORS.SCIM_TOKEN_NOT_FOUND);
    }
    await this.#store.resources.of(SCIM_TOKEN_USES).remove(orgUuid, uuid);
  }

  /** Null: there is none, or it was revoked. Read from the store for each request, so no node accepts a revoked one. */
  find(text: string): Promise<ScimToken | null> {
    return this.#store.resources.of(SCIM_TOKENS).findEverywhere(uuidOf(hashApiKey(text)));
  }

  async noteUse({ orgUuid, uuid, name }: ScimToken, request: Omit<ScimRequest, 'atMs'>): Promise<void> {
    const nowMs = this.#clock.epochMs();
    const body = { ...request, path: request.path.slice(0, MAX_PATH_CHARS), atMs: nowMs };
    await this.#store.resources.of(SCIM_TOKEN_USES).change(orgUuid, uuid, (known) => {
      const isNoted =
        known !== null &&
        nowMs - known.body.atMs < NOTED_EVERY_MS &&
        known.body.status < 400 === request.status < 400;
      if (isNoted) return 'unchanged';
      return {
        uuid,
        orgUuid,
        name,
        parentUuid: uuid,
        secret: null,
        body,
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
    });
  }
}

function uuidOf(hash: string): Ruuid {
  return deriveRuuid('scim token', hash);
}
