/** Deletes files of clips that are gone. One that cannot be deleted keeps no other from being deleted, and is tried again. */

import { eachAlone } from '../core/each-alone.ts';
import { toGatewayError } from '../core/errors.ts';
import { FairQueue, queueOptionsOf, type Turn } from '../core/fair-queue.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { MovieMaker } from '../playback/movie-maker.ts';

/** Files that could not be deleted; more are found at the next start. */
const MAX_UNDELETED = 1_000;

export interface ClipFileDeletionOptions {
  readonly maker: Pick<MovieMaker, 'delete'>;
  readonly log: Log;
  /** The gateway stops. */
  readonly closing: AbortSignal;
}

export class ClipFileDeletion {
  readonly #options: ClipFileDeletionOptions;
  readonly #turns = new FairQueue(queueOptionsOf(LIMITS.clipDeletions));
  readonly #undeleted = new Set<string>();

  constructor(options: ClipFileDeletionOptions) {
    this.#options = options;
  }

  /** Organizations take turns: one may have thousands. What finds no place is deleted at the next start. Never rejects. */
  async delete(turn: Turn, names: Iterable<string>): Promise<void> {
    await this.#turns.run(turn, () => this.deleteNow(names));
  }

  /** Tries again what could not be deleted. Never rejects. */
  again(): Promise<void> {
    return this.deleteNow([...this.#undeleted]);
  }

  /** Files that cannot be deleted are tried again with each sweep of retention, and at the next start. Never rejects. */
  async deleteNow(names: Iterable<string>): Promise<void> {
    const { maker, log, closing } = this.#options;
    const remove = async (name: string): Promise<void> => {
      if (closing.aborted) return;
      await maker.delete(name);
      this.#undeleted.delete(name);
    };
    await eachAlone(names, remove, (name, thrown) => {
      if (this.#undeleted.has(name)) return;
      if (this.#undeleted.size < MAX_UNDELETED) this.#undeleted.add(name);
      log.error({ name, err: toGatewayError(thrown) }, 'clip file not deleted, trying again');
    });
  }
}
