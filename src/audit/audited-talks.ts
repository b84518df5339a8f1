/**
 * Talks in the audit trail: each is one row of its own, stored before anyone hears it, and its last time is its end. An end that cannot be
 * written is kept and written later, in the place that the row holds among the organization's waiting rows. A talk whose row finds no place,
 * or that the store does not take, must not begin.
 */

import { toGatewayError } from '../core/errors.ts';
import type { Pool } from '../core/limits/pool.ts';
import type { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { AuditEvent, AuditRepository } from '../store/audit.ts';

interface EndedTalk {
  readonly lastAtMs: number;
  readonly giveBack: () => void;
}

export interface AuditedTalksOptions {
  readonly rows: Pick<AuditRepository, 'add' | 'repeat'>;
  readonly room: Pool<typeof LIMITS.auditWaiting>;
  readonly nowEpochMs: () => number;
  readonly log: Log;
  /** An end waits to be written: call `writeEnds`, now and from time to time. */
  readonly onEnd: () => void;
}

const ENDS_PER_WRITE = 200;

export class AuditedTalks {
  readonly #options: AuditedTalksOptions;
  readonly #ended = new Map<Ruuid, EndedTalk>();
  #writing: Promise<void> | null = null;

  constructor(options: AuditedTalksOptions) {
    this.#options = options;
  }

  /** Ends that are not written yet. */
  get waiting(): number {
    return this.#ended.size;
  }

  /** Resolves when its row is stored; null: it cannot be. */
  async begin(event: AuditEvent): Promise<{ end(): void } | null> {
    const { rows, room, log } = this.#options;
    const taken = room.take({ organization: event.orgUuid });
    if (!taken.isTaken) return null;
    try {
      await rows.add([event], 'vital');
    } catch (thrown) {
      taken.giveBack();
      log.error({ err: toGatewayError(thrown) }, 'talk not recorded');
      return null;
    }
    return { end: () => this.#end(event.uuid, taken.giveBack) };
  }

  /** Tries once. */
  writeEnds(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  #end(uuid: Ruuid, giveBack: () => void): void {
    this.#ended.set(uuid, { lastAtMs: this.#options.nowEpochMs(), giveBack });
    this.#options.onEnd();
  }

  async #write(): Promise<void> {
    while (this.#ended.size > 0) {
      const ended = [...this.#ended].slice(0, ENDS_PER_WRITE);
      const rows = ended.map(([uuid, { lastAtMs }]) => ({ uuid, occurrences: 1, lastAtMs }));
      try {
        await this.#options.rows.repeat(rows);
      } catch (thrown) {
        this.#options.log.error(
          { err: toGatewayError(thrown), talks: rows.length },
          'ends of talks not recorded yet',
        );
        return;
      }
      for (const [uuid, { giveBack }] of ended) {
        this.#ended.delete(uuid);
        giveBack();
      }
    }
  }
}
