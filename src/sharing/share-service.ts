/** Creating, changing and removing shared live streams: the rules behind the API's sharing calls. */

import type { Clock } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { expirationSecOf } from '../core/expiration-time.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { LongList } from '../core/long-list.ts';
import { isFacetWanted, newRuuid, type Ruuid } from '../core/ruuid.ts';
import { withoutTrailingSlashes } from '../core/trailing-slashes.ts';
import type { Counters } from '../counters/counters.ts';
import { type LinkEndRequest, laterThan } from '../store/access-end.ts';
import { waitingBriefly, waitingBrieflyIf } from '../store/brief-waits.ts';
import { timeZoneOfCamera } from '../store/camera-time-zone.ts';
import type { Camera, Share, StreamType } from '../store/entities.ts';
import type { Room } from '../store/record-change.ts';
import type { Store } from '../store/store.ts';
import { decideAccess } from './access-decision.ts';
import type { AccessRules } from './access-rules.ts';
import { endWithoutStore } from './end-without-store.ts';
import { SHARING_ERRORS } from './errors.ts';
import { hashIfGiven, type Passwords } from './password.ts';
import { scheduleStateAt } from './schedule-state.ts';
import type { ShareTokens } from './share-token.ts';

/** The fields of a request for a share; null and absent are the same. */
export interface NewShareRequest {
  readonly camera: Pick<Camera, 'uuid'>;
  /** '' if the caller did not give one. */
  readonly cameraFacet: string;
  readonly streamType: StreamType;
  readonly vodEnabled: boolean;
  /** How far back from now viewers see the past; null: to the creation. */
  readonly vodPastSecs?: number | null;
  /** When the past ends for viewers, like `expirationTimeSecs`; null: with the share. */
  readonly vodExpirationTimeSecs?: number | null;
  /** Blank: `Unnamed`. */
  readonly name?: string | null;
  /** Blank: none. */
  readonly password?: string | null;
  /** Below 10^9: seconds from now; otherwise an epoch second. */
  readonly expirationTimeSecs?: number | null;
  readonly scheduleUuid?: Ruuid | null;
  readonly invertSchedule?: boolean | null;
  /** Default true. */
  readonly includeAudio?: boolean | null;
  /** Default false. Needs `includeAudio`. */
  readonly talk?: boolean | null;
  /** Default false. */
  readonly showsUnmasked?: boolean | null;
  readonly audioGatewayUuid?: string | null;
  readonly ssoProtected?: boolean | null;
  /** null: the gateway's default. */
  readonly cdn?: boolean | null;
}

/** Absent: stays as it is. null: the default of a new share. */
export type ShareChangeRequest = Pick<
  NewShareRequest,
  | 'name'
  | 'password'
  | 'expirationTimeSecs'
  | 'scheduleUuid'
  | 'invertSchedule'
  | 'ssoProtected'
  | 'cdn'
  | 'showsUnmasked'
  | 'talk'
  | 'vodPastSecs'
  | 'vodExpirationTimeSecs'
> & { readonly vodEnabled?: boolean | null };

/** A camera, or one facet of it. */
export interface SharedCamera {
  readonly camera: Pick<Camera, 'uuid'>;
  /** '' for the camera itself. */
  readonly facet: string;
}

/** Where to watch a share. */
export interface ShareLinks {
  readonly pageUrl: string;
  readonly m3u8Url: string;
  /** null: the gateway does not serve RTSP. */
  readonly rtspUrl: string | null;
}

export interface ShareServiceOptions {
  readonly store: Pick<Store, 'shares' | 'schedules' | 'cameras' | 'nvrs' | 'locations'>;
  readonly rules: AccessRules;
  readonly counters: Pick<Counters, 'putShare' | 'removeShare'>;
  readonly passwords: Passwords;
  readonly tokens: ShareTokens;
  readonly clock: Clock;
  /** Base of the media listener as viewers reach it, for example `https://video.example.com`. */
  readonly publicMediaUrl: string;
  /** Base of the RTSP listener as programs reach it, for example `rtsps://video.example.com:8322`; absent or null: there is none. */
  readonly publicRtspUrl?: string | null;
  /** Domains whose people may sign in to watch; absent or null: there is no sign-in provider. */
  readonly signInDomains?: readonly string[] | null;
}

