/**
 * Views that an organization ended, and addresses that it blocks from one of its links for a while. A viewer's grants stay void for as long
 * as they would have been valid. Both are stored, so that they survive a restart (docs/design/access.md#ending-a-view).
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { EndedViewRecord, EndedViewRepository } from '../store/ended-view.ts';
import type { EndedView } from './access-decision.ts';
import { SHARING_ERRORS } from './errors.ts';

/** Per organization. Beyond these, a call is refused: forgetting one would let its viewer in again. */
export const MAX_ENDED_VIEWERS = 5_000;
export const MAX_BLOCKED_ADDRESSES = 1_000;

/** An address that may not open a link for a while. */
export interface BlockedAddress {
  /** As `subscriberOf` returns it: an IPv6 address means its /64. */
  readonly address: string;
  readonly untilEpochMs: number;
}

/** A view to end. */
export interface EndedViewer {
  readonly orgUuid: Ruuid;
  /** The share, shared wall or shared group whose link was opened. */
  readonly linkUuid: Ruuid;
  readonly viewerId: string;
  /** Until when the viewer's grants would be valid. */
  readonly grantUntilEpochMs: number;
  /** null: its address may open the link again immediately. */
  readonly blocked: BlockedAddress | null;
  /** It ended because the viewer signed out at the provider. Forgotten by a restart, unlike the end. */
  readonly isSignedOut?: boolean;
}

/** By viewer or address: when it is over. */
type Until = Map<string, number>;

interface OfOrganization {
  readonly viewers: Until;
  /** Those of `viewers` who signed out. */
  readonly signedOut: Set<string>;
  /** By link, then by address. */
  readonly addresses: Map<Ruuid, Until>;
}

const ENDED: EndedView = { untilEpochMs: null };
const SIGNED_OUT: EndedView = { untilEpochMs: null, isSignedOut: true };

/** Asked for every new viewer, and whenever a decision is made again. */
export class EndedViews {
  readonly #clock: Clock;
  readonly #organizations = new Map<Ruuid, OfOrganization>();

  readonly #stored: EndedViewRepository | null;
  /** Blocks that are not stored, or whose end is not stored: the store has older data about them. */
  readonly #underWay = new Set<string>();
  /** For each read of the store that is running: the blocks whose change it may not show. */
  readonly #newerThanRead = new Set<Set<string>>();

  /** `stored` null: a restart forgets them. */
  constructor(clock: Clock, stored: EndedViewRepository | null = null) {
    this.#clock = clock;
    this.#stored = stored;
  }

