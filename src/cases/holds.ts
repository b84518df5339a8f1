/** Legal holds: who holds what, and why (store/recording-hold.ts). docs/design/evidence.md#holds. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { SAVED_CLIPS } from '../events/saved-clips.ts';
import { seeingAll } from '../store/acting-view.ts';
import { HOLDS, type HoldBody } from '../store/recording-hold.ts';
import type { Resource, ResourceRepository, RoomForMore } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { CASE_ERRORS } from './errors.ts';

export type Hold = Resource<HoldBody>;

/** A time of a camera, or a clip. */
export type HeldThing =
  | { readonly cameraUuid: Ruuid; readonly startMs: number; readonly endMs: number }
  | { readonly clipUuid: Ruuid };

export interface HoldRequest {
  /** It exists, and the caller may see it. */
  readonly thing: HeldThing;
  readonly reason: string;
  readonly heldBy: string;
  readonly untilMs: number | null;
  readonly caseUuid?: Ruuid;
}

/** Bytes that an organization holds, and may hold; null: there is no bound, because the disk is not the gateway's. */
export interface HeldUse {
  readonly heldBytes: number;
  readonly allowedBytes: number | null;
}

export interface HoldsOptions {
  readonly store: Pick<Store, 'resources' | 'recordings' | 'recordingHolds'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  /** Free bytes of the disk of recordings; null: they are in S3. */
  readonly freeBytes: () => Promise<number | null>;
}

/** Longer ones would hold what no one has looked at. */
export const MAX_HELD_MS = 31 * 86_400_000;
export const MAX_REASON_CHARS = 1_024;

const ROOM: RoomForMore = {
  atMost: LIMITS.holds.perOrganization,
  within: 'organization',
  full: () => new GatewayError(CASE_ERRORS.TOO_MANY_HOLDS),
};

export class Holds {
  readonly #options: HoldsOptions;
  readonly #holds: ResourceRepository<HoldBody>;

  constructor(options: HoldsOptions) {
    this.#options = options;
    this.#holds = options.store.resources.of(HOLDS);
  }

  /**
   * It is in effect when this resolves. Fails HOLD_TIME_INVALID, HOLD_REASON_MISSING, HOLD_END_INVALID, TOO_MANY_HOLDS,
   * TOO_MUCH_HELD.
   */
  async create(orgUuid: Ruuid, { thing, reason, ...request }: HoldRequest): Promise<Hold> {
    const { store, clock } = this.#options;
    const nowMs = clock.epochMs();
    const { untilMs, heldBy, caseUuid = null } = request;
    if (reason.trim() === '') throw new GatewayError(CASE_ERRORS.HOLD_REASON_MISSING);
    if (untilMs !== null && untilMs <= nowMs) throw new GatewayError(CASE_ERRORS.HOLD_END_INVALID);
    const uuid = newRuuid();
    const common = { reason: reason.trim(), heldBy, untilMs, caseUuid };
    const hold = (parentUuid: Ruuid, body: HoldBody): Hold => ({
      uuid,
      orgUuid,
      name: '',
      parentUuid,
      secret: null,
      body,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    });
    if ('clipUuid' in thing) {
      const clip = await store.resources.of(SAVED_CLIPS).find(orgUuid, thing.clipUuid);
      const cameraUuid = clip?.body.deviceUuids[0] ?? null;
      const body = { ...common, ...NO_TIME, clipUuid: thing.clipUuid };
      return this.#add(hold((cameraUuid?.slice(0, 22) ?? thing.clipUuid) as Ruuid, body));
    }
    const { cameraUuid, startMs, endMs } = thing;
    if (startMs >= endMs || endMs - startMs > MAX_HELD_MS)
      throw new GatewayError(CASE_ERRORS.HOLD_TIME_INVALID);
    const held = { orgUuid, cameraUuid, startMs: Math.floor(startMs), endMs: Math.ceil(endMs) };
    await this.#expectRoom(orgUuid, held);
    // First what deletions respect: a hold that is listed is in effect.
    await store.recordingHolds.save({ uuid, ...held });
    try {
      return await this.#add(hold(cameraUuid, { ...common, ...held, clipUuid: null }));
    } catch (thrown) {
      await store.recordingHolds.remove(uuid);
      throw thrown;
    }
  }

  /** Of the organization, or of one case, the oldest first. */
  async list(orgUuid: Ruuid, { cameraUuid = null, caseUuid = null }: HoldFilter = {}): Promise<Hold[]> {
    const all = await this.#holds.list(orgUuid);
    return all.filter(
      ({ body }) =>
        (cameraUuid === null || body.cameraUuid === cameraUuid) &&
        (caseUuid === null || body.caseUuid === caseUuid),
    );
  }

  async use(orgUuid: Ruuid): Promise<HeldUse> {
    const { recordingHolds } = this.#options.store;
    const heldBytes = await recordingHolds.byteLength(orgUuid, null);
    return { heldBytes, allowedBytes: await this.#allowedBytes(orgUuid) };
  }

  /** Fails HOLD_NOT_FOUND, HOLD_OF_CASE. */
  async release(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const hold = await this.#holds.find(orgUuid, uuid);
    if (hold === null) throw new GatewayError(CASE_ERRORS.HOLD_NOT_FOUND, { hold: uuid });
    if (hold.body.caseUuid !== null) throw new GatewayError(CASE_ERRORS.HOLD_OF_CASE, { hold: uuid });
    await this.remove(orgUuid, uuid);
  }

  /** Whatever it belongs to. The record first: what no one lists is no longer held a moment later. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    await this.#holds.remove(orgUuid, uuid);
    await this.#options.store.recordingHolds.remove(uuid);
  }

  async #add(hold: Hold): Promise<Hold> {
    await this.#holds.change(hold.orgUuid, hold.uuid, () => hold, ROOM);
    return hold;
  }

  async #expectRoom(
    orgUuid: Ruuid,
    more: { readonly cameraUuid: Ruuid; readonly startMs: number; readonly endMs: number },
  ): Promise<void> {
    const allowedBytes = await this.#allowedBytes(orgUuid);
    if (allowedBytes === null) return;
    const heldBytes = await this.#options.store.recordingHolds.byteLength(orgUuid, { orgUuid, ...more });
    if (heldBytes <= allowedBytes) return;
    throw new GatewayError(CASE_ERRORS.TOO_MUCH_HELD, { heldBytes, allowedBytes, boundOf: 'organization' });
  }

  /** A share of what the others leave, like that of a pool: a second organization always finds room. */
  async #allowedBytes(orgUuid: Ruuid): Promise<number | null> {
    const { freeBytes, store } = this.#options;
    const free = await freeBytes();
    if (free === null) return null;
    return seeingAll(async () => {
      const usage = await store.recordings.usage();
      const recorded = usage.reduce((sum, { byteLength }) => sum + byteLength, 0);
      const owners = new Set((await store.recordingHolds.list()).map((held) => held.orgUuid));
      owners.delete(orgUuid);
      let others = 0;
      for (const owner of owners) others += await store.recordingHolds.byteLength(owner, null);
      return Math.max(0, LIMITS.heldRecordings.levels.organization.share * (free + recorded - others));
    });
  }
}

export interface HoldFilter {
  readonly cameraUuid?: Ruuid | null;
  readonly caseUuid?: Ruuid | null;
}

const NO_TIME = { cameraUuid: null, startMs: null, endMs: null };
