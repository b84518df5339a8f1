/** OAuth grants and their tokens. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import { OAUTH_GRANTS, OAUTH_TOKENS, type OAuthGrantRow, type OAuthTokenRow } from '../entity-tables.ts';
import type { OAuthGrant, OAuthGrantRepository, OAuthSuccessors, OAuthToken } from '../oauth.ts';
import type { Room } from '../record-change.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import { RowStatements } from './row-statements.ts';

export class OAuthGrantTable implements OAuthGrantRepository {
  readonly #database: SqlDatabase;
  readonly #changes: ChangeFeed;
  readonly #statements: RowStatements<OAuthGrantRow>;

  constructor(database: SqlDatabase, changes: ChangeFeed) {
    this.#database = database;
    this.#changes = changes;
    this.#statements = new RowStatements(database, 'oauth_grants', ['uuid']);
  }

  async begin(grant: OAuthGrant, code: OAuthToken, room: Room): Promise<void> {
    const limit = { columns: ['org_uuid'], atMost: room.atMost };
    const [stored] = await this.#database.executor.run(
      this.#statements.insert(OAUTH_GRANTS.toRow(grant), ['uuid'], [limit]),
      this.#added(code),
    );
    if (stored.changes === 0) throw room.full();
    this.#published('CREATE', grant);
  }

  async findToken(tokenHash: string): Promise<{ token: OAuthToken; grant: OAuthGrant } | null> {
    const query = this.#database.build
      .selectFrom('oauth_tokens')
      .innerJoin('oauth_grants', 'oauth_grants.uuid', 'oauth_tokens.grant_uuid')
      .selectAll()
      .where('token_hash', '=', tokenHash);
    const [{ rows }] = await this.#database.executor.run(query.compile());
    const [row] = rows;
    return row === undefined ? null : { token: OAUTH_TOKENS.fromRow(row), grant: OAUTH_GRANTS.fromRow(row) };
  }

  async listAccessTokens(nowMs: number): Promise<{ token: OAuthToken; grant: OAuthGrant }[]> {
    const query = this.#database.build
      .selectFrom('oauth_tokens')
      .innerJoin('oauth_grants', 'oauth_grants.uuid', 'oauth_tokens.grant_uuid')
      .selectAll()
      .where('kind', '=', 'access')
      .where('expires_at_ms', '>', nowMs);
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return rows.map((row) => ({ token: OAUTH_TOKENS.fromRow(row), grant: OAUTH_GRANTS.fromRow(row) }));
  }

  /** The token names the first of its successors: only the exchange that wrote this name adds anything. */
  async exchange(tokenHash: string, atMs: number, successors: OAuthSuccessors): Promise<boolean> {
    const { build, executor } = this.#database;
    const claim = successors[0].tokenHash;
    const [taken] = await executor.run(
      build
        .updateTable('oauth_tokens')
        .set({ used_at_ms: atMs, successor_hash: claim })
        .where('token_hash', '=', tokenHash)
        .where('used_at_ms', 'is', null)
        .compile(),
      ...successors.map((successor) => this.#added(successor, { tokenHash, claim })),
    );
    return taken.changes === 1;
  }

  /** Adds a token only if its grant is stored, and, for a successor, if the old token was exchanged under this claim. */
  #added(token: OAuthToken, exchanged?: { readonly tokenHash: string; readonly claim: string }) {
    const { build } = this.#database;
    const { token_hash, kind, expires_at_ms } = tokenRow(token);
    let added = build
      .selectFrom('oauth_grants')
      .select(({ val, ref }) => [
        val(token_hash).as('token_hash'),
        ref('uuid').as('grant_uuid'),
        val(kind).as('kind'),
        val(expires_at_ms).as('expires_at_ms'),
      ])
      .where('uuid', '=', token.grantUuid);
    if (exchanged !== undefined) {
      const { tokenHash, claim } = exchanged;
      added = added.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('oauth_tokens')
            .select('token_hash')
            .where('token_hash', '=', tokenHash)
            .where('successor_hash', '=', claim),
        ),
      );
    }
    return build
      .insertInto('oauth_tokens')
      .columns(['token_hash', 'grant_uuid', 'kind', 'expires_at_ms'])
      .expression(added)
      .compile();
  }

  async list(orgUuid: Ruuid): Promise<OAuthGrant[]> {
    const query = this.#database.build.selectFrom('oauth_grants').selectAll().where('org_uuid', '=', orgUuid);
    const [{ rows }] = await this.#database.executor.run(
      query.orderBy('created_at_ms').orderBy('uuid').compile(),
    );
    return rows.map(OAUTH_GRANTS.fromRow);
  }

  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean> {
    const query = this.#database.build.deleteFrom('oauth_grants').where('org_uuid', '=', orgUuid);
    const [{ changes }] = await this.#database.executor.runVital(query.where('uuid', '=', uuid).compile());
    if (changes > 0) this.#published('DELETE', { orgUuid, uuid });
    return changes > 0;
  }

  async removeToken(grant: OAuthGrant, tokenHash: string): Promise<void> {
    const query = this.#database.build.deleteFrom('oauth_tokens').where('grant_uuid', '=', grant.uuid);
    const [{ changes }] = await this.#database.executor.runVital(
      query.where('token_hash', '=', tokenHash).compile(),
    );
    if (changes > 0) this.#published('UPDATE', grant);
  }

  async removeExpired(nowMs: number): Promise<void> {
    const { build, executor } = this.#database;
    await executor.run(
      build
        .deleteFrom('oauth_grants')
        .where('uuid', 'in', ({ selectFrom }) =>
          selectFrom('oauth_tokens').select('grant_uuid').where('expires_at_ms', '<=', nowMs),
        )
        .where('uuid', 'not in', ({ selectFrom }) =>
          selectFrom('oauth_tokens as living')
            .select('living.grant_uuid')
            .whereRef('living.grant_uuid', '=', 'oauth_grants.uuid')
            .where('living.expires_at_ms', '>', nowMs),
        )
        .compile(),
      build
        .deleteFrom('oauth_tokens')
        .where('expires_at_ms', '<=', nowMs)
        .where(({ eb, or }) => or([eb('kind', '!=', 'code'), eb('used_at_ms', 'is', null)]))
        .compile(),
    );
  }

  #published(type: 'CREATE' | 'UPDATE' | 'DELETE', grant: Pick<OAuthGrant, 'orgUuid' | 'uuid'>): void {
    this.#changes.publish({ entity: 'oauthGrant', type, orgUuid: grant.orgUuid, uuid: grant.uuid });
  }
}

function tokenRow(token: OAuthToken): OAuthTokenRow {
  return { ...OAUTH_TOKENS.toRow(token), successor_hash: null };
}
