/**
 * Every share with what decides about it (schedule, time zone of its camera's location), in memory. The front door
 * looks up shares here for every viewer; the store's change events keep it current.
 */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { SlicedWork } from '../core/sliced-work.ts';
import { DEFAULT_TIME_ZONE, timeZoneOfCamera } from '../store/camera-time-zone.ts';
import type { Camera, Location, Nvr, Schedule, Share, VideoWall, WallShare } from '../store/entities.ts';
import type { ChangeEvent, EntityKind, Store } from '../store/store.ts';
import { ConcernedShares } from './concerned-shares.ts';
import { FollowedTable } from './followed-table.ts';
import { type ScheduleState, scheduleStateAt } from './schedule-state.ts';
import {
  SHARED_FILE_KINDS,
  SHARED_GROUPS,
  type SharedFileKind,
  type SharedGroup,
  shareOfGroup,
} from './shared-group.ts';
import { type WallView, wallViewOf } from './wall-members.ts';

/** A share in its current state; a change makes a new object. */
export class ShareView {
  readonly share: Share;
  /** The shared wall that it belongs to; null: none. */
  readonly wallShareUuid: Ruuid | null;
  /** null: the share has none, or it is missing. */
  readonly schedule: Schedule | null;
  readonly timeZone: string;
  #state: ScheduleState | null = null;
  #stateFromEpochMs = Number.POSITIVE_INFINITY;
  #stateUntilEpochMs = Number.NEGATIVE_INFINITY;

  constructor(share: Share, schedule: Schedule | null, timeZone: string, wallShareUuid: Ruuid | null = null) {
    this.share = share;
    this.wallShareUuid = wallShareUuid;
    this.schedule = schedule;
    this.timeZone = timeZone;
  }

  /** What was shared: the share itself, or the wall that it belongs to. */
  get linkUuid(): Ruuid {
    return this.wallShareUuid ?? this.share.uuid;
  }

  /** The schedule's current state. Computed again only when its next change is due, or the wall clock went back. */
  scheduleStateAt(nowEpochMs: number): ScheduleState | null {
    if (this.schedule === null) return null;
    if (nowEpochMs < this.#stateFromEpochMs || nowEpochMs >= this.#stateUntilEpochMs) {
      this.#state = scheduleStateAt(this.schedule, this.timeZone, nowEpochMs);
      this.#stateFromEpochMs = nowEpochMs;
      this.#stateUntilEpochMs = this.#state?.changesAtEpochMs ?? Number.POSITIVE_INFINITY;
    }
    return this.#state;
  }
}

/**
 * Where committed changes take effect: when the call returns, every running view has been judged by them. Asynchronous,
 * because the views may be in a different thread than the change.
 */
export interface AccessRules {
  putShare(share: Share): void | Promise<void>;
  removeShare(shareUuid: Ruuid): void | Promise<void>;
  /**
   * Ends a share that the store could not remove: when this resolves, its links are closed and its views have ended.
   * false: the organization has no such share, or it is not of this camera; null: any.
   */
  endShare(orgUuid: Ruuid, shareUuid: Ruuid, cameraUuid?: Ruuid | null): boolean | Promise<boolean>;
  putSchedule(schedule: Schedule): void | Promise<void>;
  removeSchedule(scheduleUuid: Ruuid): void | Promise<void>;
  putWall(wall: VideoWall): void | Promise<void>;
  removeWall(wallUuid: Ruuid): void | Promise<void>;
  putWallShare(wallShare: WallShare): void | Promise<void>;
  removeWallShare(wallShareUuid: Ruuid): void | Promise<void>;
  putGroup(group: SharedGroup): void | Promise<void>;
  removeGroup(groupUuid: Ruuid): void | Promise<void>;
}

/** Shares as what decides about viewers looks them up. */
export interface SharesInForce {
  /** One Map lookup. */
  find(shareUuid: Ruuid): ShareView | undefined;
  /** Called after a share changed or was removed. Returns a function that ends the subscription. */
  onChange(listener: (shareUuid: Ruuid) => void): () => void;
}

export interface ShareDirectoryOptions {
  readonly store: Pick<
    Store,
    | 'shares'
    | 'schedules'
    | 'videoWalls'
    | 'wallShares'
    | 'resources'
    | 'cameras'
    | 'nvrs'
    | 'locations'
    | 'onChange'
  >;
  readonly clock: Clock;
  readonly log: Log;
}

interface Followed {
  load(): Promise<void>;
  settled(): Promise<void>;
  follow(event: ChangeEvent): void;
  close(): void;
}

type CameraRow = Pick<Camera, 'orgUuid' | 'name' | 'mummified' | 'locationUuid' | 'nvrUuid'>;

