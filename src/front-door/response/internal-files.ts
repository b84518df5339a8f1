/**
 * Files that a reverse proxy sends in place of the gateway: the gateway decides whether, and names the file in
 * `X-Accel-Redirect` (nginx, ngx_http_proxy_module and `internal` of ngx_http_core_module). Ranges and conditions are the
 * proxy's work then. docs/design/clips.md#delivery.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentDisposition, type FileKind } from './file-response.ts';

/** A file in the folder of the recordings. */
export interface InternalFile {
  readonly name: string;
  /** The file is sent exactly as it is stored. */
  readonly isPlain?: boolean;
}

/** Set by proxies that understand the answer; others get the file itself. */
const ASKING_HEADER = 'x-sendfile-type';
const REQUESTED = 'x-accel-redirect';

/** null: the gateway sends the file. `folder`: the proxy's location of the folder, ends with a slash. */
export function internalLocation(
  folder: string | null,
  { headers }: FastifyRequest,
  { name, isPlain = false }: InternalFile,
): string | null {
  const requested = headers[ASKING_HEADER];
  const isRequested = typeof requested === 'string' && requested.toLowerCase() === REQUESTED;
  return folder === null || !isPlain || !isRequested ? null : `${folder}${name}`;
}

/** The access was decided. The proxy takes these headers over, and adds its own for the file. */
export function sendInternally(reply: FastifyReply, location: string, kind: FileKind): void {
  reply.header('x-accel-redirect', location).header('content-type', kind.type);
  reply.header('cache-control', 'private, no-cache');
  if (kind.downloadName !== null) reply.header('content-disposition', contentDisposition(kind.downloadName));
  reply.send();
}
