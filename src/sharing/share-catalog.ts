import type { Ruuid } from '../core/ruuid.ts';
import { type ActingView, actingView, seeingAll } from '../store/acting-view.ts';
import { locationOfCamera } from '../store/camera-time-zone.ts';
import type { Schedule, Share, WallShare } from '../store/entities.ts';
import type { ShareTerms } from './access-decision.ts';
import { ScheduleStates } from './schedule-states.ts';
import { ShareTables, type ShareTablesSource } from './share-tables.ts';
import { type Shown, shownShare, shownWall } from './share-visibility.ts';
import { SHARED_FILE_KINDS, SHARED_GROUPS, type SharedGroup } from './shared-group.ts';
import { wallViewOf } from './wall-members.ts';

export const LINK_KINDS = ['STREAM', 'WALL', 'CLIP_GROUP', 'TIMELAPSE_GROUP'] as const;

/** The kind of media behind a link. */
export type CatalogKind = (typeof LINK_KINDS)[number];

/** A share, a shared wall or a shared group. */
export interface CatalogLink {
  readonly kind: CatalogKind;
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  /** Empty for a shared wall, which has the name of its wall (`nameOf`). */
  readonly name: string;
  /** null: it shows several, or none. */
  readonly cameraUuid: Ruuid | null;
  readonly expiresAtSec: number | null;
  readonly scheduleUuid: Ruuid | null;
  readonly invertSchedule: boolean;
  readonly isProtected: boolean;
  /** Its viewers sign in. */
  readonly ssoProtected: boolean;
  /** As in Share; null for everything else. */
  readonly cdn: boolean | null;
  /** As in Share; null for a share without audio, and for everything else. */
  readonly talk: boolean | null;
  /** As in Share and WallShare; false for a group. */
  readonly showsUnmasked: boolean;
  /** As in Share and WallShare; a group has no past. */
  readonly vodEnabled: boolean;
  readonly vodPastSec: number | null;
  readonly vodExpiresAtSec: number | null;
  readonly createdAtMs: number;
}

/** A camera of a shared wall. */
export interface ShownCamera {
  readonly cameraUuid: Ruuid;
  readonly name: string;
  readonly timeZone: string;
  readonly shown: Shown;
}

interface WallLink extends CatalogLink {
  readonly wallShare: WallShare;
}

const GROUP_KINDS = { clip: 'CLIP_GROUP', timelapse: 'TIMELAPSE_GROUP' } as const;

export class ShareCatalog {
  readonly #states = new ScheduleStates();
  readonly #tables: ShareTables<CatalogLink, WallLink, CatalogLink>;
  #loading: Promise<unknown> | null = null;
  readonly #store: ShareTablesSource['store'];
  /** Of limited callers: a group shows what only the store knows. */
  readonly #seenGroups = new WeakMap<ActingView, ReadonlySet<Ruuid>>();

  constructor(source: ShareTablesSource) {
    this.#store = source.store;
    this.#tables = new ShareTables(source, { share: streamLink, wallShare: wallLink, group: groupLink });
  }