export class ShareDirectory implements AccessRules, SharesInForce {
  readonly #views = new Map<Ruuid, ShareView>();
  /** Shares that have ended, though the store still has them. */
  readonly #ended = new Set<Ruuid>();
  /** What is in `#views`, by what they depend on. */
  readonly #concerned = new ConcernedShares();
  readonly #listeners = new Set<(shareUuid: Ruuid) => void>();
  readonly #shares: FollowedTable<Share, Share>;
  readonly #schedules: FollowedTable<Schedule, Schedule>;
  readonly #walls: FollowedTable<VideoWall, VideoWall>;
  readonly #wallShares: FollowedTable<WallShare, WallShare>;
  readonly #wallViews = new Map<Ruuid, WallView>();
  /** The shares of which shared walls consist, by their UUIDs. */
  readonly #members = new Map<Ruuid, { readonly share: Share; readonly wallShareUuid: Ruuid }>();
  readonly #sharedGroups: Readonly<Record<SharedFileKind, FollowedTable<SharedGroup, SharedGroup>>>;
  readonly #groups = new Map<Ruuid, { readonly group: SharedGroup; readonly view: ShareView }>();
  readonly #cameras: FollowedTable<Camera, CameraRow>;
  readonly #nvrs: FollowedTable<Nvr, Ruuid | null>;
  readonly #locations: FollowedTable<Location, string>;
  /** What decides about shares, by the kind of its events. */
  readonly #followed: ReadonlyMap<EntityKind, Followed>;
  readonly #unsubscribe: () => void;

  /** Reads everything and then follows the store until `close`. */
  static async open(options: ShareDirectoryOptions): Promise<ShareDirectory> {
    const directory = new ShareDirectory(options);
    try {
      await directory.#load();
    } catch (error) {
      directory.close();
      throw error;
    }
    return directory;
  }

