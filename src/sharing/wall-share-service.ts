/** Creating and removing shares of video walls: one link for all of a wall's cameras. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { withoutTrailingSlashes } from '../core/trailing-slashes.ts';
import { type LinkEndRequest, laterThan } from '../store/access-end.ts';
import { waitingBriefly, waitingBrieflyIf } from '../store/brief-waits.ts';
import type { DeviceSchedule, VideoWall, WallShare } from '../store/entities.ts';
import type { Room } from '../store/record-change.ts';
import type { Store } from '../store/store.ts';
import { isStoreAway } from '../store/store-away.ts';
import type { AccessRules } from './access-rules.ts';
import { changedRules, endWithoutStore } from './end-without-store.ts';
import { SHARING_ERRORS } from './errors.ts';
import { hashIfGiven, type Passwords } from './password.ts';
import { expiryOf, FIRST_ACCESS_EPOCH, pastChanges } from './share-service.ts';
import type { ShareTokens } from './share-token.ts';

/** null and absent are the same. */
export interface DeviceScheduleRequest {
  readonly scheduleUuid?: Ruuid | null;
  readonly invertSchedule?: boolean | null;
  readonly unscheduledMessage?: string | null;
}

/** The fields of a request for a share; null and absent are the same. */
export interface NewWallShareRequest extends DeviceScheduleRequest {
  readonly wallUuid: Ruuid;
  readonly vodEnabled: boolean;
  /** How far back the past reaches, in seconds. */
  readonly vodPastSecs?: number | null;
  /** When the past ends, like `expirationTimeSecs`. */
  readonly vodExpirationTimeSecs?: number | null;
  /** Default false. */
  readonly showsUnmasked?: boolean | null;
  /** Blank: none. */
  readonly password?: string | null;
  /** Below 10^9: seconds from now; otherwise an epoch second. */
  readonly expirationTimeSecs?: number | null;
  /** By camera; the others follow the share's schedule. */
  readonly deviceSchedules?: Readonly<Record<string, DeviceScheduleRequest>>;
}

/** Absent fields stay as they are; null clears. */
export interface WallShareChangeRequest extends DeviceScheduleRequest {
  readonly vodEnabled?: boolean | null;
  readonly vodPastSecs?: number | null;
  readonly vodExpirationTimeSecs?: number | null;
  readonly showsUnmasked?: boolean | null;
  readonly password?: string | null;
  readonly expirationTimeSecs?: number | null;
  /** Replaces all of them. */
  readonly deviceScheduleMap?: Readonly<Record<string, DeviceScheduleRequest>> | null;
}

export interface WallShareServiceOptions {
  readonly store: Pick<Store, 'videoWalls' | 'wallShares' | 'schedules'>;
  readonly rules: AccessRules;
  readonly passwords: Passwords;
  /** ShareTokens.forWalls. */
  readonly tokens: ShareTokens;
  readonly clock: Clock;
  /** Base of the media listener as viewers reach it. */
  readonly publicMediaUrl: string;
}

/** The longest message of a wall. */
export const MAX_UNSCHEDULED_MESSAGE_CHARS = 256;

const ROOM: Room = {
  atMost: LIMITS.wallShares.perOrganization,
  full: () =>
    new GatewayError(SHARING_ERRORS.TOO_MANY_WALL_SHARES, { limit: LIMITS.wallShares.perOrganization }),
};

export class WallShareService {
  readonly #options: WallShareServiceOptions;
  readonly #mediaUrl: string;
  readonly #turns = new KeyedLock();

  constructor(options: WallShareServiceOptions) {
    this.#options = options;
    this.#mediaUrl = withoutTrailingSlashes(options.publicMediaUrl);
  }

