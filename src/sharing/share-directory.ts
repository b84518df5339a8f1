/**
 * Every share with what decides about it (schedule, time zone of its camera's location), in memory. The front door
 * looks up shares here for every viewer; the store's change events keep it current.
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { SlicedWork } from '../core/sliced-work.ts';
import type { AccessEnd, EndOutcome, LinkEndRequest, NoEnd } from '../store/access-end.ts';
import type { AuditPrincipal } from '../store/audit.ts';
import { DEFAULT_TIME_ZONE } from '../store/camera-time-zone.ts';
import type { Schedule, Share, WallShare } from '../store/entities.ts';
import { seesUnmasked, shownCameraUuid } from '../store/privacy-mask.ts';
import type { AccessChange, AccessRules } from './access-rules.ts';
import { MaskedCameras } from './cameras-with-masks.ts';
import { ConcernedShares } from './concerned-shares.ts';
import { EmergenciesInForce } from './emergencies-in-force.ts';
import type { EmergencyLink } from './emergency-link.ts';
import { EndsInForce } from './ends-in-force.ts';
import type { FollowedTable } from './followed-table.ts';
import { makeEnd, type RecordsInForce } from './make-end.ts';
import { type CameraRow, ShareTables, type ShareTablesSource } from './share-tables.ts';
import { ShareView } from './share-view.ts';
import { SHARED_FILE_KINDS, type SharedGroup, shareOfGroup } from './shared-group.ts';
import { type WallView, wallViewOf } from './wall-members.ts';

/** Shares as what decides about viewers looks them up. */
export interface SharesInForce {
  /** One Map lookup. */
  find(shareUuid: Ruuid): ShareView | undefined;
  /** Called after a share changed or was removed. Returns a function that ends the subscription. */
  onChange(listener: (shareUuid: Ruuid) => void): () => void;
}

export type ShareDirectoryOptions = ShareTablesSource;

const NO_PRINCIPAL: AuditPrincipal = {
  type: 'UNKNOWN',
  uuid: null,
  name: '',
  sourceIp: null,
  userAgent: null,
};

export class ShareDirectory implements AccessRules, SharesInForce {
  readonly #clock: Clock;
  readonly #views = new Map<Ruuid, ShareView>();
  /** Ends of access that the store does not have yet. */
  readonly #ends = new EndsInForce();
  /** The shares in `#views`, by what they depend on. */
  readonly #concerned = new ConcernedShares();
  readonly #listeners = new Set<(shareUuid: Ruuid) => void>();
  readonly #tables: ShareTables<Share, WallShare, SharedGroup>;
  readonly #wallViews = new Map<Ruuid, WallView>();
  /** The shares of which shared walls consist, by their UUIDs. */
  readonly #members = new Map<Ruuid, { readonly share: Share; readonly wallShareUuid: Ruuid }>();
  readonly #emergencies: EmergenciesInForce;
  readonly #masked = new MaskedCameras();
  readonly #groups = new Map<Ruuid, { readonly group: SharedGroup; readonly view: ShareView }>();
  /** With the ends. */
  readonly #records: RecordsInForce = {
    share: (uuid) => this.#ends.share(this.#tables.shares.get(uuid)),
    wallShare: (uuid) => this.#ends.wallShare(this.#tables.wallShares.get(uuid)),
    group: (uuid) => this.#ends.group(this.#tables.group(uuid)),
    schedule: (uuid) => this.#ends.schedule(this.#tables.schedules.get(uuid)),
    wall: (uuid) => this.#ends.wall(this.#tables.walls.get(uuid)),
    usesOf: (schedule) =>
      new Set(
        this.#concerned.ofSchedule(schedule).map((uuid) => this.#views.get(uuid)!.stored.invertSchedule),
      ),
    link: (uuid) =>
      this.#tables.shares.get(uuid) ??
      this.#tables.wallShares.get(uuid) ??
      this.#tables.group(uuid) ??
      this.#tables.emergencies.get(uuid),
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

