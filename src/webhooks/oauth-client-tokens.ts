/** Access tokens from OAuth 2.0 client credentials (RFC 6749 §4.4), kept as long as they are valid. */

import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { WEBHOOK_ERRORS } from './errors.ts';
import type { PostOutbound } from './outbound-call.ts';
import { webhookUrl } from './webhook-request.ts';

export interface OAuthClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string | null;
  /** Of a person who agreed (RFC 6749 §6). Absent or null: the client's own credentials. */
  readonly refreshToken?: string | null;
}

interface KeptToken {
  readonly accessToken: string;
  readonly goodUntilMonoMs: number;
}

const MAX_KEPT_TOKENS = 1_000;
/** A token that expires during the call is useless. */
const EXPIRY_MARGIN_SEC = 30;
/** The lifetime if the server does not send one (RFC 6749 §5.1 leaves it open). */
const DEFAULT_LIFETIME_SEC = 300;
const MAX_LIFETIME_SEC = 86_400;
/** The characters that RFC 6750 §2.1 allows in a bearer token. */
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]{1,8192}=*$/;

export class OAuthClientTokens {
  readonly #post: PostOutbound;
  readonly #clock: Clock;
  /** In the order in which they were fetched. */
  readonly #kept = new Map<string, KeptToken>();
  /** Calls that need the same token at the same time fetch it once. */
  readonly #fetching = new Map<string, Promise<KeptToken>>();

  constructor(post: PostOutbound, clock: Clock) {
    this.#post = post;
    this.#clock = clock;
  }

  /** Fails WEBHOOK_TOKEN_REFUSED, or like the call. */
  async token(client: OAuthClient, signal: AbortSignal): Promise<string> {
    const key = keyOf(client);
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#clock.monoMs() < kept.goodUntilMonoMs) return kept.accessToken;
    const known = this.#fetching.get(key);
    if (known !== undefined) return (await known).accessToken;
    const fetching = this.#fetch(client, signal).finally(() => this.#fetching.delete(key));
    this.#fetching.set(key, fetching);
    const fetched = await fetching;
    this.#kept.delete(key);
    this.#kept.set(key, fetched);
    if (this.#kept.size > MAX_KEPT_TOKENS) this.#kept.delete(this.#kept.keys().next().value!);
    return fetched.accessToken;
  }

  /** The token was refused: the next call fetches another. */
  forget(client: OAuthClient): void {
    this.#kept.delete(keyOf(client));
  }

  async #fetch(client: OAuthClient, signal: AbortSignal): Promise<KeptToken> {
    const { refreshToken = null } = client;
    const form = new URLSearchParams(
      refreshToken === null
        ? { grant_type: 'client_credentials' }
        : { grant_type: 'refresh_token', refresh_token: refreshToken },
    );
    if (client.scope !== null) form.set('scope', client.scope);
    const response = await this.#post({
      url: webhookUrl(client.tokenUrl),
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        authorization: basicAuthorization(client),
      },
      body: form.toString(),
      signal,
    });
    const token = response.status === 200 ? tokenIn(response.body) : null;
    if (token === null) {
      throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_TOKEN_REFUSED, { status: response.status });
    }
    const goodSec = Math.max(0, Math.min(token.expiresInSec, MAX_LIFETIME_SEC) - EXPIRY_MARGIN_SEC);
    return {
      accessToken: token.accessToken,
      goodUntilMonoMs: this.#clock.monoMs() + goodSec * 1_000,
    };
  }
}

/** Both halves are form-encoded first (RFC 6749 §2.3.1). */
function basicAuthorization({ clientId, clientSecret }: OAuthClient): string {
  const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function tokenIn(body: string): { accessToken: string; expiresInSec: number } | null {
  let response: unknown;
  try {
    response = JSON.parse(body);
  } catch {
    // Not JSON: no token, and the error reports it.
    return null;
  }
  if (typeof response !== 'object' || response === null) return null;
  const {
    access_token: accessToken,
    token_type: type,
    expires_in: expiresIn,
  } = response as Record<string, unknown>;
  const isBearer = typeof type === 'string' && type.toLowerCase() === 'bearer';
  if (!isBearer || typeof accessToken !== 'string' || !BEARER_TOKEN.test(accessToken)) return null;
  const expiresInSec = typeof expiresIn === 'number' && expiresIn > 0 ? expiresIn : DEFAULT_LIFETIME_SEC;
  return { accessToken, expiresInSec };
}

/** The secret is part of the key, so that a client with a new secret does not keep using an old token. */
function keyOf({ tokenUrl, clientId, clientSecret, scope, refreshToken = null }: OAuthClient): string {
  return createHash('sha256')
    .update(JSON.stringify([tokenUrl, clientId, clientSecret, scope, refreshToken]))
    .digest('hex');
}
