/**
 * Every share with what decides about it (schedule, time zone of its camera's location), in memory. The front door
 * looks up shares here for every viewer; the store's change events keep it current.
 */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { SlicedWork } from '../core/sliced-work.ts';
import type { Camera, Location, Nvr, Schedule, Share } from '../store/entities.ts';
import type { ChangeEvent, EntityKind, Store } from '../store/store.ts';
import { FollowedTable } from './followed-table.ts';
import { type ScheduleState, scheduleStateAt } from './schedule-state.ts';

/** Default for weekly schedules of cameras without a location. */
export const DEFAULT_TIME_ZONE = 'UTC';

/** A share in its current state; a change makes a new object. */
export class ShareView {
  readonly share: Share;
  /** null: the share has none, or it is missing. */
  readonly schedule: Schedule | null;
  readonly timeZone: string;
  #state: ScheduleState | null = null;
  #stateFromEpochMs = Number.POSITIVE_INFINITY;
  #stateUntilEpochMs = Number.NEGATIVE_INFINITY;

  constructor(share: Share, schedule: Schedule | null, timeZone: string) {
    this.share = share;
    this.schedule = schedule;
    this.timeZone = timeZone;
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
   * false: the organization has no such share.
   */
  endShare(orgUuid: Ruuid, shareUuid: Ruuid): boolean | Promise<boolean>;
  putSchedule(schedule: Schedule): void | Promise<void>;
  removeSchedule(scheduleUuid: Ruuid): void | Promise<void>;
}

export interface ShareDirectoryOptions {
  readonly store: Pick<Store, 'shares' | 'schedules' | 'cameras' | 'nvrs' | 'locations' | 'onChange'>;
  readonly clock: Clock;
  readonly log: Log;
}

interface Followed {
  load(): Promise<void>;
  follow(event: ChangeEvent): void;
  close(): void;
}

type CameraPlace = Pick<Camera, 'locationUuid' | 'nvrUuid'>;

export class ShareDirectory implements AccessRules {
  readonly #views = new Map<Ruuid, ShareView>();
  /** Shares that have ended, though the store still has them. */
  readonly #ended = new Set<Ruuid>();
  readonly #listeners = new Set<(shareUuid: Ruuid) => void>();
  readonly #shares: FollowedTable<Share, Share>;
  readonly #schedules: FollowedTable<Schedule, Schedule>;
  readonly #cameras: FollowedTable<Camera, CameraPlace>;
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
      onRow: (uuid) => this.#rebuildWhere((share) => share.scheduleUuid === uuid),
    });
    this.#cameras = new FollowedTable({
      ...common,
      repository: store.cameras,
      rowOf: ({ locationUuid, nvrUuid }) => ({ locationUuid, nvrUuid }),
      onRow: (uuid) => this.#rebuildWhere((share) => share.cameraUuid === uuid),
    });
    this.#nvrs = new FollowedTable({
      ...common,
      repository: store.nvrs,
      rowOf: ({ locationUuid }) => locationUuid,
      onRow: () => this.#rebuildWhere(() => true),
    });
    this.#locations = new FollowedTable({
      ...common,
      repository: store.locations,
      rowOf: ({ tz }) => tz,
      onRow: () => this.#rebuildWhere(() => true),
    });
    this.#followed = new Map<EntityKind, Followed>([
      ['share', this.#shares],
      ['schedule', this.#schedules],
      ['camera', this.#cameras],
      ['nvr', this.#nvrs],
      ['location', this.#locations],
    ]);
    this.#unsubscribe = store.onChange((event) => this.#follow(event));
  }

  /** One Map lookup. */
  find(shareUuid: Ruuid): ShareView | undefined {
    return this.#views.get(shareUuid);
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

  endShare(orgUuid: Ruuid, shareUuid: Ruuid): boolean {
    if (this.#shares.get(shareUuid)?.orgUuid !== orgUuid) return false;
    this.#ended.add(shareUuid);
    this.#rebuild(shareUuid);
    return true;
  }

  /** By now the store knows that the share has ended. */
  endStored(shareUuid: Ruuid): void {
    this.#ended.delete(shareUuid);
    this.removeShare(shareUuid);
  }

  putSchedule(schedule: Schedule): void {
    this.#schedules.put(schedule);
  }

  removeSchedule(scheduleUuid: Ruuid): void {
    this.#schedules.remove(scheduleUuid);
  }

  /**
   * Reads everything again: for commits whose event was not sent. Running views are judged again. Rejects if the store
   * cannot be read, and keeps the rules as they were.
   */
  async refresh(): Promise<void> {
    await this.#loadTables();
    const work = new SlicedWork();
    for (const uuid of new Set([...this.#views.keys(), ...this.#shares.uuids()])) {
      this.#rebuild(uuid);
      if (work.step()) await work.pause();
    }
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
  }

  #follow(event: ChangeEvent): void {
    this.#followed.get(event.entity)?.follow(event);
  }

  #rebuildWhere(isConcerned: (share: Share) => boolean): void {
    for (const [uuid, view] of this.#views) if (isConcerned(view.share)) this.#rebuild(uuid);
  }

  #rebuild(uuid: Ruuid): void {
    const known = this.#views.get(uuid);
    const share = this.#ended.has(uuid) ? undefined : this.#shares.get(uuid);
    if (share === undefined) {
      if (this.#views.delete(uuid)) this.#announce(uuid);
      return;
    }
    const schedule = this.#scheduleOf(share);
    const timeZone = this.#timeZoneOf(share.cameraUuid);
    if (known?.share === share && known.schedule === schedule && known.timeZone === timeZone) return;
    this.#views.set(uuid, new ShareView(share, schedule, timeZone));
    this.#announce(uuid);
  }

  /** Another organization's schedule does not count. */
  #scheduleOf(share: Share): Schedule | null {
    const schedule = share.scheduleUuid === null ? undefined : this.#schedules.get(share.scheduleUuid);
    return schedule?.orgUuid === share.orgUuid ? schedule : null;
  }

  /** The time zone of the camera's location, otherwise of its NVR's. */
  #timeZoneOf(cameraUuid: Ruuid): string {
    const camera = this.#cameras.get(cameraUuid);
    const nvrUuid = camera?.nvrUuid ?? null;
    const locationUuid =
      camera?.locationUuid ?? (nvrUuid === null ? null : (this.#nvrs.get(nvrUuid) ?? null));
    return (locationUuid === null ? undefined : this.#locations.get(locationUuid)) ?? DEFAULT_TIME_ZONE;
  }

  #announce(uuid: Ruuid): void {
    for (const listener of this.#listeners) listener(uuid);
  }
}
