/**
 * A JSON document that stays the same while the process runs: written and compressed on the first request, and not sent to clients that
 * already have it.
 */

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsCoding } from '../../core/accept-encoding.ts';

/** It only changes with a release. */
const CACHE_CONTROL = 'public, max-age=3600';
const ETAG_DIGITS = 22;

const compress = promisify(gzip);

export class CachedDocument {
  readonly #document: object;
  #bytes: { readonly body: Buffer; readonly hash: string } | null = null;
  #gzipped: Promise<Buffer> | null = null;

  constructor(document: object) {
    this.#document = document;
  }

  /** 200, or 304 to a client that has these bytes (RFC 9110 §13.1.2). */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.#bytes ??= bytesOf(this.#document);
    const { body, hash } = this.#bytes;
    const isGzip = acceptsCoding(request.headers['accept-encoding'], 'gzip');
    // Each encoding has a tag of its own: a strong tag identifies bytes (RFC 9110 §8.8.3.3).
    const etag = isGzip ? `"${hash}-gzip"` : `"${hash}"`;
    reply
      .header('cache-control', CACHE_CONTROL)
      .header('etag', etag)
      .header('vary', 'accept-encoding')
      .header('access-control-allow-origin', '*');
    if (isListed(etag, request.headers['if-none-match'])) return reply.code(304).send();
    reply.header('content-type', 'application/json; charset=utf-8');
    if (!isGzip) return reply.send(body);
    this.#gzipped ??= compress(body);
    return reply.header('content-encoding', 'gzip').send(await this.#gzipped);
  }
}

function bytesOf(document: object): { body: Buffer; hash: string } {
  const body = Buffer.from(JSON.stringify(document));
  return { body, hash: createHash('sha256').update(body).digest('base64url').slice(0, ETAG_DIGITS) };
}

/** Compares as If-None-Match does: `W/` makes no difference, `*` matches any tag. */
function isListed(etag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  const listed = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return listed.includes('*') || listed.includes(etag);
}
