/** Challenges of passkeys that wait for a response. */

import type { CompiledQuery } from 'kysely';
import { PASSKEY_CHALLENGES } from '../entity-tables.ts';
import type { ChallengeBounds, PasskeyChallenge, PasskeyChallengeRepository } from '../passkey.ts';
import type { SqlDatabase } from '../sql-executor.ts';

export class PasskeyChallengeTable implements PasskeyChallengeRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async add(challenge: PasskeyChallenge, nowMs: number, bounds: ChallengeBounds): Promise<void> {
    const { build, executor } = this.#database;
    await executor.run(
      build.deleteFrom('passkey_challenges').where('expires_at_ms', '<=', nowMs).compile(),
      this.#trim(bounds.perAddress, challenge.address),
      this.#trim(bounds.total, null),
      build.insertInto('passkey_challenges').values(PASSKEY_CHALLENGES.toRow(challenge)).compile(),
    );
  }

  async take(
    { challengeHash, browserHash, purpose }: Parameters<PasskeyChallengeRepository['take']>[0],
    nowMs: number,
  ): Promise<PasskeyChallenge | null> {
    const query = this.#database.build
      .deleteFrom('passkey_challenges')
      .where('challenge_hash', '=', challengeHash)
      .where('browser_hash', '=', browserHash)
      .where('purpose', '=', purpose)
      .returningAll();
    const [{ rows }] = await this.#database.executor.run(query.compile());
    const [row] = rows;
    return row === undefined || row.expires_at_ms <= nowMs ? null : PASSKEY_CHALLENGES.fromRow(row);
  }

  /** Leaves room for one more. `address`: null for everyone's. */
  #trim(atMost: number, address: string | null): CompiledQuery<object> {
    const { build } = this.#database;
    const newest = build
      .selectFrom('passkey_challenges')
      .select('challenge_hash')
      .$if(address !== null, (query) => query.where('address', '=', address!))
      .orderBy('expires_at_ms', 'desc')
      .orderBy('challenge_hash')
      .limit(atMost - 1);
    return build
      .deleteFrom('passkey_challenges')
      .$if(address !== null, (query) => query.where('address', '=', address!))
      .where('challenge_hash', 'not in', newest)
      .compile();
  }
}