  /** Reads everything again, if it was read before: for commits whose event was not sent. Rejects like the store. */
  async refresh(): Promise<void> {
    if (this.#loading === null) return;
    await this.#loading;
    this.#load();
    await this.#loading;
  }

  /** Resolves when it has everything that was committed before the call. Rejects if the store cannot be read. */
  async current(): Promise<void> {
    if (this.#loading === null) this.#load();
    await this.#loading;
    await this.#tables.settled();
    const view = actingView();
    if (view !== null) this.#seenGroups.set(view, await this.#groupsIn(view));
  }

  /** The organization's links, in no order. Other links are steps too, without a value. */
  *links(orgUuid: Ruuid): Iterable<CatalogLink | undefined> {
    const { shares, wallShares, groups } = this.#tables;
    for (const table of [shares, wallShares, groups.clip, groups.timelapse]) {
      for (const link of table.rows())
        yield link.orgUuid === orgUuid && this.#isSeen(link) ? link : undefined;
    }
  }

  find(orgUuid: Ruuid, uuid: Ruuid): CatalogLink | null {
    const { shares, wallShares } = this.#tables;
    const link = shares.get(uuid) ?? wallShares.get(uuid) ?? this.#tables.group(uuid);
    return link?.orgUuid === orgUuid && this.#isSeen(link) ? link : null;
  }

  nameOf(link: CatalogLink): string {
    return isWall(link) ? (this.#tables.walls.get(link.wallShare.wallUuid)?.name ?? '') : link.name;
  }

  /** '' if it no longer exists. */
  cameraNameOf({ cameraUuid }: CatalogLink): string {
    return cameraUuid === null ? '' : (this.#tables.cameras.get(cameraUuid)?.name ?? '');
  }

  /** null: its camera has none. */
  locationOf({ cameraUuid }: CatalogLink): Ruuid | null {
    const camera = cameraUuid === null ? undefined : this.#tables.cameras.get(cameraUuid);
    return camera === undefined ? null : locationOfCamera(camera, (nvr) => this.#tables.nvrs.get(nvr));
  }

  locationName(locationUuid: Ruuid | null): string {
    return locationUuid === null ? '' : (this.#tables.locations.get(locationUuid)?.name ?? '');
  }

  /** null: it names none, or it no longer exists. */
  scheduleOf({ orgUuid, scheduleUuid }: Pick<CatalogLink, 'orgUuid' | 'scheduleUuid'>): Schedule | null {
    const schedule = scheduleUuid === null ? undefined : this.#tables.schedules.get(scheduleUuid);
    return schedule?.orgUuid === orgUuid ? schedule : null;
  }

  /** The camera's time zone; UTC for links that show several cameras, or none. */
  timeZoneOf(link: CatalogLink): string {
    return this.#tables.timeZoneOf(link.cameraUuid);
  }

  /** Where it is shown: the zone of its camera, or of each camera of its wall. */
  timeZonesOf(link: CatalogLink): string[] {
    if (!isWall(link)) return link.cameraUuid === null ? [] : [this.timeZoneOf(link)];
    return [...new Set(this.shownCameras(link).map(({ timeZone }) => timeZone))];
  }

  /** Whether the schedule decides when the link shows a camera. */
  usesSchedule(link: CatalogLink, scheduleUuid: Ruuid): boolean {
    if (link.scheduleUuid === scheduleUuid) return true;
    if (!isWall(link)) return false;
    return Object.values(link.wallShare.deviceSchedules).some((one) => one.scheduleUuid === scheduleUuid);
  }

  /** Whether it shows the camera, perhaps among others. */
  showsCamera(link: CatalogLink, cameraUuid: Ruuid): boolean {
    if (!isWall(link)) return link.cameraUuid === cameraUuid;
    const wall = this.#tables.walls.get(link.wallShare.wallUuid);
    return wall?.cameras.some((camera) => camera.cameraUuid === cameraUuid) === true;
  }

  /** The wall of a shared wall; null for other links. */
  wallOf(link: CatalogLink): Ruuid | null {
    return isWall(link) ? link.wallShare.wallUuid : null;
  }

  /** What the link shows at any instant. */
  shown(link: CatalogLink): Shown {
    if (isWall(link)) return this.#shownWall(link);
    const camera = link.cameraUuid === null ? null : this.#tables.cameras.get(link.cameraUuid);
    const isCameraRemoved = camera !== null && camera?.mummified !== false;
    return this.#shownBy(link, termsOf(link), link.cameraUuid, isCameraRemoved);
  }

  /** What a shared wall shows of each camera, in the order of its tiles; empty for other links. */
  shownCameras(link: CatalogLink): readonly ShownCamera[] {
    if (!isWall(link)) return [];
    const wall = this.#tables.walls.get(link.wallShare.wallUuid);
    if (wall?.orgUuid !== link.orgUuid) return [];
    return wallViewOf(wall, link.wallShare, (uuid) => this.#tables.cameras.get(uuid)).members.map(
      ({ share }) => ({
        cameraUuid: share.cameraUuid,
        name: share.name,
        timeZone: this.#tables.timeZoneOf(share.cameraUuid),
        shown: this.#shownBy(link, share, share.cameraUuid, false),
      }),
    );
  }

  close(): void {
    this.#tables.close();
  }

  /** Whether the acting caller may see the link: all of its cameras. */
  #isSeen(link: CatalogLink): boolean {
    const view = actingView();
    if (view === null) return true;
    if (isWall(link)) {
      const { wallUuid, deviceSchedules } = link.wallShare;
      const cameras = this.#tables.walls.get(wallUuid)?.cameras ?? [];
      const isOwn = cameras.every(({ cameraUuid }) => view.seesDevice(cameraUuid));
      return cameras.length > 0 && isOwn && !view.namesHidden(deviceSchedules);
    }
    if (link.cameraUuid === null) return this.#seenGroups.get(view)?.has(link.uuid) === true;
    return view.seesDevice(link.cameraUuid);
  }

  /** The shared groups that the store has for the acting caller. */
  async #groupsIn({ orgUuid }: ActingView): Promise<ReadonlySet<Ruuid>> {
    const kinds = SHARED_FILE_KINDS.map((kind) => this.#store.resources.of(SHARED_GROUPS[kind]));
    const groups = await Promise.all(kinds.map((repository) => repository.list(orgUuid)));
    return new Set(groups.flat().map(({ uuid }) => uuid));
  }

  #load(): void {
    const loading = seeingAll(() => this.#tables.load());
    this.#loading = loading;
    // The next caller tries again.
    loading.catch(() => {
      this.#loading = null;
    });
  }

  #shownWall(link: WallLink): Shown {
    const { expiresAtSec } = link;
    const terms = { ...termsOf(link), expiresAtSec, scheduleUuid: null, invertSchedule: false };
    return shownWall(
      terms,
      this.timeZoneOf(link),
      this.shownCameras(link).map(({ shown }) => shown),
    );
  }

  #shownBy(
    { orgUuid }: CatalogLink,
    terms: ShareTerms,
    cameraUuid: Ruuid | null,
    isCameraRemoved: boolean,
  ): Shown {
    const { scheduleUuid } = terms;
    const schedule = this.scheduleOf({ orgUuid, scheduleUuid });
    const timeZone = this.#tables.timeZoneOf(cameraUuid);
    return shownShare({
      terms,
      schedule,
      timeZone,
      isCameraRemoved,
      stateAt: (epochMs) => (schedule === null ? null : this.#states.at(schedule, timeZone, epochMs)),
    });
  }
}

function isWall(link: CatalogLink): link is WallLink {
  return link.kind === 'WALL';
}

/** As a signed-in viewer with the password sees it: neither those nor the access epoch count. */
function termsOf({ expiresAtSec, scheduleUuid, invertSchedule }: CatalogLink): ShareTerms {
  return {
    expiresAtSec,
    scheduleUuid,
    invertSchedule,
    passwordHash: null,
    ssoProtected: false,
    accessEpoch: 0,
  };
}

function streamLink(share: Share): CatalogLink {
  const { uuid, orgUuid, name, cameraUuid, expiresAtSec, scheduleUuid, invertSchedule, createdAtMs } = share;
  return {
    kind: 'STREAM',
    uuid,
    orgUuid,
    name,
    cameraUuid,
    expiresAtSec,
    scheduleUuid,
    invertSchedule,
    createdAtMs,
    isProtected: share.passwordHash !== null,
    ssoProtected: share.ssoProtected,
    cdn: share.cdn,
    talk: share.includeAudio ? share.talk : null,
    showsUnmasked: share.showsUnmasked,
    vodEnabled: share.vodEnabled,
    vodPastSec: share.vodPastSec,
    vodExpiresAtSec: share.vodExpiresAtSec,
  };
}

function wallLink(wallShare: WallShare): WallLink {
  const { uuid, orgUuid, expiresAtSec, scheduleUuid, invertSchedule, createdAtMs } = wallShare;
  return {
    kind: 'WALL',
    uuid,
    orgUuid,
    name: '',
    cameraUuid: null,
    expiresAtSec,
    scheduleUuid,
    invertSchedule,
    createdAtMs,
    isProtected: wallShare.passwordHash !== null,
    ssoProtected: false,
    cdn: null,
    talk: null,
    showsUnmasked: wallShare.showsUnmasked,
    vodEnabled: wallShare.vodEnabled,
    vodPastSec: wallShare.vodPastSec,
    vodExpiresAtSec: wallShare.vodExpiresAtSec,
    wallShare,
  };
}

function groupLink({ uuid, orgUuid, name, body, createdAtMs }: SharedGroup): CatalogLink {
  const { kind, expiresAtSec, passwordHash } = body;
  return {
    kind: GROUP_KINDS[kind],
    uuid,
    orgUuid,
    name,
    cameraUuid: null,
    expiresAtSec,
    createdAtMs,
    scheduleUuid: null,
    invertSchedule: false,
    isProtected: passwordHash !== null,
    ssoProtected: false,
    cdn: null,
    talk: null,
    showsUnmasked: false,
    vodEnabled: false,
    vodPastSec: null,
    vodExpiresAtSec: null,
  };
}
