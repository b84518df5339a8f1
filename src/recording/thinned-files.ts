/** Whether files that retention gives up may go: their key frames are kept first, if they are to be (docs/design/recording.md#thinning). */

import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { RecordingHead } from '../store/recording.ts';
import { isThinned } from './retention-rules.ts';

export interface ThinnedFilesOptions {
  /** Absent: no key frames stay. */
  readonly thinner: { thin(file: RecordingHead): Promise<void> } | undefined;
  /** How long a camera's key frames stay. */
  readonly keepMs: (cameraUuid: Ruuid) => number;
  readonly epochMs: () => number;
  readonly isClosed: () => boolean;
  readonly log: Log;
}

/** Why a file is to go: `age`, and then it can stay for a while, or because others need its room. */
export type GivenFor = 'age' | 'room';

export class ThinnedFiles {
  readonly #options: ThinnedFilesOptions;
  /** Names of files that could not be thinned, which is logged once. */
  readonly #unthinned = new Set<string>();

  constructor(options: ThinnedFilesOptions) {
    this.#options = options;
  }

  /**
   * `thinned`: the file may go now, and its key frames are kept, if they are to be. If others need its room, it may go anyway. `kept`: it
   * cannot be read, and may be evidence. `stuck`: the next sweep tries again.
   */
  async thin(file: RecordingHead, givenFor: GivenFor): Promise<'thinned' | 'kept' | 'stuck'> {
    const { thinner, log } = this.#options;
    if (thinner === undefined || !isThinned(file)) return 'thinned';
    const { cameraUuid, rendition, number } = file;
    const keepMs = this.#options.keepMs(cameraUuid);
    if (keepMs === 0 || file.endMs < this.#options.epochMs() - keepMs) return 'thinned';
    try {
      await thinner.thin(file);
      this.forget(file);
      return 'thinned';
    } catch (thrown) {
      if (this.#options.isClosed()) return 'stuck';
      const err = toGatewayError(thrown);
      const name = nameOf(file);
      if (!this.#unthinned.has(name))
        log.warn({ cameraUuid, rendition, number, err }, 'recording not thinned');
      this.#unthinned.add(name);
      if (givenFor === 'room') return 'thinned';
      return err.kind === 'unavailable' ? 'stuck' : 'kept';
    }
  }

  /** The file is gone. */
  forget(file: Pick<RecordingHead, 'cameraUuid' | 'rendition' | 'number'>): void {
    this.#unthinned.delete(nameOf(file));
  }
}

function nameOf({
  cameraUuid,
  rendition,
  number,
}: Pick<RecordingHead, 'cameraUuid' | 'rendition' | 'number'>): string {
  return `${cameraUuid}/${rendition}/${number}`;
}
