/** Challenges of passkeys that wait for a response. */

import type { CompiledQuery } from 'kysely';
import type { Ruuid } from '../../core/ruuid.ts';
import type {
  ChallengeBounds,
  PasskeyChallenge,
  PasskeyChallengeRepository,
  PasskeyPurpose,
} from '../passkey.ts';
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
      build
        .insertInto('passkey_challenges')
        .values({
          challenge_hash: challenge.challengeHash,
          browser_hash: challenge.browserHash,
          address: challenge.address,
          purpose: challenge.purpose,
          subject_uuid: challenge.subjectUuid,
          expires_at_ms: challenge.expiresAtMs,
        })
        .compile(),
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
    if (row === undefined || row.expires_at_ms <= nowMs) return null;
    return {
      challengeHash: row.challenge_hash,
      browserHash: row.browser_hash,
      address: row.address,
      purpose: row.purpose as PasskeyPurpose,
      subjectUuid: row.subject_uuid as Ruuid | null,
      expiresAtMs: row.expires_at_ms,
    };
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
