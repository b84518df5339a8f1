/** How much can be reported through the API: rows and bytes of an organization, and of each credential in it. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { TokenBuckets, type TokenDraw } from '../core/token-buckets.ts';
import { INGEST_ERRORS } from './errors.ts';

/** The reporter. */
export interface Reporter {
  readonly orgUuid: Ruuid;
  /** The key or person. */
  readonly credentialUuid: Ruuid;
}

type Measure = 'ingestRows' | 'ingestBytes';

/** The innermost first: a credential beyond its own bound takes nothing from its organization. */
const LEVELS = ['credential', 'organization'] as const;

export class IngestRate {
  readonly #buckets: readonly { limit: Measure; level: (typeof LEVELS)[number]; buckets: TokenBuckets }[];

  constructor(clock: Pick<Clock, 'monoMs'>) {
    this.#buckets = (['ingestRows', 'ingestBytes'] as const).flatMap((limit) =>
      LEVELS.map((level) => {
        const { burst, perSec } = LIMITS[limit].levels[level];
        return {
          limit,
          level,
          buckets: new TokenBuckets({ clock, burst, refill: { tokens: perSec, perMs: 1_000 } }),
        };
      }),
    );
  }

  /** Fails INGEST_RATE_LIMITED: then nothing was taken. A batch that is larger than a bucket needs a full one. */
  take(
    { orgUuid, credentialUuid }: Reporter,
    amounts: { readonly rows: number; readonly bytes: number },
  ): void {
    const taken: TokenDraw[] = [];
    for (const { limit, level, buckets } of this.#buckets) {
      const wanted = limit === 'ingestRows' ? amounts.rows : amounts.bytes;
      const key = level === 'organization' ? orgUuid : `${orgUuid} ${credentialUuid}`;
      const draw = buckets.take(key, Math.min(wanted, LIMITS[limit].levels[level].burst));
      taken.push(draw);
      if (draw.isTaken) continue;
      for (const each of taken) each.giveBack();
      const retryAfterSec = Math.max(1, Math.ceil(draw.waitMs / 1_000));
      throw new GatewayError(INGEST_ERRORS.INGEST_RATE_LIMITED, { limit, boundOf: level, retryAfterSec });
    }
  }
}
