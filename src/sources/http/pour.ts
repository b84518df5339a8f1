/** A response that never ends, into a worker's standard input: as fast as the worker reads, and no faster. */

import type { Readable, Writable } from 'node:stream';

export interface Pour {
  /** A worker is ready. The one before it, if any, is gone. */
  readonly attach: (stdin: Writable) => void;
  /** The response has ended or broken off. */
  readonly ended: Promise<void>;
}

/** Until a worker is ready, the response is not read: the camera waits. */
export function pourInto(response: Readable): Pour {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('close', resolve);
  response.on('error', () => undefined); // `close` follows
  const attach = (stdin: Writable): void => {
    response.unpipe();
    response.pipe(stdin);
    // The worker may be gone before the response is.
    stdin.once('close', () => response.unpipe(stdin));
  };
  return { attach, ended: promise };
}