  private constructor(options: ShareDirectoryOptions) {
    this.#clock = options.clock;
    this.#emergencies = new EmergenciesInForce({
      clock: options.clock,
      find: (uuid) => this.#ends.emergency(this.#tables.emergencies.get(uuid)),
      onLink: (uuid) => this.#rebuildWall(uuid),
    });
    const whole = <Row>(row: Row): Row => row;
    this.#tables = new ShareTables(
      options,
      { share: whole<Share>, wallShare: whole<WallShare>, group: whole<SharedGroup> },
      {
        share: (uuid) => this.#rebuild(uuid),
        schedule: (uuid) => this.#evaluate(this.#concerned.ofSchedule(uuid)),
        wall: (uuid) => this.#rebuildWallsWhere((wallShare) => wallShare.wallUuid === uuid),
        wallShare: (uuid) => this.#rebuildWall(uuid),
        group: (uuid) => this.#rebuildGroup(uuid),
        emergency: (uuid) => this.#emergencies.changed(uuid),
        camera: (uuid) => {
          this.#masked.set(uuid, this.#tables.cameras.get(uuid)?.masks ?? []);
          // First the walls: a tile of a removed camera is revoked.
          this.#rebuildWallsWhere(({ wallUuid }) => this.#isOnWall(uuid, wallUuid));
          this.#evaluate(this.#concerned.ofCamera(uuid));
        },
        nvr: (uuid) => this.#evaluateOfCameras((camera) => camera.nvrUuid === uuid),
        location: (uuid) =>
          this.#evaluateOfCameras(
            ({ locationUuid, nvrUuid }) =>
              locationUuid === uuid || (nvrUuid !== null && this.#tables.nvrs.get(nvrUuid) === uuid),
          ),
      },
    );
  }

  /** A share, or a camera of a shared wall. One Map lookup. */
  find(shareUuid: Ruuid): ShareView | undefined {
    return this.#views.get(shareUuid);
  }

  /** A shared wall. */
  findWall(wallShareUuid: Ruuid): WallView | undefined {
    return this.#wallViews.get(wallShareUuid);
  }

  /** A link of an emergency, which is also a shared wall. */
  findEmergencyLink(linkUuid: Ruuid): EmergencyLink | undefined {
    return this.#emergencies.link(linkUuid);
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

  /** The cameras that viewers see with masks. */
  get masked(): Pick<MaskedCameras, 'find' | 'of' | 'onChange'> {
    return this.#masked;
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
        apply(this.#tables.shares, change);
        break;
      case 'schedule':
        apply(this.#tables.schedules, change);
        return this.#concerned.settled();
      case 'wall':
        apply(this.#tables.walls, change);
        break;
      case 'wallShare':
        apply(this.#tables.wallShares, change);
        break;
      case 'group':
        this.#applyGroup(change.uuid, change.record);
        break;
      case 'emergency':
        apply(this.#tables.emergencies, change);
        break;
      case 'masks':
        if (change.record !== null) {
          const { masks, masksForViewers } = change.record;
          this.#tables.cameras.patch(change.uuid, { masks, masksForViewers });
        }
        return this.#concerned.settled();
    }
    return Promise.resolve();
  }

  /** The end is not stored: a restart opens the link again. */
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
      this.#tables.shares.remove(end.uuid);
      this.#tables.wallShares.remove(end.uuid);
      this.#tables.emergencies.remove(end.uuid);
      this.#applyGroup(end.uuid, null);
    }
    return this.#endsChanged(end);
  }

  /** The active record that the end changes; null: none. */
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
    await this.#tables.load();
    this.#readMasks();
    this.#emergencies.refresh(this.#tables.emergencies.uuids());
    const work = new SlicedWork();
    for (const uuid of this.#knownWalls()) {
      this.#rebuildWall(uuid);
      if (work.step()) await work.pause();
    }
    for (const uuid of this.#knownGroups()) {
      this.#rebuildGroup(uuid);
      if (work.step()) await work.pause();
    }
    for (const uuid of new Set([...this.#views.keys(), ...this.#tables.shares.uuids()])) {
      this.#rebuild(uuid);
      if (work.step()) await work.pause();
    }
  }

  /** Resolves when everything that has changed so far was read, or could not be. */
  async settled(): Promise<void> {
    await this.#tables.settled();
    await this.#concerned.settled();
  }

  close(): void {
    this.#tables.close();
    this.#emergencies.close();
    this.#listeners.clear();
  }

  async #load(): Promise<void> {
    await this.#tables.load();
    this.#readMasks();
    for (const uuid of this.#tables.shares.uuids()) this.#rebuild(uuid);
    for (const uuid of this.#tables.wallShares.uuids()) this.#rebuildWall(uuid);
    for (const uuid of this.#knownGroups()) this.#rebuildGroup(uuid);
    this.#emergencies.refresh(this.#tables.emergencies.uuids());
  }

  #readMasks(): void {
    const { cameras } = this.#tables;
    this.#masked.setAll(Array.from(cameras.uuids(), (uuid) => [uuid, cameras.get(uuid)!.masks] as const));
  }

  #endsChanged({ kind, uuid }: AccessEnd): Promise<void> {
    if (kind === 'hours') this.#evaluate(this.#concerned.ofSchedule(uuid));
    else if (kind === 'wall') this.#rebuildWallsWhere(({ wallUuid }) => wallUuid === uuid);
    else {
      this.#rebuild(uuid);
      this.#rebuildWall(uuid);
      this.#rebuildGroup(uuid);
      this.#emergencies.changed(uuid);
    }
    return this.#concerned.settled();
  }

  #applyGroup(uuid: Ruuid, group: SharedGroup | null): void {
    if (group !== null) this.#tables.groups[group.body.kind].put(group);
    else for (const kind of SHARED_FILE_KINDS) this.#tables.groups[kind].remove(uuid);
  }

  #knownGroups(): ReadonlySet<Ruuid> {
    const stored = SHARED_FILE_KINDS.flatMap((kind) => [...this.#tables.groups[kind].uuids()]);
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
    return new Set([...this.#wallViews.keys(), ...this.#tables.wallShares.uuids()]);
  }

  #evaluate(shareUuids: readonly Ruuid[]): void {
    this.#concerned.evaluate(shareUuids, (uuid) => this.#rebuild(uuid));
  }

  #evaluateOfCameras(isConcerned: (camera: CameraRow) => boolean): void {
    this.#concerned.evaluateOfCameras(
      (uuid) => {
        const camera = this.#tables.cameras.get(uuid);
        return camera !== undefined && isConcerned(camera);
      },
      (uuid) => this.#rebuild(uuid),
    );
  }

  #rebuildWallsWhere(isConcerned: (wallShare: WallShare) => boolean): void {
    for (const uuid of this.#knownWalls()) {
      const wallShare = this.#tables.wallShares.get(uuid);
      if (wallShare === undefined || isConcerned(wallShare)) this.#rebuildWall(uuid);
    }
  }

  #isOnWall(cameraUuid: Ruuid, wallUuid: Ruuid): boolean {
    return this.#records.wall(wallUuid)?.cameras.some((one) => one.cameraUuid === cameraUuid) ?? false;
  }

  /** A share of a wall without its wall shows nothing. */
  #rebuildWall(uuid: Ruuid): void {
    const emergency = this.#emergencies.link(uuid);
    const wallShare = emergency?.wallShare ?? this.#records.wallShare(uuid);
    const wall =
      emergency?.wall ?? (wallShare === undefined ? undefined : this.#records.wall(wallShare.wallUuid));
    const isWhole = wallShare !== undefined && wall?.orgUuid === wallShare.orgUuid;
    const view = isWhole
      ? wallViewOf(wall!, wallShare, (camera) => this.#tables.cameras.get(camera), emergency?.streamType)
      : undefined;
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
      this.#concerned.moved(uuid, known?.stored, undefined);
      this.#announce(uuid);
      return;
    }
    const schedule = this.#scheduleOf(share);
    const timeZone = this.#tables.timeZoneOf(share.cameraUuid);
    const shown = this.#shownCameraOf(share);
    const isSame = known?.stored === share && known.schedule === schedule && known.timeZone === timeZone;
    if (isSame && known.share.cameraUuid === shown) return;
    this.#concerned.moved(uuid, known?.stored, share);
    const more = { wallShareUuid: member?.wallShareUuid ?? null, shownCameraUuid: shown };
    this.#views.set(uuid, new ShareView(share, schedule, timeZone, more));
    this.#announce(uuid);
  }

  /** Without its row, a camera's masks are not known. */
  #shownCameraOf({ cameraUuid, showsUnmasked }: Share): Ruuid {
    const camera = this.#tables.cameras.get(cameraUuid);
    if (seesUnmasked({ showsUnmasked }, camera ?? { masksForViewers: true })) return cameraUuid;
    return shownCameraUuid(cameraUuid, camera?.masks ?? null);
  }

  /** Another organization's schedule does not count. */
  #scheduleOf(share: Share): Schedule | null {
    const schedule = share.scheduleUuid === null ? undefined : this.#records.schedule(share.scheduleUuid);
    return schedule?.orgUuid === share.orgUuid ? schedule : null;
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
