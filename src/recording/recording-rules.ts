/**
 * The recording rules of each camera, from the configuration file and the store, kept up to date by the store's change events.
 */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { FollowedTable } from '../sharing/followed-table.ts';
import { wallViewOf } from '../sharing/wall-members.ts';
import { timeZoneOfCamera } from '../store/camera-time-zone.ts';
import type { Camera, Location, Nvr, Schedule, Share, VideoWall, WallShare } from '../store/entities.ts';
import type { ChangeEvent, EntityKind, Store } from '../store/store.ts';
import {
  CurrentSchedule,
  demandAt,
  NO_RULE,
  type RecordingDemand,
  type RecordingRule,
  type RuleSchedule,
  type VodShare,
} from './recording-rule.ts';

export interface RecordingRulesOptions {
  readonly store: Pick<
    Store,
    'shares' | 'videoWalls' | 'wallShares' | 'schedules' | 'cameras' | 'nvrs' | 'locations' | 'onChange'
  >;
  readonly clock: Clock;
  readonly log: Log;
  /** Something changed: look again. */
  readonly onChange: () => void;
}

interface Followed {
  load(): Promise<void>;
  follow(event: ChangeEvent): void;
  close(): void;
}

type CameraRow = Pick<Camera, 'orgUuid' | 'name' | 'mummified' | 'locationUuid' | 'nvrUuid'>;
type SharesOfCamera = { readonly share: VodShare; readonly schedule: CurrentSchedule | null }[];

export class RecordingRules {
  readonly #shares: FollowedTable<Share, VodShare | null>;
  readonly #walls: FollowedTable<VideoWall, VideoWall>;
  readonly #wallShares: FollowedTable<WallShare, WallShare | null>;
  readonly #schedules: FollowedTable<Schedule, Schedule>;
  readonly #cameras: FollowedTable<Camera, CameraRow>;
  readonly #nvrs: FollowedTable<Nvr, Ruuid | null>;
  readonly #locations: FollowedTable<Location, string>;
  readonly #followed: ReadonlyMap<EntityKind, Followed>;
  readonly #unsubscribe: () => void;
  #rules: ReadonlyMap<Ruuid, RecordingRule> = new Map();
  /** By camera; null: to be gathered again. */
  #sharesByCamera: Map<Ruuid, SharesOfCamera> | null = null;
  readonly #ownSchedules = new Map<Ruuid, CurrentSchedule>();

  /** Reads everything and then follows the store until `close`. */
  static async open(options: RecordingRulesOptions): Promise<RecordingRules> {
    const rules = new RecordingRules(options);
    try {
      await rules.#load();
    } catch (error) {
      rules.close();
      throw error;
    }
    return rules;
  }

