/**
 * Every share with what decides about it (schedule, time zone of its camera's location), in memory. The front door
 * looks up shares here for every viewer; the store's change events keep it current.
 */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { SlicedWork } from '../core/sliced-work.ts';
import type { AccessEnd, EndOutcome, LinkEndRequest, NoEnd } from '../store/access-end.ts';
import type { AuditPrincipal } from '../store/audit.ts';
import { DEFAULT_TIME_ZONE, timeZoneOfCamera } from '../store/camera-time-zone.ts';
import type { Camera, Location, Nvr, Schedule, Share, VideoWall, WallShare } from '../store/entities.ts';
import type { ChangeEvent, EntityKind, Store } from '../store/store.ts';
import type { AccessChange, AccessRules } from './access-rules.ts';
import { ConcernedShares } from './concerned-shares.ts';
import { EndsInForce } from './ends-in-force.ts';
import { FollowedTable } from './followed-table.ts';
import { makeEnd, type RecordsInForce } from './make-end.ts';
import { ShareView } from './share-view.ts';
import {
  SHARED_FILE_KINDS,
  SHARED_GROUPS,
  type SharedFileKind,
  type SharedGroup,
  shareOfGroup,
} from './shared-group.ts';
import { type WallView, wallViewOf } from './wall-members.ts';

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

const NO_PRINCIPAL: AuditPrincipal = {
  ...{ type: 'UNKNOWN', uuid: null, name: '', sourceIp: null, userAgent: null },
};

interface Followed {
  load(): Promise<void>;
  settled(): Promise<void>;
  follow(event: ChangeEvent): void;
  close(): void;
}

type CameraRow = Pick<Camera, 'orgUuid' | 'name' | 'mummified' | 'locationUuid' | 'nvrUuid'>;

export class ShareDirectory implements AccessRules, SharesInForce {
  readonly #clock: Clock;
  readonly #views = new Map<Ruuid, ShareView>();
  /** Ends of access that the store does not have yet. */
  readonly #ends = new EndsInForce();
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
  /** With the ends. */
  readonly #records: RecordsInForce = {
    share: (uuid) => this.#ends.share(this.#shares.get(uuid)),
    wallShare: (uuid) => this.#ends.wallShare(this.#wallShares.get(uuid)),
    group: (uuid) => this.#ends.group(this.#storedGroup(uuid)),
    schedule: (uuid) => this.#ends.schedule(this.#schedules.get(uuid)),
    wall: (uuid) => this.#ends.wall(this.#walls.get(uuid)),
    usesOf: (schedule) =>
      new Set(
        this.#concerned.ofSchedule(schedule).map((uuid) => this.#views.get(uuid)!.share.invertSchedule),
      ),
    link: (uuid) => this.#shares.get(uuid) ?? this.#wallShares.get(uuid) ?? this.#storedGroup(uuid),
  };

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
    this.#clock = clock;
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

  /**
   * A committed change takes effect immediately, except a schedule's: its views are judged when this resolves. The event that
   * follows repeats the change.
   */
  applied(change: AccessChange): Promise<void> {
    switch (change.kind) {
      case 'share':
        apply(this.#shares, change);
        break;
      case 'schedule':
        apply(this.#schedules, change);
        return this.#concerned.settled();
      case 'wall':
        apply(this.#walls, change);
        break;
      case 'wallShare':
        apply(this.#wallShares, change);
        break;
      case 'group':
        this.#applyGroup(change.uuid, change.record);
    }
    return Promise.resolve();
  }

  /** Nothing keeps or stores it: a restart opens again what it ended. */
  endAccess(orgUuid: Ruuid, request: LinkEndRequest): EndOutcome {
    const end = this.makeEnd(orgUuid, request, NO_PRINCIPAL);
    if (typeof end === 'string') return end;
    void this.putEnd(end);
    return { isKept: false, silentNodes: [], record: this.recordOf(end) };
  }

  /** None is ever stored. */
  storeEnds(): void {}

  /** Changes nothing yet. */
  makeEnd(
    orgUuid: Ruuid,
    request: LinkEndRequest,
    principal: AuditPrincipal,
  ): AccessEnd | Exclude<NoEnd, 'full'> {
    const nowEpochMs = this.#clock.epochMs();
    const making = { orgUuid, principal, nowEpochMs, known: this.#ends.of(request.uuid) };
    return makeEnd(request, making, this.#records);
  }

  /** In force, and views are judged by it, when this returns; a schedule's, when it resolves. */
  putEnd(end: AccessEnd): Promise<void> {
    this.#ends.put(end);
    return this.#endsChanged(end);
  }

  /** The store has the end by now; its row was put before. */
  endStored(end: AccessEnd): Promise<void> {
    this.#ends.remove(end);
    if (end.kind === 'link') {
      this.#shares.remove(end.uuid);
      this.#wallShares.remove(end.uuid);
      this.#applyGroup(end.uuid, null);
    }
    return this.#endsChanged(end);
  }

  /** What is in force of the record that the end changes; null: nothing. */
  recordOf({ kind, uuid }: AccessEnd): object | null {
    const { share, wallShare, group, schedule, wall } = this.#records;
    if (kind === 'hours') return schedule(uuid) ?? null;
    if (kind === 'wall') return wall(uuid) ?? null;
    return share(uuid) ?? wallShare(uuid) ?? group(uuid) ?? null;
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

  #endsChanged({ kind, uuid }: AccessEnd): Promise<void> {
    if (kind === 'hours') this.#evaluate(this.#concerned.ofSchedule(uuid));
    else if (kind === 'wall') this.#rebuildWallsWhere(({ wallUuid }) => wallUuid === uuid);
    else {
      this.#rebuild(uuid);
      this.#rebuildWall(uuid);
      this.#rebuildGroup(uuid);
    }
    return this.#concerned.settled();
  }

  #applyGroup(uuid: Ruuid, group: SharedGroup | null): void {
    if (group !== null) this.#sharedGroups[group.body.kind].put(group);
    else for (const kind of SHARED_FILE_KINDS) this.#sharedGroups[kind].remove(uuid);
  }

  #storedGroup(uuid: Ruuid): SharedGroup | undefined {
    return this.#sharedGroups.clip.get(uuid) ?? this.#sharedGroups.timelapse.get(uuid);
  }

  #knownGroups(): ReadonlySet<Ruuid> {
    const stored = SHARED_FILE_KINDS.flatMap((kind) => [...this.#sharedGroups[kind].uuids()]);
    return new Set([...this.#groups.keys(), ...stored]);
  }

  #rebuildGroup(uuid: Ruuid): void {
    const group = this.#records.group(uuid);
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
    return this.#records.wall(wallUuid)?.cameras.some((one) => one.cameraUuid === cameraUuid) ?? false;
  }

  /** A share of a wall without its wall shows nothing. */
  #rebuildWall(uuid: Ruuid): void {
    const wallShare = this.#records.wallShare(uuid);
    const wall = wallShare === undefined ? undefined : this.#records.wall(wallShare.wallUuid);
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
    const share = this.#records.share(uuid) ?? member?.share;
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
    const schedule = share.scheduleUuid === null ? undefined : this.#records.schedule(share.scheduleUuid);
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

function apply<Row extends { readonly uuid: Ruuid }>(
  table: FollowedTable<Row, Row>,
  { uuid, record }: { readonly uuid: Ruuid; readonly record: Row | null },
): void {
  if (record === null) table.remove(uuid);
  else table.put(record);
}
