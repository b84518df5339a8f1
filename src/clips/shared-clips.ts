/** Clips as the viewers of a shared group see them. */

import type { Ruuid } from '../core/ruuid.ts';
import { SAVED_CLIPS, type SavedClip } from '../events/saved-clips.ts';
import type { SharedItem, SharedItemState, SharedItems } from '../sharing/shared-group.ts';
import type { Store } from '../store/store.ts';
import { CLIP_JOBS } from './clip-records.ts';
import { sharedFilesOf } from './shared-files.ts';

export class SharedClips implements SharedItems {
  readonly #store: Pick<Store, 'resources' | 'cameras' | 'locations'>;

  constructor(store: Pick<Store, 'resources' | 'cameras' | 'locations'>) {
    this.#store = store;
  }

  async find(orgUuid: Ruuid, uuid: Ruuid, showsUnmasked: boolean): Promise<SharedItem | null> {
    const clip = await this.#store.resources.of(SAVED_CLIPS).find(orgUuid, uuid);
    if (clip === null) return null;
    const { title = '', description = '', timestampMs, durationSec = null } = clip.body;
    const { status, deviceUuids } = clip.body;
    const { files, isWithheld } =
      status === 'COMPLETE'
        ? await sharedFilesOf(this.#store, clip, deviceUuids, showsUnmasked)
        : { files: [], isWithheld: false };
    const missing = isWithheld ? 'withheld' : await this.#stateOfMissing(clip);
    const state = files.length > 0 ? 'ready' : missing;
    if (state === null) return this.find(orgUuid, uuid, showsUnmasked);
    return { uuid, title, description, startMs: timestampMs, durationSec, state, files };
  }

  /** A clip that is being made has a job, until it is complete. null: it was completed or deleted meanwhile. */
  async #stateOfMissing({ orgUuid, uuid, body, updatedAtMs }: SavedClip): Promise<SharedItemState | null> {
    if (body.status === 'COMPLETE') return 'failed';
    const { resources } = this.#store;
    const job = await resources.of(CLIP_JOBS).find(orgUuid, uuid);
    if (job !== null) return job.body.failureCode === null ? 'making' : 'failed';
    const now = await resources.of(SAVED_CLIPS).find(orgUuid, uuid);
    return now?.updatedAtMs === updatedAtMs && now.body.status === body.status ? 'failed' : null;
  }
}
