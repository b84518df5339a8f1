/** Counts the results of uploads since the start, for metrics. */

import { toGatewayError } from '../core/errors.ts';
import { UPLOAD_ERRORS } from './errors.ts';

/** Label of failures that are not about an upload: of the store, of the recorder. */
const OTHER = 'OTHER';

export class UploadCounts {
  /** Taken from senders. */
  receivedBytes = 0;
  /** Clips that are in the recordings. */
  imported = 0;
  /** Requests and imports that failed, by the code of the error. */
  readonly #failures = new Map<string, number>();

  failures(): { readonly reason: string; readonly count: number }[] {
    return Array.from(this.#failures, ([reason, count]) => ({ reason, count }));
  }

  /** Counts a failure of the work, and passes it on. */
  async watch<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (thrown) {
      const { code } = toGatewayError(thrown);
      const reason = Object.hasOwn(UPLOAD_ERRORS, code) ? code : OTHER;
      this.#failures.set(reason, (this.#failures.get(reason) ?? 0) + 1);
      throw thrown;
    }
  }
}
