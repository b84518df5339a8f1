/**
 * How much of a caller's rate limit is left, on every response that counts against one: the fields of
 * draft-ietf-httpapi-ratelimit-headers (`RateLimit-Policy`, `RateLimit`), and the three of its earlier versions, which
 * most clients read.
 */

import type { FastifyReply } from 'fastify';
import type { RateVerdict } from '../counters/rate-limiter.ts';

/** `policy`: the name of the limit, a token. */
export function setQuotaHeaders(reply: FastifyReply, policy: string, verdict: RateVerdict): void {
  const { limit, windowSec, remaining, resetSec } = verdict;
  reply.header('ratelimit-policy', `"${policy}";q=${limit};w=${windowSec}`);
  reply.header('ratelimit', `"${policy}";r=${remaining};t=${resetSec}`);
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetSec);
}