  /**
   * Fails with VIDEO_WALL_NOT_FOUND, SHARE_SCHEDULE_NOT_FOUND, SHARE_EXPIRY_INVALID, SHARE_PASSWORD_TOO_LONG,
   * WALL_SHARE_DEVICE_UNKNOWN, TOO_MANY_WALL_SHARES.
   */
  async create(orgUuid: Ruuid, request: NewWallShareRequest): Promise<WallShare> {
    const { store, rules, clock } = this.#options;
    const nowEpochMs = clock.epochMs();
    const expiresAtSec = expiryOf(request.expirationTimeSecs, nowEpochMs);
    const wall = await this.#wall(orgUuid, request.wallUuid);
    const own = await this.#schedule(orgUuid, request, null);
    const share: WallShare = {
      uuid: newRuuid(),
      orgUuid,
      wallUuid: wall.uuid,
      vodEnabled: request.vodEnabled,
      vodPastSec: request.vodPastSecs ?? null,
      vodExpiresAtSec: expiryOf(request.vodExpirationTimeSecs, nowEpochMs),
      showsUnmasked: request.showsUnmasked ?? false,
      expiresAtSec,
      ...own,
      deviceSchedules: await this.#deviceSchedules(wall, request.deviceSchedules ?? {}),
      passwordHash: await hashIfGiven(this.#options.passwords, request.password),
      accessEpoch: FIRST_ACCESS_EPOCH,
      createdAtMs: nowEpochMs,
      updatedAtMs: nowEpochMs,
    };
    await store.wallShares.add(share, ROOM);
    await rules.applied({ kind: 'wallShare', uuid: share.uuid, record: share });
    return share;
  }

  /**
   * Views that the change ends are cut off before this resolves. Fails with WALL_SHARE_NOT_FOUND, SHARE_SCHEDULE_NOT_FOUND,
   * SHARE_EXPIRY_INVALID, SHARE_PASSWORD_TOO_LONG, WALL_SHARE_DEVICE_UNKNOWN.
   */
  async update(orgUuid: Ruuid, uuid: Ruuid, changes: WallShareChangeRequest): Promise<WallShare> {
    const { store, rules, clock } = this.#options;
    const nowEpochMs = clock.epochMs();
    const { password, expirationTimeSecs, deviceScheduleMap } = changes;
    const changed: Partial<WallShare> = {
      ...pastChanges(changes, nowEpochMs),
      ...(changes.showsUnmasked === undefined ? {} : { showsUnmasked: changes.showsUnmasked ?? false }),
      ...(expirationTimeSecs === undefined ? {} : { expiresAtSec: expiryOf(expirationTimeSecs, nowEpochMs) }),
      ...(password === undefined
        ? {}
        : { passwordHash: await hashIfGiven(this.#options.passwords, password) }),
    };
    return this.#turns.run(uuid, async () => {
      const decide = async (known: WallShare | null): Promise<WallShare> => {
        if (known === null) throw new GatewayError(SHARING_ERRORS.WALL_SHARE_NOT_FOUND, { share: uuid });
        const accessEpoch = known.accessEpoch + (password === undefined ? 0 : 1);
        // A schedule that stays as it is needs no check.
        const isOther = changes.scheduleUuid !== undefined;
        const wanted = { ...known, ...changes, ...(isOther ? {} : { scheduleUuid: null }) };
        const own = await this.#schedule(orgUuid, wanted, null);
        const deviceSchedules =
          deviceScheduleMap === undefined
            ? known.deviceSchedules
            : await this.#deviceSchedules(await this.#wall(orgUuid, known.wallUuid), deviceScheduleMap ?? {});
        const { scheduleUuid } = isOther ? own : known;
        return {
          ...known,
          ...own,
          ...changed,
          scheduleUuid,
          deviceSchedules,
          accessEpoch,
          updatedAtMs: laterThan(known, nowEpochMs),
        };
      };
      const storeChange = async () => {
        await rules.storeEnds(uuid);
        // The change may end access.
        return store.wallShares.change(orgUuid, uuid, decide, 'vital');
      };
      try {
        const { after } = await waitingBrieflyIf(isOfRulesAlone(changes), storeChange);
        if (after === null) throw new GatewayError(SHARING_ERRORS.WALL_SHARE_NOT_FOUND, { share: uuid });
        await rules.applied({ kind: 'wallShare', uuid, record: after });
        return after;
      } catch (thrown) {
        return this.#endBy(orgUuid, uuid, changes, changed, thrown);
      }
    });
  }

  /** A password, an earlier expiration, or less of the past does not wait for the store. Fails with `thrown`, and like `endWithoutStore`. */
  async #endBy(
    orgUuid: Ruuid,
    uuid: Ruuid,
    changes: WallShareChangeRequest,
    stored: Partial<WallShare>,
    thrown: unknown,
  ): Promise<WallShare> {
    if (!isOfRulesAlone(changes)) throw thrown;
    const { vodEnabled, vodPastSec, vodExpiresAtSec } = stored;
    const rules = {
      ...changedRules(changes, stored),
      ...(vodEnabled === undefined ? {} : { vodEnabled }),
      ...(vodPastSec === undefined ? {} : { vodPastSec }),
      ...(vodExpiresAtSec === undefined ? {} : { vodExpiresAtSec }),
    };
    const request: LinkEndRequest = { kind: 'rules', of: 'wallShare', uuid, rules };
    const share = await endWithoutStore<WallShare>(this.#options.rules, orgUuid, request, thrown);
    if (share === null) throw new GatewayError(SHARING_ERRORS.WALL_SHARE_NOT_FOUND, { share: uuid });
    return share;
  }

  /** In creation order, including expired ones. Fails with VIDEO_WALL_NOT_FOUND. */
  async listOfWall(orgUuid: Ruuid, wallUuid: Ruuid): Promise<WallShare[]> {
    await this.#wall(orgUuid, wallUuid);
    return this.#options.store.wallShares.listByWall(orgUuid, wallUuid);
  }

  /** The shares of all walls, in creation order. */
  list(orgUuid: Ruuid): Promise<WallShare[]> {
    return this.#options.store.wallShares.list(orgUuid);
  }

  /** Like `remove`. Also fails with WALL_SHARE_OF_ANOTHER_WALL, which changes nothing. */
  async removeOfWall(orgUuid: Ruuid, uuid: Ruuid, wallUuid: Ruuid): Promise<void> {
    const find = () => this.#options.store.wallShares.find(orgUuid, uuid);
    const share = await waitingBriefly(find).catch((thrown: unknown) => {
      // If the store is unavailable, it ends whichever wall it is of: the caller named the share.
      if (!isStoreAway(thrown)) throw thrown;
      return null;
    });
    if (share !== null && share.wallUuid !== wallUuid) {
      throw new GatewayError(SHARING_ERRORS.WALL_SHARE_OF_ANOTHER_WALL, { share: uuid });
    }
    await this.remove(orgUuid, uuid);
  }

  /**
   * Its viewers are cut off before this resolves. Fails with WALL_SHARE_NOT_FOUND, and like `endWithoutStore`.
   */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const { store, rules } = this.#options;
    await this.#turns.run(uuid, async () => {
      const isRemoved = await waitingBriefly(() => store.wallShares.remove(orgUuid, uuid)).catch(
        (thrown: unknown) => this.#end(orgUuid, uuid, thrown),
      );
      if (!isRemoved) throw new GatewayError(SHARING_ERRORS.WALL_SHARE_NOT_FOUND, { share: uuid });
      if (isRemoved !== 'not-stored') await rules.applied({ kind: 'wallShare', uuid, record: null });
    });
  }

  async #end(orgUuid: Ruuid, uuid: Ruuid, thrown: unknown): Promise<'not-stored'> {
    await endWithoutStore(this.#options.rules, orgUuid, { kind: 'link', uuid }, thrown);
    return 'not-stored';
  }

  /** The page for viewers. */
  pageUrl(share: Pick<WallShare, 'uuid'>): string {
    return `${this.#mediaUrl}/wall/${this.#options.tokens.tokenOf(share.uuid)}`;
  }

  async #wall(orgUuid: Ruuid, wallUuid: Ruuid): Promise<VideoWall> {
    const wall = await this.#options.store.videoWalls.find(orgUuid, wallUuid);
    if (wall === null) throw new GatewayError(SHARING_ERRORS.VIDEO_WALL_NOT_FOUND, { wall: wallUuid });
    return wall;
  }

  async #deviceSchedules(
    wall: VideoWall,
    given: Readonly<Record<string, DeviceScheduleRequest>>,
  ): Promise<Record<Ruuid, DeviceSchedule>> {
    const schedules: Record<Ruuid, DeviceSchedule> = {};
    for (const [device, request] of Object.entries(given)) {
      const camera = wall.cameras.find(
        ({ cameraUuid, facet }) => device === cameraUuid || device === `${cameraUuid}.${facet}`,
      );
      if (camera === undefined) {
        throw new GatewayError(SHARING_ERRORS.WALL_SHARE_DEVICE_UNKNOWN, { device });
      }
      schedules[camera.cameraUuid] = await this.#schedule(wall.orgUuid, request, device);
    }
    return schedules;
  }

  async #schedule(
    orgUuid: Ruuid,
    { scheduleUuid = null, invertSchedule, unscheduledMessage }: DeviceScheduleRequest,
    device: string | null,
  ): Promise<DeviceSchedule> {
    const { schedules } = this.#options.store;
    if (scheduleUuid !== null && (await schedules.find(orgUuid, scheduleUuid)) === null) {
      const context = { schedule: scheduleUuid, ...(device === null ? {} : { device }) };
      throw new GatewayError(SHARING_ERRORS.SHARE_SCHEDULE_NOT_FOUND, context);
    }
    const message = unscheduledMessage?.trim() ?? '';
    return {
      scheduleUuid,
      invertSchedule: invertSchedule ?? false,
      unscheduledMessage: message === '' ? null : message.slice(0, MAX_UNSCHEDULED_MESSAGE_CHARS),
    };
  }
}

/** What can end access without the store. */
const ENDING: ReadonlySet<string> = new Set([
  'password',
  'expirationTimeSecs',
  'vodEnabled',
  'vodPastSecs',
  'vodExpirationTimeSecs',
] satisfies (keyof WallShareChangeRequest)[]);

/** Whether a change concerns nothing but the password, the expiration, and the past. */
function isOfRulesAlone(changes: WallShareChangeRequest): boolean {
  return Object.entries(changes).every(([field, value]) => value === undefined || ENDING.has(field));
}