  /**
   * Reads the ended views and blocks from before a restart, or from another process: of one link, or all. Entries that this process could
   * not store, or is storing, stay. Rejects like the store.
   */
  async load(linkUuid?: Ruuid): Promise<void> {
    const newer = new Set(this.#underWay);
    this.#newerThanRead.add(newer);
    let records: readonly EndedViewRecord[] = [];
    try {
      records = (await this.#stored?.list(this.#clock.epochMs(), linkUuid)) ?? [];
    } finally {
      this.#newerThanRead.delete(newer);
    }
    const listed = new Set(records.map((record) => placeOf(record.linkUuid, record.subject)));
    for (const { addresses } of this.#organizations.values()) {
      const links = linkUuid === undefined ? addresses.keys() : [linkUuid];
      for (const link of links) forgetUnblocked(addresses.get(link), link, listed, newer);
    }
    for (const { orgUuid, linkUuid: link, kind, subject, untilMs } of records) {
      const { viewers, addresses } = this.#of(orgUuid);
      if (kind === 'viewer') viewers.set(subject, Math.max(untilMs, viewers.get(subject) ?? 0));
      else if (!newer.has(placeOf(link, subject))) {
        addresses.set(link, (addresses.get(link) ?? new Map()).set(subject, untilMs));
      }
    }
  }

  /**
   * Whether the view was ended. `linkUuid`: the share, shared wall or shared group whose link was opened. `viewerId`: null
   * before there is a grant. `from.ip`: the viewer's address, '' if unknown; read only if an address of the link is blocked.
   */
  find(
    orgUuid: Ruuid,
    linkUuid: Ruuid,
    viewerId: string | null,
    from: { readonly ip: string },
  ): EndedView | null {
    const known = this.#organizations.get(orgUuid);
    if (known === undefined) return null;
    const nowMs = this.#clock.epochMs();
    const blockedUntilMs = known.addresses.get(linkUuid)?.get(subscriberOf(from.ip)) ?? 0;
    if (blockedUntilMs > nowMs) return { untilEpochMs: blockedUntilMs };
    const endedUntilMs = viewerId === null ? 0 : (known.viewers.get(viewerId) ?? 0);
    if (endedUntilMs <= nowMs) return null;
    return known.signedOut.has(viewerId!) ? SIGNED_OUT : ENDED;
  }

  /**
   * Voids a viewer's grants and blocks an address from the link, which replaces an earlier time. Does both or neither. Fails
   * ENDED_VIEWERS_FULL, BLOCKED_ADDRESSES_FULL. Takes effect when it returns. The returned promise resolves when it is stored, and rejects
   * like the store.
   */
  end(view: EndedViewer): Promise<void> {
    const untilMs = this.apply(view);
    const { orgUuid, linkUuid, viewerId, blocked } = view;
    const of = { orgUuid, linkUuid };
    const address: EndedViewRecord[] =
      blocked === null
        ? []
        : [{ ...of, kind: 'address', subject: blocked.address, untilMs: blocked.untilEpochMs }];
    const records: EndedViewRecord[] = [{ ...of, kind: 'viewer', subject: viewerId, untilMs }, ...address];
    return this.#store(linkUuid, blocked, records);
  }

  /**
   * The same without storing it: another node does. Until when the viewer's grants are void. Fails ENDED_VIEWERS_FULL,
   * BLOCKED_ADDRESSES_FULL.
   */
  apply({
    orgUuid,
    linkUuid,
    viewerId,
    grantUntilEpochMs,
    blocked,
    isSignedOut = false,
  }: EndedViewer): number {
    const { viewers, signedOut, addresses } = this.#of(orgUuid);
    this.#dropOver(viewers);
    for (const viewer of signedOut) if (!viewers.has(viewer)) signedOut.delete(viewer);
    if (!viewers.has(viewerId) && viewers.size >= MAX_ENDED_VIEWERS) {
      throw new GatewayError(SHARING_ERRORS.ENDED_VIEWERS_FULL, { limit: MAX_ENDED_VIEWERS });
    }
    if (blocked !== null) this.#block(addresses, linkUuid, blocked);
    const untilMs = Math.max(grantUntilEpochMs, viewers.get(viewerId) ?? 0);
    viewers.set(viewerId, untilMs);
    if (isSignedOut) signedOut.add(viewerId);
    else signedOut.delete(viewerId);
    return untilMs;
  }

  /** Lets an address in again. False: it was not blocked. Rejects like the store, and is in effect all the same. */
  async unblock(orgUuid: Ruuid, linkUuid: Ruuid, address: string): Promise<boolean> {
    const subject = subscriberOf(address);
    const blocked = this.#organizations.get(orgUuid)?.addresses.get(linkUuid);
    const untilEpochMs = blocked?.get(subject) ?? 0;
    blocked?.delete(subject);
    if (untilEpochMs <= this.#clock.epochMs()) return false;
    const place = placeOf(linkUuid, subject);
    this.#begin(place);
    try {
      await this.#stored?.remove({ orgUuid, linkUuid, kind: 'address', subject });
    } finally {
      this.#underWay.delete(place);
    }
    return true;
  }

  /** The addresses that are blocked from a link. The block that ends first comes first. */
  blocked(orgUuid: Ruuid, linkUuid: Ruuid): readonly BlockedAddress[] {
    const nowMs = this.#clock.epochMs();
    return [...(this.#organizations.get(orgUuid)?.addresses.get(linkUuid) ?? [])]
      .map(([address, untilEpochMs]) => ({ address, untilEpochMs }))
      .filter(({ untilEpochMs }) => untilEpochMs > nowMs)
      .sort((a, b) => a.untilEpochMs - b.untilEpochMs);
  }

  /** A block that cannot be stored stays until it is over. */
  async #store(
    linkUuid: Ruuid,
    blocked: BlockedAddress | null,
    records: readonly EndedViewRecord[],
  ): Promise<void> {
    const place = blocked === null ? null : placeOf(linkUuid, blocked.address);
    if (place !== null) this.#begin(place);
    await this.#stored?.put(records, this.#clock.epochMs());
    if (place !== null) this.#underWay.delete(place);
  }

  /** A read that is running returns older data about the block, even if it ends after the change. */
  #begin(place: string): void {
    this.#underWay.add(place);
    for (const newer of this.#newerThanRead) newer.add(place);
  }

  #block(
    addresses: OfOrganization['addresses'],
    linkUuid: Ruuid,
    { address, untilEpochMs }: BlockedAddress,
  ): void {
    let size = 0;
    for (const [link, blocked] of addresses) {
      this.#dropOver(blocked);
      if (blocked.size === 0) addresses.delete(link);
      size += blocked.size;
    }
    const ofLink: Until = addresses.get(linkUuid) ?? new Map();
    if (!ofLink.has(address) && size >= MAX_BLOCKED_ADDRESSES) {
      throw new GatewayError(SHARING_ERRORS.BLOCKED_ADDRESSES_FULL, { limit: MAX_BLOCKED_ADDRESSES });
    }
    addresses.set(linkUuid, ofLink.set(address, untilEpochMs));
  }

  #of(orgUuid: Ruuid): OfOrganization {
    let known = this.#organizations.get(orgUuid);
    if (known === undefined) {
      known = { viewers: new Map(), signedOut: new Set(), addresses: new Map() };
      this.#organizations.set(orgUuid, known);
    }
    return known;
  }

  #dropOver(until: Until): void {
    const nowMs = this.#clock.epochMs();
    for (const [key, untilMs] of until) if (untilMs <= nowMs) until.delete(key);
  }
}

/** Except those that are `newer` than the read. */
function forgetUnblocked(
  blocked: Until | undefined,
  linkUuid: Ruuid,
  listed: ReadonlySet<string>,
  newer: ReadonlySet<string>,
): void {
  for (const address of blocked?.keys() ?? []) {
    const place = placeOf(linkUuid, address);
    if (!listed.has(place) && !newer.has(place)) blocked?.delete(address);
  }
}

function placeOf(linkUuid: Ruuid, subject: string): string {
  return `${linkUuid} ${subject}`;
}
