/** Creating, changing and removing video walls: the rules behind the API's wall calls. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';
import { type LinkEndRequest, laterThan } from '../store/access-end.ts';
import { actingView, seeingAll } from '../store/acting-view.ts';
import { waitingBrieflyIf } from '../store/brief-waits.ts';
import { AUTOMATIC_LAYOUT, type VideoWall, type WallCamera, type WallLayout } from '../store/entities.ts';
import type { Room } from '../store/record-change.ts';
import type { Store } from '../store/store.ts';
import type { AccessRules } from './access-rules.ts';
import { endWithoutStore } from './end-without-store.ts';
import { SHARING_ERRORS } from './errors.ts';
import { checkLayout, layoutOf } from './wall-layout.ts';
import type { WallShareService } from './wall-share-service.ts';

/** A wall as it is given; absent: as it was, or the default of a new wall. */
export interface VideoWallRequest {
  readonly name?: string;
  /** DeviceFacetUuids, in the order of the tiles. */
  readonly deviceList?: readonly string[];
  readonly ownerUserUuid?: Ruuid;
  readonly othersCanEdit?: boolean;
  readonly isShared?: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly layout?: WallLayout;
}

export interface ListedWall {
  readonly wall: VideoWall;
  readonly shares: number;
  /** Those that have not expired. */
  readonly openShares: number;
  /** Cameras of the wall that the caller may not see. Then the wall has the others alone, and the caller cannot change it. */
  readonly hiddenCameras: number;
}

export interface VideoWallServiceOptions {
  readonly store: Pick<Store, 'videoWalls' | 'wallShares' | 'cameras'>;
  readonly rules: AccessRules;
  readonly shares: Pick<WallShareService, 'remove'>;
  readonly clock: Clock;
}

/** The most cameras that one page decodes at the same time, and one link opens. */
export const MAX_WALL_CAMERAS = 16;
export const MAX_WALL_NAME_CHARS = 256;
/** The longest settings, as JSON. */
export const MAX_WALL_SETTINGS_CHARS = 65_536;

const ROOM: Room = {
  atMost: LIMITS.videoWalls.perOrganization,
  full: () =>
    new GatewayError(SHARING_ERRORS.TOO_MANY_VIDEO_WALLS, { limit: LIMITS.videoWalls.perOrganization }),
};

export class VideoWallService {
  readonly #options: VideoWallServiceOptions;
  /** Rules learn about a wall's changes in the order in which they were stored. */
  readonly #turns = new KeyedLock();

  constructor(options: VideoWallServiceOptions) {
    this.#options = options;
  }

  /** Fails with TOO_MANY_VIDEO_WALLS, and like `update`. */
  async create(orgUuid: Ruuid, request: VideoWallRequest): Promise<VideoWall> {
    const { store, rules, clock } = this.#options;
    const nowEpochMs = clock.epochMs();
    const empty: VideoWall = {
      uuid: newRuuid(),
      orgUuid,
      name: '',
      cameras: [],
      layout: AUTOMATIC_LAYOUT,
      ownerUserUuid: null,
      othersCanEdit: false,
      isShared: false,
      settings: {},
      createdAtMs: nowEpochMs,
      updatedAtMs: nowEpochMs,
    };
    const wall = await this.#changed(empty, request, nowEpochMs);
    await store.videoWalls.add(wall, ROOM);
    await rules.applied({ kind: 'wall', uuid: wall.uuid, record: wall });
    return wall;
  }