  private constructor({ store, clock, log, onChange }: RecordingRulesOptions) {
    const onRow = (): void => {
      this.#forget();
      onChange();
    };
    const common = { clock, log, onRow };
    this.#shares = new FollowedTable({
      ...common,
      repository: store.shares,
      rowOf: ({ orgUuid, cameraUuid, scheduleUuid, invertSchedule, ...share }) =>
        share.vodEnabled
          ? { orgUuid, cameraUuid, expiresAtSec: pastEnd(share), scheduleUuid, invertSchedule }
          : null,
    });
    this.#walls = new FollowedTable({ ...common, repository: store.videoWalls, rowOf: (row) => row });
    this.#wallShares = new FollowedTable({
      ...common,
      repository: store.wallShares,
      rowOf: (share) => (share.vodEnabled ? share : null),
    });
    this.#schedules = new FollowedTable({ ...common, repository: store.schedules, rowOf: (row) => row });
    this.#cameras = new FollowedTable({
      ...common,
      repository: store.cameras,
      rowOf: ({ orgUuid, name, mummified, locationUuid, nvrUuid }) => ({
        orgUuid,
        name,
        mummified,
        locationUuid,
        nvrUuid,
      }),
    });
    this.#nvrs = new FollowedTable({
      ...common,
      repository: store.nvrs,
      rowOf: ({ locationUuid }) => locationUuid,
    });
    this.#locations = new FollowedTable({ ...common, repository: store.locations, rowOf: ({ tz }) => tz });
    this.#followed = new Map<EntityKind, Followed>([
      ['share', this.#shares],
      ['videoWall', this.#walls],
      ['wallShare', this.#wallShares],
      ['schedule', this.#schedules],
      ['camera', this.#cameras],
      ['nvr', this.#nvrs],
      ['location', this.#locations],
    ]);
    this.#unsubscribe = store.onChange((event) => this.#followed.get(event.entity)?.follow(event));
  }

  /** Reads everything again: for commits whose event was not sent. Rejects like the store. */
  async refresh(): Promise<void> {
    await this.#load();
    this.#forget();
  }

  close(): void {
    this.#unsubscribe();
    for (const table of this.#followed.values()) table.close();
  }

  /** By camera: what the file and the API say, from now on. */
  put(rules: ReadonlyMap<Ruuid, RecordingRule>): void {
    this.#rules = rules;
    this.#forget();
  }

  ruleOf(cameraUuid: Ruuid): RecordingRule {
    return this.#rules.get(cameraUuid) ?? NO_RULE;
  }

  /** Every camera of which something may have to be recorded, or may never be. */
  cameras(): ReadonlySet<Ruuid> {
    return new Set([...this.#rules.keys(), ...this.#shared().keys()]);
  }

  demandAt(cameraUuid: Ruuid, atEpochMs: number): RecordingDemand {
    const rule = this.ruleOf(cameraUuid);
    const shares = this.#shared().get(cameraUuid) ?? [];
    return demandAt({ rule, schedule: this.#scheduleOf(cameraUuid, rule.schedule), shares, atEpochMs });
  }

  async #load(): Promise<void> {
    await Promise.all([...this.#followed.values()].map((table) => table.load()));
  }

  #forget(): void {
    this.#sharesByCamera = null;
    this.#ownSchedules.clear();
  }

  #shared(): ReadonlyMap<Ruuid, SharesOfCamera> {
    if (this.#sharesByCamera !== null) return this.#sharesByCamera;
    const byCamera = new Map<Ruuid, SharesOfCamera>();
    for (const share of this.#vodShares()) {
      const { cameraUuid, scheduleUuid, orgUuid } = share;
      const schedule = scheduleUuid === null ? null : this.#stored(scheduleUuid, orgUuid, cameraUuid);
      const known = byCamera.get(cameraUuid);
      if (known === undefined) byCamera.set(cameraUuid, [{ share, schedule }]);
      else known.push({ share, schedule });
    }
    this.#sharesByCamera = byCamera;
    return byCamera;
  }

  /** Those of cameras, and those of which shared video walls consist (sharing/wall-members.ts). */
  *#vodShares(): Iterable<VodShare> {
    for (const uuid of this.#shares.uuids()) {
      const share = this.#shares.get(uuid) ?? null;
      if (share !== null) yield share;
    }
    for (const uuid of this.#wallShares.uuids()) {
      const wallShare = this.#wallShares.get(uuid) ?? null;
      const wall = wallShare === null ? undefined : this.#walls.get(wallShare.wallUuid);
      if (wallShare === null || wall === undefined) continue;
      const { members } = wallViewOf(wall, wallShare, (camera) => this.#cameras.get(camera));
      for (const { share } of members) yield share;
    }
  }

  #scheduleOf(cameraUuid: Ruuid, schedule: RuleSchedule | null): CurrentSchedule | null {
    if (schedule === null) return null;
    const known = this.#ownSchedules.get(cameraUuid);
    if (known !== undefined) return known;
    const found =
      schedule.kind === 'stored'
        ? this.#ofCamera(schedule.uuid, cameraUuid)
        : this.#weekly(cameraUuid, schedule);
    if (found !== null) this.#ownSchedules.set(cameraUuid, found);
    return found;
  }

  #ofCamera(scheduleUuid: Ruuid, cameraUuid: Ruuid): CurrentSchedule | null {
    const camera = this.#cameras.get(cameraUuid);
    return camera === undefined ? null : this.#stored(scheduleUuid, camera.orgUuid, cameraUuid);
  }

  /** Another organization's schedule does not count. */
  #stored(scheduleUuid: Ruuid, orgUuid: Ruuid, cameraUuid: Ruuid): CurrentSchedule | null {
    const schedule = this.#schedules.get(scheduleUuid);
    if (schedule?.orgUuid !== orgUuid) return null;
    return new CurrentSchedule(schedule, this.#timeZoneOf(cameraUuid));
  }

  #weekly(
    cameraUuid: Ruuid,
    { intervals }: Extract<RuleSchedule, { kind: 'weekly' }>,
  ): CurrentSchedule | null {
    const camera = this.#cameras.get(cameraUuid);
    if (camera === undefined) return null;
    const schedule: Schedule = {
      uuid: cameraUuid,
      orgUuid: camera.orgUuid,
      name: '',
      mutable: false,
      oneTimeUse: false,
      createdAtMs: 0,
      updatedAtMs: 0,
      strategy: 'WEEKLY_REPEATING_MINUTES',
      intervals,
    };
    return new CurrentSchedule(schedule, this.#timeZoneOf(cameraUuid));
  }

  #timeZoneOf(cameraUuid: Ruuid): string {
    return timeZoneOfCamera(
      this.#cameras.get(cameraUuid),
      (nvr) => this.#nvrs.get(nvr),
      (location) => this.#locations.get(location),
    );
  }
}

/** Nothing is recorded for viewers who no longer see it. */
function pastEnd({
  expiresAtSec,
  vodExpiresAtSec,
}: Pick<Share, 'expiresAtSec' | 'vodExpiresAtSec'>): number | null {
  if (expiresAtSec === null || vodExpiresAtSec === null) return expiresAtSec ?? vodExpiresAtSec;
  return Math.min(expiresAtSec, vodExpiresAtSec);
}
