/**
 * One request for the past. The access is decided before anything is read, because of what reading costs, and again
 * when it has been read, because of how long that takes. If the access ends in between, the request ends with the
 * refusal; if the client leaves, with nothing.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { toGatewayError } from '../../core/errors.ts';
import { type PastRange, parsePastRange } from '../../playback/past-range.ts';
import type { AccessRefused } from '../../sharing/access-decision.ts';
import type { PastAccess } from '../../sharing/past-access.ts';
import type { ShownSpan } from '../../sharing/schedule-spans.ts';
import type { ViewerSession, WaitingRequest } from '../../sharing/viewer-session.ts';
import { sendFailure, sendPastRefused, sendRefused } from '../response/refusal-response.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import type { PastBudget } from './past-budget.ts';

/** A range that a viewer may see, or parts of it. */
export interface AllowedPast {
  readonly session: ViewerSession;
  readonly range: PastRange;
  /** In order; at least one has a part of the range. They begin before and end after it, if that is shown. */
  readonly spans: readonly ShownSpan[];
}

export interface PastRequestParts {
  readonly parts: FrontDoorParts;
  readonly access: PastAccess;
  readonly budget: PastBudget;
}

/** Longer than any segment. */
const EDGE_MS = 60_000;

/** As in the URL. */
export interface RangeTexts {
  readonly start: string;
  readonly duration: string;
}

/** The range of a request: as the URL has it, or one that the gateway sets, in whole hours. */
export type RequestedRange = RangeTexts | (() => PastRange);

/** A response that is ready. Exactly one of the two is called. */
export interface ReadyPast {
  /** The viewer may still have it. */
  send(reply: FastifyReply): void;
  /** No one may have it, or wants it. */
  discard(): void;
}

class PendingRequest implements WaitingRequest {
  readonly #reply: FastifyReply;
  readonly #session: ViewerSession;
  readonly #nowEpochMs: () => number;
  readonly #leave = (): void => this.finish();
  isOver = false;

  constructor(reply: FastifyReply, session: ViewerSession, nowEpochMs: () => number) {
    this.#reply = reply;
    this.#session = session;
    this.#nowEpochMs = nowEpochMs;
    session.waiting.add(this);
    reply.raw.on('close', this.#leave);
  }

  onCutOff(refusal: AccessRefused): void {
    if (this.isOver) return;
    this.finish();
    sendRefused(this.#reply, refusal, this.#nowEpochMs());
  }

  finish(): void {
    this.isOver = true;
    this.#session.waiting.delete(this);
    this.#reply.raw.off('close', this.#leave);
  }
}

/**
 * The range of a request, and what of it the viewer may see now. null: refused, and the response was sent. Fails
 * PLAYBACK_RANGE_INVALID, PLAYBACK_RANGE_AHEAD, and like ViewerSessions.access.
 */
export function allowedPast(
  { parts, access }: Pick<PastRequestParts, 'parts' | 'access'>,
  grantText: string,
  requested: RequestedRange,
  request: FastifyRequest,
  reply: FastifyReply,
): AllowedPast | null {
  const nowEpochMs = parts.clock.epochMs();
  const session = parts.sessions.access(grantText, request);
  if (!session.allowed) {
    sendRefused(reply, session, nowEpochMs);
    return null;
  }
  const range =
    typeof requested === 'function'
      ? requested()
      : parsePastRange(requested.start, requested.duration, nowEpochMs);
  // Segments at the edges reach beyond the range.
  const spans = access.spans(session, range.fromMs - EDGE_MS, range.toMs + EDGE_MS) ?? [];
  if (spans.some(({ fromMs, toMs }) => fromMs < range.toMs && toMs > range.fromMs)) {
    return { session, range, spans };
  }
  sendPastRefused(reply, nowEpochMs);
  return null;
}

/** Responds with the result of `make`. If the viewer's permitted past has changed in the meantime, `make` runs again. Never rejects. */
export async function respondPast(
  of: PastRequestParts,
  grantText: string,
  requested: RequestedRange,
  request: FastifyRequest,
  reply: FastifyReply,
  make: (allowed: AllowedPast) => Promise<ReadyPast>,
): Promise<void> {
  let leave: (() => void) | null = null;
  let pending: PendingRequest | null = null;
  try {
    let allowed = allowedPast(of, grantText, requested, request, reply);
    if (allowed === null) return;
    leave = of.budget.enter(allowed.session);
    allowed.session.hasWatchedPast = true;
    for (;;) {
      pending = new PendingRequest(reply, allowed.session, () => of.parts.clock.epochMs());
      const ready: ReadyPast = await make(allowed);
      const hasEnded = pending.isOver;
      // After this point, the code below sends a refusal exactly once.
      pending.finish();
      const now = hasEnded ? null : allowedPast(of, grantText, requested, request, reply);
      if (now !== null && sameSpans(now.spans, allowed.spans)) {
        ready.send(reply);
        return;
      }
      ready.discard();
      if (now === null) return;
      allowed = now;
    }
  } catch (thrown) {
    if (!reply.sent && !reply.raw.destroyed) sendFailure(reply, toGatewayError(thrown));
  } finally {
    pending?.finish();
    leave?.();
  }
}

/** Whether the viewer may still see exactly the allowed past; for responses that take long. */
export function stillShows(access: PastAccess, { session, range, spans }: AllowedPast): boolean {
  return sameSpans(access.spans(session, range.fromMs - EDGE_MS, range.toMs + EDGE_MS) ?? [], spans);
}

function sameSpans(spans: readonly ShownSpan[], others: readonly ShownSpan[]): boolean {
  return (
    spans.length === others.length &&
    spans.every(({ fromMs, toMs }, i) => fromMs === others[i]!.fromMs && toMs === others[i]!.toMs)
  );
}
