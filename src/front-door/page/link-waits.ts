/**
 * Pages that wait at a link which is closed for now: hidden by its schedule, or expired. Its owner may open it again at any moment, and the
 * page then asks for it like anyone who arrives. A wait shows nothing that opening the link would not (docs/design/access.md#waiting-pages).
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Pool } from '../../core/limits/pool.ts';
import type { LIMITS } from '../../core/limits/registry.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { subscriberOf } from '../../core/subscriber.ts';
import type { OpeningRefused } from '../../sharing/share-gate.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { COMMON_HEADERS, sendFailure, sendOpeningRefused } from '../response/refusal-response.ts';

/** Shorter than proxies wait for a response. */
export const LINK_WAIT_MS = 25_000;
/** Without a place, a page asks again after this time. */
export const NO_PLACE_RETRY_MS = 30_000;
/** Of a link that changes, so many waits are judged at a time: thousands do not hold up media. */
export const JUDGED_AT_ONCE = 200;
const JUDGE_EVERY_MS = 20;

/** The gate of a kind of link. */
export interface WaitingGate {
  /** Why the link shows nothing; null: the link, perhaps with its password, shows something. */
  closed(token: string, from: { readonly ip: string }): OpeningRefused | null;
  /** Whose link it is; null: no one's. */
  organizationOf(token: string): Ruuid | null;
  /** Called with the link of each share that changed. Returns a function that ends the subscription. */
  onLinkChange(listener: (linkUuid: Ruuid) => void): () => void;
}

interface Wait {
  readonly token: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly refusal: OpeningRefused;
  readonly timer: TimerHandle;
  readonly giveBack: () => void;
}

export class LinkWaits {
  readonly #gate: WaitingGate;
  readonly #clock: Clock;
  readonly #places: Pool<typeof LIMITS.linkWaits>;
  readonly #byLink = new Map<string, Set<Wait>>();
  readonly #endFollowing: () => void;
  #isClosed = false;

  /** `places`: shared by all kinds of links. */
  constructor(gate: WaitingGate, clock: Clock, places: Pool<typeof LIMITS.linkWaits>) {
    this.#gate = gate;
    this.#clock = clock;
    this.#places = places;
    this.#endFollowing = gate.onLinkChange((linkUuid) => this.#judge(linkUuid));
  }

  get size(): number {
    let size = 0;
    for (const waits of this.#byLink.values()) size += waits.size;
    return size;
  }

  /** `path`: with the link as `:token`. */
  register(app: FastifyInstance, path: string): void {
    app.get<{ Params: { token: string } }>(path, { config: { access: 'share-link' } }, (request, reply) =>
      this.#enter(request.params.token, request, reply),
    );
    app.addHook('preClose', async () => this.#dismiss());
  }

  #enter(token: string, request: FastifyRequest, reply: FastifyReply): void {
    if (this.#isClosed) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.SHUTTING_DOWN));
      return;
    }
    const refusal = this.#gate.closed(token, request);
    if (refusal === null || !mayOpen(refusal)) {
      this.#respond(reply, refusal);
      return;
    }
    const link = String(refusal.shareUuid);
    const organization = String(this.#gate.organizationOf(token));
    const place = this.#places.take({ organization, link, address: subscriberOf(request.ip) });
    if (!place.isTaken) {
      this.#respond(reply, { ...refusal, retryAfterMs: NO_PLACE_RETRY_MS });
      return;
    }
    const { untilEpochMs } = refusal;
    const leftMs = untilEpochMs === null ? LINK_WAIT_MS : untilEpochMs - this.#clock.epochMs();
    const timer = this.#clock.after(Math.min(LINK_WAIT_MS, Math.max(0, leftMs)), () =>
      this.#end(wait, this.#gate.closed(token, request)),
    );
    const wait: Wait = { token, request, reply, refusal, timer, giveBack: place.giveBack };
    const waits = this.#byLink.get(link) ?? new Set();
    this.#byLink.set(link, waits.add(wait));
    reply.raw.on('close', () => this.#leave(wait));
  }

  /** The link may be open now, or closed for another reason. */
  #judge(linkUuid: Ruuid): void {
    const waits = this.#byLink.get(linkUuid);
    if (waits !== undefined) this.#judgeNext([...waits]);
  }

  /** Each for itself, because ended views depend on the address. */
  #judgeNext(waits: readonly Wait[]): void {
    for (const wait of waits.slice(0, JUDGED_AT_ONCE)) {
      const now = this.#gate.closed(wait.token, wait.request);
      const { reason, untilEpochMs } = wait.refusal;
      if (now?.reason !== reason || now.untilEpochMs !== untilEpochMs) this.#end(wait, now);
    }
    const rest = waits.slice(JUDGED_AT_ONCE);
    if (rest.length > 0) this.#clock.after(JUDGE_EVERY_MS, () => this.#judgeNext(rest));
  }

  #end(wait: Wait, refusal: OpeningRefused | null): void {
    if (this.#leave(wait)) this.#respond(wait.reply, refusal);
  }

  #respond(reply: FastifyReply, refusal: OpeningRefused | null): void {
    if (refusal === null) reply.code(204).headers(COMMON_HEADERS).header('cache-control', 'no-store').send();
    else sendOpeningRefused(reply, refusal, this.#clock.epochMs());
  }

  /** False if it had left before. */
  #leave(wait: Wait): boolean {
    const link = String(wait.refusal.shareUuid);
    const waits = this.#byLink.get(link);
    if (waits === undefined || !waits.delete(wait)) return false;
    if (waits.size === 0) this.#byLink.delete(link);
    wait.timer.cancel();
    wait.giveBack();
    return true;
  }

  #dismiss(): void {
    this.#isClosed = true;
    this.#endFollowing();
    for (const waits of [...this.#byLink.values()]) {
      for (const wait of [...waits]) {
        if (this.#leave(wait)) sendFailure(wait.reply, new GatewayError(FRONT_DOOR_ERRORS.SHUTTING_DOWN));
      }
    }
  }
}

/** Whether the link's owner can open it again. */
function mayOpen({ reason }: OpeningRefused): boolean {
  return reason === 'hidden-by-schedule' || reason === 'expired';
}