export const DEFAULT_SHARE_NAME = 'Unnamed';
export const MAX_SHARE_NAME_CHARS = 256;

export const FIRST_ACCESS_EPOCH = 1;

/** How many expired shares are removed to make room for a new one: few enough for a short wait. */
const EXPIRED_PER_ROOM = 20;

const ROOM: Room = {
  atMost: LIMITS.shares.perOrganization,
  full: () => new GatewayError(SHARING_ERRORS.TOO_MANY_SHARES, { limit: 'shares' }),
};

export class ShareService {
  readonly #options: ShareServiceOptions;
  readonly #mediaUrl: string;
  /** Rules and counters learn about a share's changes in the order in which they were stored. */
  readonly #turns = new KeyedLock();

  constructor(options: ShareServiceOptions) {
    this.#options = options;
    this.#mediaUrl = withoutTrailingSlashes(options.publicMediaUrl);
  }

  /**
   * Fails with SHARE_CAMERA_NOT_FOUND, SHARE_SCHEDULE_NOT_FOUND, SHARE_SSO_UNSUPPORTED, SHARE_EXPIRY_INVALID,
   * SHARE_TALK_NEEDS_AUDIO, SHARE_NAME_TOO_LONG or SHARE_PASSWORD_TOO_LONG.
   */
  async create(orgUuid: Ruuid, request: NewShareRequest): Promise<Share> {
    this.#expectSignIn(request.ssoProtected);
    const nowEpochMs = this.#options.clock.epochMs();
    const name = shareName(request.name);
    const expiresAtSec = expiryOf(request.expirationTimeSecs, nowEpochMs);
    const camera = await this.#options.store.cameras.find(orgUuid, request.camera.uuid);
    if (camera === null || camera.mummified) {
      throw new GatewayError(SHARING_ERRORS.SHARE_CAMERA_NOT_FOUND, { camera: request.camera.uuid });
    }
    const scheduleUuid = await this.#schedule(orgUuid, request.scheduleUuid);
    const share: Share = {
      uuid: newRuuid(),
      orgUuid,
      cameraUuid: camera.uuid,
      cameraFacet: request.cameraFacet,
      name,
      streamType: request.streamType,
      vodEnabled: request.vodEnabled,
      vodPastSec: request.vodPastSecs ?? null,
      vodExpiresAtSec: expiryOf(request.vodExpirationTimeSecs, nowEpochMs),
      includeAudio: request.includeAudio ?? true,
      talk: request.talk ?? false,
      showsUnmasked: request.showsUnmasked ?? false,
      audioGatewayUuid: request.audioGatewayUuid ?? null,
      ssoProtected: request.ssoProtected ?? false,
      cdn: request.cdn ?? null,
      expiresAtSec,
      scheduleUuid,
      invertSchedule: request.invertSchedule ?? false,
      passwordHash: await hashIfGiven(this.#options.passwords, request.password),
      accessEpoch: FIRST_ACCESS_EPOCH,
      createdAtMs: nowEpochMs,
      updatedAtMs: nowEpochMs,
    };
    expectAudible(share);
    await this.#add(share, nowEpochMs);
    await this.#tell(share, camera.nvrUuid);
    return share;
  }

  /**
   * A changed or removed password ends every running view, and so does a change of `ssoProtected`. Fails with SHARE_NOT_FOUND, and
   * like `create`.
   */
  async update(orgUuid: Ruuid, uuid: Ruuid, changes: ShareChangeRequest): Promise<Share> {
    this.#expectSignIn(changes.ssoProtected);
    const nowEpochMs = this.#options.clock.epochMs();
    const changed: Partial<Share> = {
      ...(changes.cdn === undefined ? {} : { cdn: changes.cdn }),
      ...(changes.talk === undefined ? {} : { talk: changes.talk ?? false }),
      ...(changes.showsUnmasked === undefined ? {} : { showsUnmasked: changes.showsUnmasked ?? false }),
      ...pastChanges(changes, nowEpochMs),
      ...(changes.ssoProtected === undefined ? {} : { ssoProtected: changes.ssoProtected ?? false }),
      ...(changes.name === undefined ? {} : { name: shareName(changes.name) }),
      ...(changes.expirationTimeSecs === undefined
        ? {}
        : { expiresAtSec: expiryOf(changes.expirationTimeSecs, nowEpochMs) }),
      ...(changes.invertSchedule === undefined ? {} : { invertSchedule: changes.invertSchedule ?? false }),
      ...(changes.scheduleUuid === undefined ? {} : { scheduleUuid: changes.scheduleUuid }),
      ...(changes.password === undefined
        ? {}
        : { passwordHash: await hashIfGiven(this.#options.passwords, changes.password) }),
    };
    return this.#turns.run(uuid, async () => {
      let nvrUuid: Ruuid | null = null;
      const decide = async (share: Share | null): Promise<Share> => {
        if (share === null) throw notFound(uuid);
        expectAudible({ ...share, ...changed });
        const isOther =
          changes.password !== undefined ||
          (changed.ssoProtected ?? share.ssoProtected) !== share.ssoProtected;
        const accessEpoch = share.accessEpoch + (isOther ? 1 : 0);
        nvrUuid = (await this.#options.store.cameras.find(orgUuid, share.cameraUuid))?.nvrUuid ?? null;
        return { ...share, ...changed, accessEpoch, updatedAtMs: laterThan(share, nowEpochMs) };
      };
      const storeChange = async () => {
        await this.#schedule(orgUuid, changes.scheduleUuid);
        await this.#options.rules.storeEnds(uuid);
        // The change may end access.
        return this.#options.store.shares.change(orgUuid, uuid, decide, 'vital');
      };
      try {
        const { after } = await waitingBrieflyIf(isOfRulesAlone(changed), storeChange);
        if (after === null) throw notFound(uuid);
        await this.#tell(after, nvrUuid);
        return after;
      } catch (thrown) {
        return this.#endBy(orgUuid, uuid, changed, thrown);
      }
    });
  }

  /** A change that only ends access does not wait for the store. Fails with `thrown`, and like `endWithoutStore`. */
  async #endBy(orgUuid: Ruuid, uuid: Ruuid, changed: Partial<Share>, thrown: unknown): Promise<Share> {
    if (!isOfRulesAlone(changed)) throw thrown;
    const request: LinkEndRequest = { kind: 'rules', of: 'share', uuid, rules: changed };
    const share = await endWithoutStore<Share>(this.#options.rules, orgUuid, request, thrown);
    if (share === null) throw notFound(uuid);
    return share;
  }

  /**
   * Its viewers are cut off before this resolves. Fails with SHARE_NOT_FOUND, and like `endWithoutStore`.
   */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const { store, rules, counters } = this.#options;
    await this.#turns.run(uuid, async () => {
      const isRemoved = await waitingBriefly(() => store.shares.remove(orgUuid, uuid)).catch(
        (thrown: unknown) => this.#end(orgUuid, uuid, null, thrown),
      );
      if (!isRemoved) throw notFound(uuid);
      if (isRemoved !== 'not-stored') await rules.applied({ kind: 'share', uuid, record: null });
      await counters.removeShare(uuid);
    });
  }

