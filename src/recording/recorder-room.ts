/** Room in the ring between the media thread and the recorder: each organization and camera leaves some to others. */

import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';

export class RecorderRoom {
  readonly #parts = new Pool(LIMITS.recordingParts);
  readonly #bytes: Pool<typeof LIMITS.recordingPartBytes>;

  /** `byteLength`: of the ring. */
  constructor(byteLength: number) {
    this.#bytes = new Pool(LIMITS.recordingPartBytes, byteLength);
  }

  /** A function that gives it back; null: there is none for them. `organization`: null if it is not known. */
  take(camera: string, organization: string | null, byteLength: number): (() => void) | null {
    const holders = { organization: organization ?? camera, camera };
    const part = this.#parts.take(holders);
    if (!part.isTaken) return null;
    const bytes = this.#bytes.take(holders, byteLength);
    if (!bytes.isTaken) {
      part.giveBack();
      return null;
    }
    return () => {
      part.giveBack();
      bytes.giveBack();
    };
  }
}
