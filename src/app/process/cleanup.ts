/** Ends started parts in reverse order, even if a step fails. */

import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

export class Cleanup {
  readonly #log: Log;
  readonly #steps: { readonly what: string; readonly end: () => void | Promise<void> }[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  add(what: string, end: () => void | Promise<void>): void {
    this.#steps.push({ what, end });
  }

  /** Ends everything; a step that fails is logged and does not stop the others. */
  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step.end();
      } catch (thrown) {
        this.#log.error({ what: step.what, err: toGatewayError(thrown) }, 'close failed');
      }
    }
  }
}