  /** Fails with SHARE_EXPIRY_INVALID if an update with this expiration would. */
  checkExpiry(expirationTimeSecs: number | null): void {
    expiryOf(expirationTimeSecs, this.#options.clock.epochMs());
  }

  /** Fails with SHARE_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<Share> {
    const share = await this.#options.store.shares.find(orgUuid, uuid);
    if (share === null) throw notFound(uuid);
    return share;
  }

  /** Shares that have expired make room. Fails TOO_MANY_SHARES. */
  async #add(share: Share, nowEpochMs: number): Promise<void> {
    const { store } = this.#options;
    try {
      await store.shares.add(share, ROOM);
    } catch (thrown) {
      if (toGatewayError(thrown).code !== SHARING_ERRORS.TOO_MANY_SHARES.code) throw thrown;
      const expired = await store.shares.listExpired(
        share.orgUuid,
        Math.floor(nowEpochMs / 1_000),
        EXPIRED_PER_ROOM,
      );
      if (expired.length === 0) throw thrown;
      for (const { uuid } of expired) await this.remove(share.orgUuid, uuid);
      await store.shares.add(share, ROOM);
    }
  }

  list(orgUuid: Ruuid): Promise<Share[]> {
    return this.#options.store.shares.list(orgUuid);
  }

  /** Shares of all cameras, including expired ones. */
  listNewestFirst(orgUuid: Ruuid, limit = LIMITS.shares.perOrganization): Promise<LongList<Share>> {
    return this.#options.store.shares.listNewestFirst(orgUuid, limit);
  }

