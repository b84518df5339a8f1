/**
 * OAuth access tokens that views of devices rest on, in memory. A token ends when it expires, with its grant, and with its application; the
 * key behind it is checked separately (device-directory.ts).
 */

import { accessTokenUuid } from '../accounts/access-tokens.ts';
import type { EndedTokens } from '../accounts/credential-rules.ts';
import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { OAuthGrant, OAuthGrantRepository, OAuthToken } from '../store/oauth.ts';
import type { ChangeEvent } from '../store/store.ts';

export interface TokenRow {
  readonly tokenHash: string;
  readonly grantUuid: Ruuid;
  readonly clientUuid: Ruuid;
  /** The organization that the application acts for. */
  readonly orgUuid: Ruuid;
  readonly keyUuid: Ruuid;
  readonly expiresAtMs: number;
}

export interface TokenTableOptions {
  readonly repository: Pick<OAuthGrantRepository, 'findToken' | 'listAccessTokens'>;
  /** A token has ended before its time. */
  readonly onEnd: (uuid: Ruuid) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Expired tokens are forgotten once there are this many more than after the last look. */
const FORGET_AFTER = 1_000;

export class TokenTable {
  readonly #options: TokenTableOptions;
  readonly #rows = new Map<Ruuid, TokenRow>();
  /** Tokens ended so far: a read from before an end is not kept after it. */
  #ends = 0;
  #forgetAt = FORGET_AFTER;

  constructor(options: TokenTableOptions) {
    this.#options = options;
  }

  get(uuid: Ruuid): TokenRow | undefined {
    return this.#rows.get(uuid);
  }

  /** Reads all tokens that work, and forgets those that no longer do. Rejects like the store. */
  async load(): Promise<void> {
    const { repository, clock } = this.#options;
    for (;;) {
      const ends = this.#ends;
      const listed = await repository.listAccessTokens(clock.epochMs());
      if (ends !== this.#ends) continue;
      this.#rows.clear();
      for (const { token, grant } of listed) this.#put(token, grant);
      return;
    }
  }

  /** Reads a token that is not known yet: nothing announces new ones. Rejects like the store. */
  async learn(tokenHash: string): Promise<void> {
    if (this.#rows.has(accessTokenUuid(tokenHash))) return;
    const ends = this.#ends;
    const found = await this.#options.repository.findToken(tokenHash);
    if (found !== null && found.token.kind === 'access' && ends === this.#ends) {
      this.#forgetExpired();
      this.#put(found.token, found.grant);
    }
  }

  end(ended: EndedTokens): void {
    this.#ends++;
    for (const [uuid, row] of this.#rows) {
      const isEnded =
        ('tokenHash' in ended && row.tokenHash === ended.tokenHash) ||
        ('grantUuid' in ended && row.grantUuid === ended.grantUuid) ||
        ('clientUuid' in ended && row.clientUuid === ended.clientUuid);
      if (isEnded) this.#remove(uuid);
    }
  }

  follow({ entity, type, uuid }: ChangeEvent): void {
    if (entity === 'oauthApplication') {
      if (type === 'DELETE') this.end({ clientUuid: uuid });
    } else if (type === 'DELETE') this.end({ grantUuid: uuid });
    else if (type === 'UPDATE') void this.#reread(uuid);
  }

  /** One of the grant's tokens was removed; the event does not name it. A token that cannot be read counts as removed. */
  async #reread(grantUuid: Ruuid): Promise<void> {
    this.#ends++;
    const { repository, log } = this.#options;
    for (const [uuid, row] of [...this.#rows]) {
      if (row.grantUuid !== grantUuid) continue;
      const found = await repository.findToken(row.tokenHash).catch((thrown: unknown) => {
        log.warn({ err: toGatewayError(thrown), grant: grantUuid }, 'changed access rule not readable');
        return null;
      });
      if (found === null) this.#remove(uuid);
    }
  }

  #put({ tokenHash, expiresAtMs }: OAuthToken, grant: OAuthGrant): void {
    const { uuid: grantUuid, clientUuid, orgUuid, keyUuid } = grant;
    const row: TokenRow = { tokenHash, grantUuid, clientUuid, orgUuid, keyUuid, expiresAtMs };
    this.#rows.set(accessTokenUuid(tokenHash), row);
  }

  #remove(uuid: Ruuid): void {
    if (this.#rows.delete(uuid)) this.#options.onEnd(uuid);
  }

  #forgetExpired(): void {
    if (this.#rows.size < this.#forgetAt) return;
    const nowMs = this.#options.clock.epochMs();
    for (const [uuid, { expiresAtMs }] of this.#rows) if (nowMs >= expiresAtMs) this.#rows.delete(uuid);
    this.#forgetAt = this.#rows.size + FORGET_AFTER;
  }
}
