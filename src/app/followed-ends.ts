/**
 * Views that another gateway on the same database ended, and addresses that it blocked or let in again: read again now and
 * then, so that each node honors them. Alone with its database, a gateway knows them all.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { EndedViews } from '../sharing/ended-views.ts';
import type { ShareViewers } from '../sharing/share-viewers.ts';

/** The longest time for which a viewer who was ended at one node can watch at another. */
export const FOLLOW_ENDS_MS = 2_000;

export class FollowedEnds {
  readonly #ended: EndedViews;
  readonly #viewers: Pick<ShareViewers, 'reconsider'>;
  readonly #clock: Clock;
  readonly #log: Log;
  #timer: TimerHandle | null = null;
  #isFailing = false;
  #isClosed = false;

  constructor(options: {
    readonly ended: EndedViews;
    readonly viewers: Pick<ShareViewers, 'reconsider'>;
    readonly clock: Clock;
    readonly log: Log;
  }) {
    this.#ended = options.ended;
    this.#viewers = options.viewers;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#arm();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #arm(): void {
    if (!this.#isClosed) this.#timer = this.#clock.after(FOLLOW_ENDS_MS, () => void this.#follow());
  }

  async #follow(): Promise<void> {
    try {
      for (const { orgUuid, linkUuid } of await this.#ended.refresh()) {
        this.#viewers.reconsider(orgUuid, linkUuid);
      }
      this.#isFailing = false;
    } catch (thrown) {
      if (!this.#isFailing) this.#log.warn({ err: toGatewayError(thrown) }, 'ended views not read');
      this.#isFailing = true;
    }
    this.#arm();
  }
}