  /** Shares of a camera, newest first, including expired ones. A facet limits the list to its shares. */
  async listOfCamera(orgUuid: Ruuid, { camera, facet }: SharedCamera): Promise<LongList<Share>> {
    const shares = await this.#options.store.shares.listByCamera(orgUuid, camera.uuid);
    const ofFacet = shares.filter((share) => isFacetWanted(facet, share.cameraFacet));
    return LongList.of(ofFacet.sort(newestFirst));
  }

  /**
   * Like `remove`, for a share of this camera with any facet. Also fails SHARE_OF_ANOTHER_DEVICE, which changes nothing.
   */
  async removeOfCamera(orgUuid: Ruuid, uuid: Ruuid, { camera }: SharedCamera): Promise<void> {
    const find = () => this.#options.store.shares.find(orgUuid, uuid);
    const share = await waitingBriefly(find).catch((thrown: unknown) =>
      this.#end(orgUuid, uuid, camera.uuid, thrown),
    );
    if (share === 'not-stored') {
      await this.#options.counters.removeShare(uuid);
      return;
    }
    if (share !== null && share.cameraUuid !== camera.uuid) {
      throw new GatewayError(SHARING_ERRORS.SHARE_OF_ANOTHER_DEVICE, { share: uuid });
    }
    await this.remove(orgUuid, uuid);
  }

  /** Ends access even if the store refused the change or could not be read. Fails like `endWithoutStore`. */
  async #end(orgUuid: Ruuid, uuid: Ruuid, ofCamera: Ruuid | null, thrown: unknown): Promise<'not-stored'> {
    await endWithoutStore(this.#options.rules, orgUuid, { kind: 'link', uuid, ofCamera }, thrown);
    return 'not-stored';
  }

  /** If viewers cannot sign in, a share that requires it would only look protected. */
  #expectSignIn(isWanted: boolean | null | undefined): void {
    if (isWanted !== true) return;
    const { signInDomains = null } = this.#options;
    if (signInDomains === null || signInDomains.length === 0) {
      const missing = signInDomains === null ? 'oidc.issuer' : 'oidc.allowedDomains';
      throw new GatewayError(SHARING_ERRORS.SHARE_SSO_UNSUPPORTED, { missing });
    }
  }

  /** Those of an organization's shares that play now for anyone who has the link, without a password or a sign-in. */
  async openToAll(orgUuid: Ruuid, shares: readonly Share[]): Promise<Share[]> {
    const { store, clock } = this.#options;
    const [schedules, cameras, nvrs, locations] = await Promise.all([
      store.schedules.list(orgUuid).then(byUuid),
      store.cameras.listRecords(orgUuid).then(byUuid),
      store.nvrs.list(orgUuid).then(byUuid),
      store.locations.list(orgUuid).then(byUuid),
    ]);
    const nowEpochMs = clock.epochMs();
    return shares.filter((share) => {
      const schedule = share.scheduleUuid === null ? undefined : schedules.get(share.scheduleUuid);
      const camera = cameras.get(share.cameraUuid);
      const timeZone = timeZoneOfCamera(
        camera,
        (nvr) => nvrs.get(nvr)?.locationUuid,
        (location) => locations.get(location)?.tz,
      );
      return decideAccess({
        credential: { kind: 'link', isPasswordProven: false, isSignInProven: false },
        share,
        schedule: schedule === undefined ? null : scheduleStateAt(schedule, timeZone, nowEpochMs),
        ended: null,
        admittedTo: null,
        nowEpochMs,
        otherViewers: 0,
        maxViewers: null,
      }).allowed;
    });
  }

  urls(share: Pick<Share, 'uuid'>): ShareLinks {
    const { tokens, publicRtspUrl = null } = this.#options;
    const token = tokens.tokenOf(share.uuid);
    return {
      pageUrl: `${this.#mediaUrl}/share/${token}`,
      m3u8Url: `${this.#mediaUrl}/live/${token}/file.m3u8`,
      rtspUrl: publicRtspUrl === null ? null : `${publicRtspUrl}/live/${token}`,
    };
  }

  /** Warnings for the caller that created the share: it was accepted, but may differ from the caller's intention. */
  warnings(share: Share): readonly string[] {
    if (!share.invertSchedule || share.scheduleUuid !== null) return [];
    return ['invertSchedule has no effect, because the share has no scheduleUuid.'];
  }

  /** Warnings about the stored values. */
  async #tell(share: Share, nvrUuid: Ruuid | null): Promise<void> {
    const { rules, counters } = this.#options;
    await rules.applied({ kind: 'share', uuid: share.uuid, record: share });
    const { uuid, cameraUuid, expiresAtSec } = share;
    await counters.putShare({ uuid, cameraUuid, nvrUuid, expiresAtSec });
  }

  async #schedule(orgUuid: Ruuid, scheduleUuid: Ruuid | null | undefined): Promise<Ruuid | null> {
    if (scheduleUuid === null || scheduleUuid === undefined) return null;
    const schedule = await this.#options.store.schedules.find(orgUuid, scheduleUuid);
    if (schedule === null) {
      throw new GatewayError(SHARING_ERRORS.SHARE_SCHEDULE_NOT_FOUND, { schedule: scheduleUuid });
    }
    return scheduleUuid;
  }
}

