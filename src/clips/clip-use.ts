/** How much of the disk the files of clips and timelapses take, by organization. Retention makes room with it. */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { nextTurn } from '../core/sliced-work.ts';
import type { ResourceMark } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { CLIP_FILES } from './clip-records.ts';

/** Reading all files of clips takes a while, and a nearly full disk is looked at often. */
export const KNOWN_FOR_MS = 60_000;
/** Few enough to be decoded next to live media. */
const FILES_PER_TURN = 64;

export class ClipUse {
  readonly #store: Pick<Store, 'organizations' | 'resources'>;
  readonly #clock: Pick<Clock, 'monoMs'>;
  #known: { readonly bytes: ReadonlyMap<Ruuid, number>; readonly readMonoMs: number } | null = null;

  constructor(store: Pick<Store, 'organizations' | 'resources'>, clock: Pick<Clock, 'monoMs'>) {
    this.#store = store;
    this.#clock = clock;
  }

  /** As of at most KNOWN_FOR_MS ago. Rejects like the store. */
  async bytes(): Promise<ReadonlyMap<Ruuid, number>> {
    const nowMonoMs = this.#clock.monoMs();
    if (this.#known !== null && nowMonoMs - this.#known.readMonoMs < KNOWN_FOR_MS) return this.#known.bytes;
    const bytes = new Map<Ruuid, number>();
    for (const { uuid } of await this.#store.organizations.list()) {
      const ofOrg = await this.#bytesOf(uuid);
      if (ofOrg > 0) bytes.set(uuid, ofOrg);
    }
    this.#known = { bytes, readMonoMs: nowMonoMs };
    return bytes;
  }

  async #bytesOf(orgUuid: Ruuid): Promise<number> {
    const files = this.#store.resources.of(CLIP_FILES);
    let bytes = 0;
    for (let after: ResourceMark | null = null; ; ) {
      const page = await files.page(orgUuid, { after, limit: FILES_PER_TURN });
      for (const { body } of page) bytes += body.byteLength + (body.image?.byteLength ?? 0);
      if (page.length < FILES_PER_TURN) return bytes;
      after = page.at(-1)!;
      await nextTurn();
    }
  }
}
