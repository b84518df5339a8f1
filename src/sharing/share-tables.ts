/** The tables that decide what links show, in memory and followed: links, walls, schedules, cameras, and where cameras are. */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { timeZoneOfCamera } from '../store/camera-time-zone.ts';
import type { Camera, Location, Nvr, Schedule, Share, VideoWall, WallShare } from '../store/entities.ts';
import type { ChangeEvent, EntityKind, Store } from '../store/store.ts';
import { EMERGENCIES, type Emergency } from './emergency-link.ts';
import { FollowedTable } from './followed-table.ts';
import { SHARED_FILE_KINDS, SHARED_GROUPS, type SharedFileKind, type SharedGroup } from './shared-group.ts';

/** The fields of a camera in memory. */
export type CameraRow = Pick<
  Camera,
  'orgUuid' | 'name' | 'mummified' | 'locationUuid' | 'nvrUuid' | 'masks' | 'masksForViewers'
>;

export interface ShareTablesSource {
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

/** The rows to store for links. */
interface LinkRows<ShareRow, WallShareRow, GroupRow> {
  readonly share: (share: Share) => ShareRow;
  readonly wallShare: (wallShare: WallShare) => WallShareRow;
  readonly group: (group: SharedGroup) => GroupRow;
}

type TableName =
  | 'share'
  | 'schedule'
  | 'wall'
  | 'wallShare'
  | 'group'
  | 'emergency'
  | 'camera'
  | 'nvr'
  | 'location';

/** A row of the table was put, replaced or removed. Not called while all are loaded. */
export type RowListeners = Readonly<Record<TableName, (uuid: Ruuid) => void>>;

interface Followed {
  load(): Promise<void>;
  settled(): Promise<void>;
  follow(event: ChangeEvent): void;
  close(): void;
}

export class ShareTables<ShareRow, WallShareRow, GroupRow> {
  readonly shares: FollowedTable<Share, ShareRow>;
  readonly wallShares: FollowedTable<WallShare, WallShareRow>;
  readonly groups: Readonly<Record<SharedFileKind, FollowedTable<SharedGroup, GroupRow>>>;
  readonly emergencies: FollowedTable<Emergency, Emergency>;
  readonly schedules: FollowedTable<Schedule, Schedule>;
  readonly walls: FollowedTable<VideoWall, VideoWall>;
  readonly cameras: FollowedTable<Camera, CameraRow>;
  readonly nvrs: FollowedTable<Nvr, Ruuid | null>;
  readonly locations: FollowedTable<Location, Pick<Location, 'name' | 'tz'>>;
  /** By the kind of its events. */
  readonly #followed: ReadonlyMap<EntityKind, Followed>;
  readonly #unsubscribe: () => void;
  #isFollowing = false;

  /** Nothing is read or followed before `load`. */
  constructor(
    { store, clock, log }: ShareTablesSource,
    rows: LinkRows<ShareRow, WallShareRow, GroupRow>,
    listeners?: RowListeners,
  ) {
    const of = (table: TableName) => ({
      clock,
      log,
      onRow: listeners?.[table] ?? (() => undefined),
    });
    const groupsOf = (kind: SharedFileKind) =>
      new FollowedTable({
        ...of('group'),
        repository: store.resources.of(SHARED_GROUPS[kind]),
        rowOf: rows.group,
      });
    this.shares = new FollowedTable({ ...of('share'), repository: store.shares, rowOf: rows.share });
    this.wallShares = new FollowedTable({
      ...of('wallShare'),
      repository: store.wallShares,
      rowOf: rows.wallShare,
    });
    this.groups = { clip: groupsOf('clip'), timelapse: groupsOf('timelapse') };
    this.emergencies = new FollowedTable({
      ...of('emergency'),
      repository: store.resources.of(EMERGENCIES),
      rowOf: (emergency) => emergency,
    });
    this.schedules = new FollowedTable({
      ...of('schedule'),
      repository: store.schedules,
      rowOf: (schedule) => schedule,
    });
    this.walls = new FollowedTable({
      ...of('wall'),
      repository: store.videoWalls,
      rowOf: (wall) => wall,
    });
    this.cameras = new FollowedTable({
      ...of('camera'),
      repository: store.cameras,
      rowOf: ({ orgUuid, name, mummified, locationUuid, nvrUuid, masks, masksForViewers }) => ({
        orgUuid,
        name,
        mummified,
        locationUuid,
        nvrUuid,
        masks,
        masksForViewers,
      }),
    });
    this.nvrs = new FollowedTable({
      ...of('nvr'),
      repository: store.nvrs,
      rowOf: ({ locationUuid }) => locationUuid,
    });
    this.locations = new FollowedTable({
      ...of('location'),
      repository: store.locations,
      rowOf: ({ name, tz }) => ({ name, tz }),
    });
    this.#followed = new Map<EntityKind, Followed>([
      ['share', this.shares],
      ['schedule', this.schedules],
      ['videoWall', this.walls],
      ['wallShare', this.wallShares],
      ...SHARED_FILE_KINDS.map((kind) => [SHARED_GROUPS[kind].name, this.groups[kind]] as const),
      ['emergency', this.emergencies],
      ['camera', this.cameras],
      ['nvr', this.nvrs],
      ['location', this.locations],
    ]);
    this.#unsubscribe = store.onChange((event) => {
      if (this.#isFollowing) this.#followed.get(event.entity)?.follow(event);
    });
  }

  /** Reads everything, and follows it from then on. Rejects if the store cannot be read. Run one at a time. */
  async load(): Promise<void> {
    const wasFollowing = this.#isFollowing;
    this.#isFollowing = true;
    try {
      await Promise.all(this.#followed.values().map((table) => table.load()));
    } catch (error) {
      this.#isFollowing = wasFollowing;
      throw error;
    }
  }

  /** Resolves when everything that has changed so far was read, or could not be. */
  async settled(): Promise<void> {
    await Promise.all(this.#followed.values().map((table) => table.settled()));
  }

  close(): void {
    this.#unsubscribe();
    for (const table of this.#followed.values()) table.close();
  }

  group(uuid: Ruuid): GroupRow | undefined {
    return this.groups.clip.get(uuid) ?? this.groups.timelapse.get(uuid);
  }

  /** The camera's time zone; UTC without a camera. */
  timeZoneOf(cameraUuid: Ruuid | null): string {
    return timeZoneOfCamera(
      cameraUuid === null ? undefined : this.cameras.get(cameraUuid),
      (nvr) => this.nvrs.get(nvr),
      (location) => this.locations.get(location)?.tz,
    );
  }
}