  private constructor({ store, clock, log }: ShareDirectoryOptions) {
    const common = { clock, log };
    this.#shares = new FollowedTable({
      ...common,
      repository: store.shares,
      rowOf: (share) => share,
      onRow: (uuid) => this.#rebuild(uuid),
    });
    this.#schedules = new FollowedTable({
      ...common,
      repository: store.schedules,
      rowOf: (schedule) => schedule,
      onRow: (uuid) => this.#evaluate(this.#concerned.ofSchedule(uuid)),
    });
    this.#walls = new FollowedTable({
      ...common,
      repository: store.videoWalls,
      rowOf: (wall) => wall,
      onRow: (uuid) => this.#rebuildWallsWhere((wallShare) => wallShare.wallUuid === uuid),
    });
    this.#wallShares = new FollowedTable({
      ...common,
      repository: store.wallShares,
      rowOf: (wallShare) => wallShare,
      onRow: (uuid) => this.#rebuildWall(uuid),
    });
    const groupsOf = (kind: SharedFileKind) =>
      new FollowedTable<SharedGroup, SharedGroup>({
        ...common,
        repository: store.resources.of(SHARED_GROUPS[kind]),
        rowOf: (group) => group,
        onRow: (uuid) => this.#rebuildGroup(uuid),
      });
    this.#sharedGroups = { clip: groupsOf('clip'), timelapse: groupsOf('timelapse') };
    this.#cameras = new FollowedTable({
      ...common,
      repository: store.cameras,
      rowOf: ({ orgUuid, name, mummified, locationUuid, nvrUuid }) => ({
        ...{ orgUuid, name, mummified, locationUuid, nvrUuid },
      }),
      onRow: (uuid) => {
        this.#evaluate(this.#concerned.ofCamera(uuid));
        this.#rebuildWallsWhere(({ wallUuid }) => this.#isOnWall(uuid, wallUuid));
      },
    });
    this.#nvrs = new FollowedTable({
      ...common,
      repository: store.nvrs,
      rowOf: ({ locationUuid }) => locationUuid,
      onRow: (uuid) => this.#evaluateOfCameras((camera) => camera.nvrUuid === uuid),
    });
    this.#locations = new FollowedTable({
      ...common,
      repository: store.locations,
      rowOf: ({ tz }) => tz,
      onRow: (uuid) =>
        this.#evaluateOfCameras(
          ({ locationUuid, nvrUuid }) =>
            locationUuid === uuid || (nvrUuid !== null && this.#nvrs.get(nvrUuid) === uuid),
        ),
    });
    this.#followed = new Map<EntityKind, Followed>([
      ['share', this.#shares],
      ['schedule', this.#schedules],
      ['videoWall', this.#walls],
      ['wallShare', this.#wallShares],
      ...SHARED_FILE_KINDS.map((kind) => [SHARED_GROUPS[kind].name, this.#sharedGroups[kind]] as const),
      ['camera', this.#cameras],
      ['nvr', this.#nvrs],
      ['location', this.#locations],
    ]);
    this.#unsubscribe = store.onChange((event) => this.#follow(event));
  }

  /** A share, or a camera of a shared wall. One Map lookup. */
  find(shareUuid: Ruuid): ShareView | undefined {
    return this.#views.get(shareUuid);
  }

  /** A shared wall. */
  findWall(wallShareUuid: Ruuid): WallView | undefined {
    return this.#wallViews.get(wallShareUuid);
  }

  findGroup(groupUuid: Ruuid): SharedGroup | undefined {
    return this.#groups.get(groupUuid)?.group;
  }

  /** The shares whose links are those of groups of files. They are no camera's, so `find` does not know them. */
  get groupShares(): SharesInForce {
    return {
      find: (uuid) => this.#groups.get(uuid)?.view,
      onChange: (listener) => this.onChange(listener),
    };
  }

  get size(): number {
    return this.#views.size;
  }

  /**
   * Called after a share, its schedule or its time zone changed, or the share was removed. Returns a function that ends
   * the subscription.
   */
  onChange(listener: (shareUuid: Ruuid) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A committed change takes effect immediately; the event that follows repeats it. */
  putShare(share: Share): void {
    this.#shares.put(share);
  }

  removeShare(shareUuid: Ruuid): void {
    this.#shares.remove(shareUuid);
  }

  endShare(orgUuid: Ruuid, shareUuid: Ruuid, cameraUuid: Ruuid | null = null): boolean {
    const known =
      this.#shares.get(shareUuid) ?? this.#wallShares.get(shareUuid) ?? this.#storedGroup(shareUuid);
    if (known?.orgUuid !== orgUuid) return false;
    if (cameraUuid !== null && this.#shares.get(shareUuid)?.cameraUuid !== cameraUuid) return false;
    this.#ended.add(shareUuid);
    this.#rebuild(shareUuid);
    this.#rebuildWall(shareUuid);
    this.#rebuildGroup(shareUuid);
    return true;
  }

  /** By now the store knows that the share has ended. */
  endStored(shareUuid: Ruuid): void {
    this.#ended.delete(shareUuid);
    this.removeShare(shareUuid);
    this.removeWallShare(shareUuid);
    this.removeGroup(shareUuid);
  }

  putSchedule(schedule: Schedule): Promise<void> {
    this.#schedules.put(schedule);
    return this.#concerned.settled();
  }

  removeSchedule(scheduleUuid: Ruuid): Promise<void> {
    this.#schedules.remove(scheduleUuid);
    return this.#concerned.settled();
  }

  putWall(wall: VideoWall): void {
    this.#walls.put(wall);
  }

  removeWall(wallUuid: Ruuid): void {
    this.#walls.remove(wallUuid);
  }

  putWallShare(wallShare: WallShare): void {
    this.#wallShares.put(wallShare);
  }

  removeWallShare(wallShareUuid: Ruuid): void {
    this.#wallShares.remove(wallShareUuid);
  }

  putGroup(group: SharedGroup): void {
    this.#sharedGroups[group.body.kind].put(group);
  }

  removeGroup(groupUuid: Ruuid): void {
    for (const kind of SHARED_FILE_KINDS) this.#sharedGroups[kind].remove(groupUuid);
  }

  /**
   * Reads everything again: for commits whose event was not sent. Running views are judged again. Rejects if the store
   * cannot be read, and keeps the rules as they were.
   */
  async refresh(): Promise<void> {
    await this.#loadTables();
    const work = new SlicedWork();
    for (const uuid of this.#knownWalls()) {
      this.#rebuildWall(uuid);
      if (work.step()) await work.pause();
    }
    for (const uuid of this.#knownGroups()) {
      this.#rebuildGroup(uuid);
      if (work.step()) await work.pause();
    }
    for (const uuid of new Set([...this.#views.keys(), ...this.#shares.uuids()])) {
      this.#rebuild(uuid);
      if (work.step()) await work.pause();
    }
  }

  /** Resolves when everything that has changed so far was read, or could not be. */
  async settled(): Promise<void> {
    await Promise.all(this.#followed.values().map((table) => table.settled()));
    await this.#concerned.settled();
  }

  close(): void {
    this.#unsubscribe();
    for (const table of this.#followed.values()) table.close();
    this.#listeners.clear();
  }

  async #loadTables(): Promise<void> {
    await Promise.all(this.#followed.values().map((table) => table.load()));
  }

  async #load(): Promise<void> {
    await this.#loadTables();
    for (const uuid of this.#shares.uuids()) this.#rebuild(uuid);
    for (const uuid of this.#wallShares.uuids()) this.#rebuildWall(uuid);
    for (const uuid of this.#knownGroups()) this.#rebuildGroup(uuid);
  }

  #storedGroup(uuid: Ruuid): SharedGroup | undefined {
    return this.#sharedGroups.clip.get(uuid) ?? this.#sharedGroups.timelapse.get(uuid);
  }

  #knownGroups(): ReadonlySet<Ruuid> {
    const stored = SHARED_FILE_KINDS.flatMap((kind) => [...this.#sharedGroups[kind].uuids()]);
    return new Set([...this.#groups.keys(), ...stored]);
  }

  #rebuildGroup(uuid: Ruuid): void {
    const group = this.#ended.has(uuid) ? undefined : this.#storedGroup(uuid);
    const known = this.#groups.get(uuid);
    if (known?.group === group) return;
    if (group === undefined) this.#groups.delete(uuid);
    else this.#groups.set(uuid, { group, view: new ShareView(shareOfGroup(group), null, DEFAULT_TIME_ZONE) });
    this.#announce(uuid);
  }

  #knownWalls(): ReadonlySet<Ruuid> {
    return new Set([...this.#wallViews.keys(), ...this.#wallShares.uuids()]);
  }

  #follow(event: ChangeEvent): void {
    this.#followed.get(event.entity)?.follow(event);
  }

  #evaluate(shareUuids: readonly Ruuid[]): void {
    this.#concerned.evaluate(shareUuids, (uuid) => this.#rebuild(uuid));
  }

  #evaluateOfCameras(isConcerned: (camera: CameraRow) => boolean): void {
    this.#concerned.evaluateOfCameras(
      (uuid) => {
        const camera = this.#cameras.get(uuid);
        return camera !== undefined && isConcerned(camera);
      },
      (uuid) => this.#rebuild(uuid),
    );
  }

  #rebuildWallsWhere(isConcerned: (wallShare: WallShare) => boolean): void {
    for (const uuid of this.#knownWalls()) {
      const wallShare = this.#wallShares.get(uuid);
      if (wallShare === undefined || isConcerned(wallShare)) this.#rebuildWall(uuid);
    }
  }

  #isOnWall(cameraUuid: Ruuid, wallUuid: Ruuid): boolean {
    return this.#walls.get(wallUuid)?.cameras.some((one) => one.cameraUuid === cameraUuid) ?? false;
  }

  /** A share of a wall without its wall shows nothing. */
  #rebuildWall(uuid: Ruuid): void {
    const wallShare = this.#ended.has(uuid) ? undefined : this.#wallShares.get(uuid);
    const wall = wallShare === undefined ? undefined : this.#walls.get(wallShare.wallUuid);
    const isWhole = wallShare !== undefined && wall?.orgUuid === wallShare.orgUuid;
    const view = isWhole ? wallViewOf(wall!, wallShare, (camera) => this.#cameras.get(camera)) : undefined;
    const before = this.#wallViews.get(uuid)?.members ?? [];
    if (view === undefined) this.#wallViews.delete(uuid);
    else this.#wallViews.set(uuid, view);
    for (const { share } of before) this.#members.delete(share.uuid);
    for (const { share } of view?.members ?? []) {
      this.#members.set(share.uuid, { share, wallShareUuid: uuid });
    }
    for (const { share } of [...before, ...(view?.members ?? [])]) this.#rebuild(share.uuid);
  }

  #rebuild(uuid: Ruuid): void {
    const known = this.#views.get(uuid);
    const member = this.#members.get(uuid);
    const share = this.#ended.has(uuid) ? undefined : (this.#shares.get(uuid) ?? member?.share);
    if (share === undefined) {
      if (!this.#views.delete(uuid)) return;
      this.#concerned.moved(uuid, known?.share, undefined);
      this.#announce(uuid);
      return;
    }
    const schedule = this.#scheduleOf(share);
    const timeZone = this.#timeZoneOf(share.cameraUuid);
    if (known?.share === share && known.schedule === schedule && known.timeZone === timeZone) return;
    this.#concerned.moved(uuid, known?.share, share);
    this.#views.set(uuid, new ShareView(share, schedule, timeZone, member?.wallShareUuid));
    this.#announce(uuid);
  }

  /** Another organization's schedule does not count. */
  #scheduleOf(share: Share): Schedule | null {
    const schedule = share.scheduleUuid === null ? undefined : this.#schedules.get(share.scheduleUuid);
    return schedule?.orgUuid === share.orgUuid ? schedule : null;
  }

  #timeZoneOf(cameraUuid: Ruuid): string {
    return timeZoneOfCamera(
      this.#cameras.get(cameraUuid),
      (nvr) => this.#nvrs.get(nvr),
      (location) => this.#locations.get(location),
    );
  }

  #announce(uuid: Ruuid): void {
    for (const listener of this.#listeners) listener(uuid);
  }
}