  /**
   * Views of a camera that is no longer on the wall end before this resolves. Fails with VIDEO_WALL_NOT_FOUND, VIDEO_WALL_UNNAMED,
   * VIDEO_WALL_TOO_LARGE, VIDEO_WALL_CAMERA_NOT_FOUND, VIDEO_WALL_CAMERA_TWICE, VIDEO_WALL_LAYOUT_INVALID.
   */
  async update(orgUuid: Ruuid, uuid: Ruuid, request: VideoWallRequest): Promise<VideoWall> {
    const { store, rules, clock } = this.#options;
    const nowEpochMs = clock.epochMs();
    return this.#turns.run(uuid, async () => {
      const decide = async (known: VideoWall | null): Promise<VideoWall> => {
        if (known === null) throw notFound(uuid);
        return this.#changed(known, request, nowEpochMs);
      };
      const storeChange = async () => {
        await rules.storeEnds(uuid);
        // The change may end access.
        return store.videoWalls.change(orgUuid, uuid, decide, 'vital');
      };
      try {
        const { after } = await waitingBrieflyIf(isOfCamerasAlone(request), storeChange);
        if (after === null) throw notFound(uuid);
        await rules.applied({ kind: 'wall', uuid, record: after });
        return after;
      } catch (thrown) {
        return this.#takeAway(orgUuid, uuid, request, thrown);
      }
    });
  }

  /** Removing cameras does not wait for the store. Fails with `thrown`, and like `endWithoutStore`. */
  async #takeAway(
    orgUuid: Ruuid,
    uuid: Ruuid,
    request: VideoWallRequest,
    thrown: unknown,
  ): Promise<VideoWall> {
    const { deviceList } = request;
    if (deviceList === undefined || !isOfCamerasAlone(request)) throw thrown;
    const cameraUuids = deviceList.flatMap((text) => parseDeviceFacetUuid(text)?.uuid ?? []);
    const end: LinkEndRequest = { kind: 'wall', uuid, cameraUuids };
    const wall = await endWithoutStore<VideoWall>(this.#options.rules, orgUuid, end, thrown);
    if (wall === null) throw notFound(uuid);
    return wall;
  }

  /** Its shares end first, and their viewers are cut off before this resolves. Fails with VIDEO_WALL_NOT_FOUND. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const { store, rules, shares } = this.#options;
    await this.#turns.run(uuid, async () => {
      if ((await store.videoWalls.find(orgUuid, uuid)) === null) throw notFound(uuid);
      for (const share of await store.wallShares.listByWall(orgUuid, uuid)) {
        await shares.remove(orgUuid, share.uuid);
      }
      await store.videoWalls.remove(orgUuid, uuid);
      await rules.applied({ kind: 'wall', uuid, record: null });
    });
  }

  /** Fails with VIDEO_WALL_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<VideoWall> {
    const wall = await this.#options.store.videoWalls.find(orgUuid, uuid);
    if (wall === null) throw notFound(uuid);
    return wall;
  }

  /**
   * In creation order, with the number of their shares, and without cameras that no longer exist. A limited caller also gets the visible
   * part of walls with other cameras.
   */
  async list(orgUuid: Ruuid): Promise<ListedWall[]> {
    const { store, clock } = this.#options;
    const view = actingView();
    const [shares, [all, records]] = await Promise.all([
      store.wallShares.list(orgUuid),
      seeingAll(() => Promise.all([store.videoWalls.list(orgUuid), store.cameras.listRecords(orgUuid)])),
    ]);
    const whole = view === null ? all : await store.videoWalls.list(orgUuid);
    const existing = new Set(records.filter(({ mummified }) => !mummified).map(({ uuid }) => uuid));
    const seenWhole = new Map(whole.map((wall) => [wall.uuid, wall]));
    const nowSec = clock.epochMs() / 1_000;
    const byWall = Map.groupBy(shares, ({ wallUuid }) => wallUuid);
    return all.flatMap((wall) => {
      const known = seenWhole.get(wall.uuid);
      const cameras = wall.cameras.filter(({ cameraUuid }) => existing.has(cameraUuid));
      const seen = view === null ? cameras : cameras.filter(({ cameraUuid }) => view.seesDevice(cameraUuid));
      if (known === undefined && seen.length === 0) return [];
      // Clients store what they like in the settings.
      const settings = known?.settings ?? {};
      const own = byWall.get(wall.uuid) ?? [];
      const layout = layoutOf(wall.layout, new Set(seen.map(({ cameraUuid }) => cameraUuid)));
      return {
        wall: { ...wall, cameras: seen, layout, settings },
        shares: own.length,
        openShares: own.filter(({ expiresAtSec }) => expiresAtSec === null || expiresAtSec > nowSec).length,
        hiddenCameras: cameras.length - seen.length,
      };
    });
  }

  async #changed(known: VideoWall, request: VideoWallRequest, nowEpochMs: number): Promise<VideoWall> {
    const { deviceList, ownerUserUuid, othersCanEdit, isShared } = request;
    const settings = request.settings ?? known.settings;
    if (JSON.stringify(settings).length > MAX_WALL_SETTINGS_CHARS) {
      throw tooLarge('settings', MAX_WALL_SETTINGS_CHARS);
    }
    const cameras =
      deviceList === undefined ? known.cameras : await this.#cameras(known, deviceList, nowEpochMs);
    const cameraUuids = new Set(cameras.map(({ cameraUuid }) => cameraUuid));
    if (request.layout !== undefined) checkLayout(request.layout, cameraUuids);
    return {
      ...known,
      name: wallName(request.name ?? known.name),
      cameras,
      layout: layoutOf(request.layout ?? known.layout, cameraUuids),
      ownerUserUuid: ownerUserUuid ?? known.ownerUserUuid,
      othersCanEdit: othersCanEdit ?? known.othersCanEdit,
      isShared: isShared ?? known.isShared,
      settings,
      updatedAtMs: laterThan(known, nowEpochMs),
    };
  }

  async #cameras(
    { orgUuid, cameras }: VideoWall,
    deviceList: readonly string[],
    nowEpochMs: number,
  ): Promise<WallCamera[]> {
    if (deviceList.length > MAX_WALL_CAMERAS) throw tooLarge('deviceList', MAX_WALL_CAMERAS);
    const added = new Map(cameras.map(({ cameraUuid, addedAtMs }) => [cameraUuid, addedAtMs]));
    const seen = new Set<Ruuid>();
    const next: WallCamera[] = [];
    for (const [index, text] of deviceList.entries()) {
      const device = parseDeviceFacetUuid(text);
      const camera = device === null ? null : await this.#options.store.cameras.find(orgUuid, device.uuid);
      if (device === null || camera === null || camera.mummified) {
        throw new GatewayError(SHARING_ERRORS.VIDEO_WALL_CAMERA_NOT_FOUND, { index });
      }
      if (seen.has(camera.uuid)) throw new GatewayError(SHARING_ERRORS.VIDEO_WALL_CAMERA_TWICE, { index });
      seen.add(camera.uuid);
      const addedAtMs = added.get(camera.uuid) ?? nowEpochMs;
      next.push({ cameraUuid: camera.uuid, facet: device.facet, addedAtMs });
    }
    return next;
  }
}

function wallName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new GatewayError(SHARING_ERRORS.VIDEO_WALL_UNNAMED);
  if (trimmed.length > MAX_WALL_NAME_CHARS) throw tooLarge('displayName', MAX_WALL_NAME_CHARS);
  return trimmed;
}

function tooLarge(part: 'displayName' | 'deviceList' | 'settings', limit: number): GatewayError {
  return new GatewayError(SHARING_ERRORS.VIDEO_WALL_TOO_LARGE, { part, limit });
}

function notFound(uuid: Ruuid): GatewayError {
  return new GatewayError(SHARING_ERRORS.VIDEO_WALL_NOT_FOUND, { wall: uuid });
}

/** Whether a change concerns nothing but the cameras. */
function isOfCamerasAlone({ deviceList: _, ...others }: VideoWallRequest): boolean {
  return Object.values(others).every((value) => value === undefined);
}