function byUuid<T extends { readonly uuid: Ruuid }>(entities: readonly T[]): ReadonlyMap<Ruuid, T> {
  return new Map(entities.map((entity) => [entity.uuid, entity]));
}

function shareName(name: string | null | undefined): string {
  const trimmed = name?.trim() ?? '';
  if (trimmed.length > MAX_SHARE_NAME_CHARS) {
    throw new GatewayError(SHARING_ERRORS.SHARE_NAME_TOO_LONG, { limit: MAX_SHARE_NAME_CHARS });
  }
  return trimmed === '' ? DEFAULT_SHARE_NAME : trimmed;
}

/** Epoch second. Fails with SHARE_EXPIRY_INVALID. */
export function expiryOf(expirationTimeSecs: number | null | undefined, nowEpochMs: number): number | null {
  if (expirationTimeSecs === null || expirationTimeSecs === undefined) return null;
  const expiresAtSec = expirationSecOf(expirationTimeSecs, nowEpochMs);
  if (expiresAtSec === null)
    throw new GatewayError(SHARING_ERRORS.SHARE_EXPIRY_INVALID, { expirationTimeSecs });
  return expiresAtSec;
}

/** What a request changes of the past of a link. Fails with SHARE_EXPIRY_INVALID. */
export function pastChanges(
  changes: Pick<ShareChangeRequest, 'vodEnabled' | 'vodPastSecs' | 'vodExpirationTimeSecs'>,
  nowEpochMs: number,
): Partial<Pick<Share, 'vodEnabled' | 'vodPastSec' | 'vodExpiresAtSec'>> {
  const { vodEnabled, vodPastSecs, vodExpirationTimeSecs } = changes;
  return {
    ...(vodEnabled === undefined ? {} : { vodEnabled: vodEnabled ?? false }),
    ...(vodPastSecs === undefined ? {} : { vodPastSec: vodPastSecs }),
    ...(vodExpirationTimeSecs === undefined
      ? {}
      : { vodExpiresAtSec: expiryOf(vodExpirationTimeSecs, nowEpochMs) }),
  };
}

/** Changes of these need the store. */
const STORED_ALONE = ['name', 'cdn', 'showsUnmasked', 'talk'] as const;

/** Whether a change only concerns access. */
function isOfRulesAlone(changed: Partial<Share>): boolean {
  return STORED_ALONE.every((field) => changed[field] === undefined);
}

/** Fails with SHARE_TALK_NEEDS_AUDIO. */
function expectAudible({ talk, includeAudio }: Pick<Share, 'talk' | 'includeAudio'>): void {
  if (talk && !includeAudio) throw new GatewayError(SHARING_ERRORS.SHARE_TALK_NEEDS_AUDIO);
}

function newestFirst(a: Share, b: Share): number {
  return b.createdAtMs - a.createdAtMs || (a.uuid < b.uuid ? -1 : 1);
}

function notFound(uuid: Ruuid): GatewayError {
  return new GatewayError(SHARING_ERRORS.SHARE_NOT_FOUND, { share: uuid });
}
