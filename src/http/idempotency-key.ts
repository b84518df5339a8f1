/**
 * The `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header) on creating calls: a client that lost the
 * response sends the request again and gets that response, and nothing is created twice.
 */

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotentAttempt } from '../accounts/idempotent-requests.ts';
import { type ErrorKind, GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { LongList } from '../core/long-list.ts';
import { scopeKey } from '../store/access-scope.ts';
import { STORE_ERRORS } from '../store/errors.ts';
import type { CallContext, Endpoint } from './endpoint.ts';
import type { Envelope } from './envelope.ts';
import { API_ERRORS } from './errors.ts';
import { ignoredKeySentence } from './repetition.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the body's text, if the request has an idempotency key; '' without a body. */
    bodyHash: string;
  }
}

export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';
/** On repeated responses. */
export const REPLAYED_HEADER = 'idempotency-replayed';

/** An RFC 8941 §3.3.3 string without escapes, or the bare word that many clients send. */
const KEY_FORMS = [/^"([\x20-\x21\x23-\x5b\x5d-\x7e]{1,255})"$/, /^([A-Za-z0-9._~:+/=-]{1,255})$/];

/** Fields that are shown only once: responses are stored without them. The URL of an invitation contains its token. */
const SHOWN_ONCE = /(?:apiKey|inviteUrl|publishKey|password|secret|token)$/i;

/** Refusals: nothing was done. */
const REFUSALS: ReadonlySet<ErrorKind> = new Set([
  ...(['conflict', 'invalid-input', 'limit', 'not-allowed', 'not-found'] as const),
  ...(['peer-protocol', 'peer-refused', 'rate-limited', 'unauthenticated'] as const),
]);
/** The store did not run the statement. */
const UNTRIED: ReadonlySet<string> = new Set([
  STORE_ERRORS.STORE_BUSY.code,
  STORE_ERRORS.STORE_LOCKED.code,
  STORE_ERRORS.STORE_DISK_FULL.code,
  STORE_ERRORS.STORE_READ_ONLY.code,
]);

/** null without the header. Fails IDEMPOTENCY_KEY_INVALID. */
export function idempotencyKeyOf(headers: FastifyRequest['headers']): string | null {
  const header = headers[IDEMPOTENCY_KEY_HEADER];
  if (header === undefined) return null;
  for (const form of KEY_FORMS) {
    const key = form.exec(String(header))?.[1];
    if (key !== undefined) return key;
  }
  throw new GatewayError(API_ERRORS.IDEMPOTENCY_KEY_INVALID);
}

/** The hash for `bodyHash`. */
export function hashOfBody(body: string): string {
  return createHash('sha256').update(body).digest('base64url');
}

export interface OnceOptions {
  readonly endpoint: Pick<Endpoint, 'path' | 'repetition'>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly log: Log;
}

/** The first time, runs `answer`; when the request is repeated, returns the stored response. */
export async function respondOnce(
  context: CallContext,
  { endpoint: { path, repetition }, request, reply, log }: OnceOptions,
  respond: () => Promise<Envelope>,
): Promise<Envelope> {
  const key = idempotencyKeyOf(request.headers);
  if (key === null) return respond();
  if (repetition !== 'once') {
    context.warn(ignoredKeySentence(repetition));
    return respond();
  }
  const { idempotentRequests } = context.services;
  const start = await idempotentRequests.start(
    context.caller,
    key,
    `${path}${scopeKey(context.caller.scope)} ${request.bodyHash}`,
  );
  if (start.kind === 'again') {
    reply.header(REPLAYED_HEADER, 'true');
    return JSON.parse(start.answer) as Envelope;
  }
  const end = (how: (attempt: IdempotentAttempt) => Promise<void>) =>
    how(start.attempt).catch((error: unknown) => {
      // The call was carried out and its response is correct; only the record is left unfinished.
      log.warn({ err: error, path }, 'response to an idempotent request not stored');
    });
  try {
    const responded = await withoutLongLists(await respond());
    await end((attempt) => attempt.finish(keptText(responded)));
    return responded;
  } catch (failure) {
    await end((attempt) => (changedNothing(failure) ? attempt.release() : attempt.lose()));
    throw failure;
  }
}

async function withoutLongLists(response: Envelope): Promise<Envelope> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(response)) {
    fields[name] = value instanceof LongList ? await value.toArray() : value;
  }
  return fields as unknown as Envelope;
}

/** The part of a response that is stored; its `warningMsg` names the omitted fields. */
function keptText(response: Envelope): string {
  const withheld = new Set<string>();
  const kept = JSON.stringify(response, (name, value: unknown) => {
    if (typeof value !== 'string' || !SHOWN_ONCE.test(name)) return value;
    withheld.add(name);
    return undefined;
  });
  if (withheld.size === 0) return kept;
  const sentence =
    `The first response to this request had ${[...withheld].join(' and ')}, which is shown only once and not stored. ` +
    'If you lost it, revoke what the request created and send it again with another Idempotency-Key.';
  const warningMsg = response.warningMsg === undefined ? sentence : `${response.warningMsg} ${sentence}`;
  return JSON.stringify({ ...(JSON.parse(kept) as Envelope), warningMsg });
}

function changedNothing(failure: unknown): boolean {
  return failure instanceof GatewayError && (REFUSALS.has(failure.kind) || UNTRIED.has(failure.code));
}
