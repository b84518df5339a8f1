/** What a process of thin-rounds.ts is to do, and what it reports, line by line. */

import type { Ruuid } from '../../../src/core/ruuid.ts';

export interface ThinTask {
  readonly folder: string;
  /** Of S3; null: recordings stay in the folder. */
  readonly endpoint: string | null;
  readonly isEncrypting: boolean;
  /** Thinned. */
  readonly cameraUuid: Ruuid;
  /** A legal hold includes all of it. */
  readonly heldUuid: Ruuid;
  /** Wall time of the first frame of this process; each has another one. */
  readonly fromMs: number;
  /** Segments that earlier processes listed. */
  readonly listed: readonly ListedSegment[];
  /** True: it thins everything, checks, and ends. */
  readonly isLast: boolean;
}

/** `keySha256`: of the data of its key frame. */
export interface ListedSegment {
  readonly isHeld: boolean;
  readonly epochMs: number;
  readonly keySha256: string;
}

export type ThinLine =
  | {
      readonly what: 'started';
      readonly checked: number;
      /** Of these, how many are key frames by now. */
      readonly thinned: number;
      readonly faults: readonly string[];
    }
  | ({ readonly what: 'listed' } & ListedSegment)
  /** A file of key frames was listed. */
  | { readonly what: 'thinned'; readonly pictures: number };

export const THIN_BUCKET = 'thinned';
