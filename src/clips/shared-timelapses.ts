/** Timelapses as the viewers of a shared group see them. */

import type { Ruuid } from '../core/ruuid.ts';
import type { SharedItem, SharedItems } from '../sharing/shared-group.ts';
import type { Store } from '../store/store.ts';
import { sharedFilesOf } from './shared-files.ts';
import { TIMELAPSES } from './timelapses.ts';

const STATES = { INITIATED: 'making', COMPLETE: 'ready', FAILED: 'failed' } as const;

export class SharedTimelapses implements SharedItems {
  readonly #store: Pick<Store, 'resources' | 'cameras' | 'locations'>;

  constructor(store: Pick<Store, 'resources' | 'cameras' | 'locations'>) {
    this.#store = store;
  }

  async find(orgUuid: Ruuid, uuid: Ruuid, showsUnmasked: boolean): Promise<SharedItem | null> {
    const timelapse = await this.#store.resources.of(TIMELAPSES).find(orgUuid, uuid);
    if (timelapse === null) return null;
    const { title, description, startMs, durationSec, status, devices } = timelapse.body;
    const { files, isWithheld } =
      status === 'COMPLETE'
        ? await sharedFilesOf(this.#store, timelapse, devices, showsUnmasked)
        : { files: [], isWithheld: false };
    // Files of one that is being deleted go before its record is read again.
    const missing = isWithheld ? 'withheld' : 'failed';
    const state = status === 'COMPLETE' && files.length === 0 ? missing : STATES[status];
    return {
      uuid,
      title: title ?? '',
      description: description ?? '',
      startMs,
      durationSec,
      state,
      files,
    };
  }
}
