/**
 * The store as limited callers have it: rows of cameras, doors, and locations outside their rights do not exist. What shows several cameras
 * (a wall, a shared group, a clip) is there if all of them are within the rights. The rules are here, so that no service can forget them.
 */

import { LongList } from '../core/long-list.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ActingView } from './acting-view.ts';
import type { BucketQuery, CrossingRepository, OccupancyRepository, ReportingDevice } from './crossing.ts';
import type { Camera, CameraRecord, Location, Nvr, Share, VideoWall, WallShare } from './entities.ts';
import type { RecordingRepository, StoredStream } from './recording.ts';
import { scopedAudit } from './scoped-audit.ts';
import { scopedEvents } from './scoped-events.ts';
import { onlySeen, recordRules, type ScopeRules, scopedRepository } from './scoped-repository.ts';
import { scopedResources } from './scoped-resources.ts';
import { scopedSchedules } from './scoped-schedules.ts';
import type {
  ApiKeyRepository,
  CameraRepository,
  ConsoleSessionRepository,
  OAuthApplicationRepository,
  OrganizationRepository,
  PasskeyRepository,
  PersonRepository,
  ShareRepository,
  Store,
  WallShareRepository,
} from './store.ts';

/** Expired shares of everyone that are looked at. */
const MAX_EXPIRED = 1_000;

const SELF = { find: 'open', list: 'refused', save: 'refused', change: 'refused' } as const;
const NO_RECORDS = {
  ...SELF,
  changeWithRoom: 'refused',
  add: 'refused',
  remove: 'refused',
  listEverywhere: 'open',
} as const;

/** `store`, whose calls know about `actWithin`. */
export function withActingViews(store: Store): Store {
  const { cameras, nvrs, locations, shares, videoWalls, wallShares } = store;
  const seesWall = (wall: VideoWall, view: ActingView) =>
    wall.cameras.every(({ cameraUuid }) => view.seesDevice(cameraUuid)) && wall.cameras.length > 0;
  const seesWallShare = async (share: WallShare, view: ActingView) => {
    const wall = await videoWalls.find(share.orgUuid, share.wallUuid);
    return wall !== null && seesWall(wall, view) && !view.namesHidden(share.deviceSchedules);
  };
  return {
    ...store,
    organizations: scopedRepository(store.organizations, ORGANIZATION_RULES),
    apiKeys: scopedRepository(store.apiKeys, API_KEY_RULES),
    people: scopedRepository(store.people, PERSON_RULES),
    consoleSessions: scopedRepository(store.consoleSessions, SESSION_RULES),
    passkeys: scopedRepository(store.passkeys, PASSKEY_RULES),
    oauthApplications: scopedRepository(store.oauthApplications, APPLICATION_RULES),
    locations: scopedRepository(locations, recordRules<Location>(seesLocation, shownLocation)),
    nvrs: scopedRepository(
      nvrs,
      recordRules<Nvr>(({ uuid }, view) => view.seesDevice(uuid)),
    ),
    cameras: scopedRepository(cameras, CAMERA_RULES),
    shares: scopedRepository(shares, SHARE_RULES),
    schedules: scopedSchedules(store, seesWallShare),
    videoWalls: scopedRepository(videoWalls, recordRules<VideoWall>(seesWall, shownWall)),
    wallShares: scopedRepository<WallShareRepository>(wallShares, {
      ...recordRules<WallShare>(seesWallShare),
      listByWall: async (view, real, orgUuid, wallUuid) =>
        onlySeen(await real.listByWall(orgUuid, wallUuid), view, seesWallShare),
    }),
    recordings: scopedRepository(store.recordings, RECORDING_RULES),
    recordingHolds: scopedRepository(store.recordingHolds, {
      save: async (view, real, hold) => {
        if (view.seesDevice(hold.cameraUuid)) await real.save(hold);
      },
      remove: 'open',
      list: 'refused',
      byteLength: 'open',
    }),
    resources: scopedResources(store),
    events: scopedEvents(store.events),
    crossings: scopedRepository(store.crossings, CROSSING_RULES),
    occupancy: scopedRepository(store.occupancy, OCCUPANCY_RULES),
    audit: scopedAudit(store),
    uploads: scopedRepository(store.uploads, {
      find: 'refused',
      save: 'refused',
      take: 'refused',
      remove: 'refused',
      unfinished: 'refused',
      removeOld: 'refused',
    }),
  };
}

function seesLocation({ uuid }: Location, view: ActingView): boolean {
  return view.seesLocation(uuid);
}

/** A location that contains it may be outside the rights. */
function shownLocation(location: Location, view: ActingView): Location {
  const { parentUuid } = location;
  return parentUuid === null || view.seesLocation(parentUuid) ? location : { ...location, parentUuid: null };
}

/** Clients store what they like in the settings. */
function shownWall(wall: VideoWall, view: ActingView): VideoWall {
  return view.namesHidden(wall.settings) ? { ...wall, settings: {} } : wall;
}

/** An NVR outside the rights may say where the camera is. */
function shownCamera<Record extends CameraRecord>(camera: Record, view: ActingView): Record {
  const { uuid, nvrUuid } = camera;
  if (nvrUuid === null || view.seesDevice(nvrUuid)) return camera;
  return { ...camera, nvrUuid: null, locationUuid: view.locationOfCamera(uuid) };
}

function shownRecord(view: ActingView): (camera: CameraRecord) => CameraRecord | undefined {
  return (camera) => (view.seesDevice(camera.uuid) ? shownCamera(camera, view) : undefined);
}

const CAMERA_RULES: ScopeRules<CameraRepository> = {
  ...recordRules<Camera>(({ uuid }, view) => view.seesDevice(uuid), shownCamera),
  listRecords: async (view, real, orgUuid) =>
    (await real.listRecords(orgUuid)).flatMap((camera) => shownRecord(view)(camera) ?? []),
  records: async (view, real, orgUuid) => (await real.records(orgUuid)).map(shownRecord(view)),
};

function seesShare({ cameraUuid }: Share, view: ActingView): boolean {
  return view.seesDevice(cameraUuid);
}

/** Whatever its audio would come from may be outside the rights. */
function shownShare(share: Share, view: ActingView): Share {
  return view.namesHidden(share.audioGatewayUuid) ? { ...share, audioGatewayUuid: null } : share;
}

async function shownShares(shares: readonly Share[], view: ActingView): Promise<Share[]> {
  return (await onlySeen(shares, view, seesShare)).map((share) => shownShare(share, view));
}

const SHARE_RULES: ScopeRules<ShareRepository> = {
  ...recordRules<Share>(seesShare, shownShare),
  async listNewestFirst(view, real, orgUuid, limit) {
    const all = await real.listNewestFirst(orgUuid, Number.MAX_SAFE_INTEGER);
    return firstOf(
      all.map((share) => (seesShare(share, view) ? shownShare(share, view) : undefined)),
      limit,
    );
  },
  async listExpired(view, real, orgUuid, beforeSec, limit) {
    const expired = await real.listExpired(orgUuid, beforeSec, MAX_EXPIRED);
    return (await onlySeen(expired, view, seesShare)).slice(0, limit);
  },
  listByCamera: async (view, real, orgUuid, cameraUuid) =>
    shownShares(await real.listByCamera(orgUuid, cameraUuid), view),
  listBySchedule: async (view, real, orgUuid, scheduleUuid) =>
    shownShares(await real.listBySchedule(orgUuid, scheduleUuid), view),
  scheduled: 'open',
};

function firstOf<Item extends object>(list: LongList<Item>, limit: number): LongList<Item> {
  return LongList.from(Math.min(list.mostItems, limit), function* () {
    let left = limit;
    for (const item of list.steps()) {
      if (left === 0) return;
      if (item !== undefined) left -= 1;
      yield item;
    }
  });
}

/** Recordings of a camera that is not seen do not exist. */
function ofSeen<Given extends readonly unknown[], Result>(
  name: 'numbers' | 'list' | 'hours' | 'byteLength' | 'firstFrom',
  none: Result,
) {
  return (
    view: ActingView,
    real: RecordingRepository,
    stream: StoredStream,
    ...given: Given
  ): Promise<Result> => {
    if (!view.seesDevice(stream.cameraUuid)) return Promise.resolve(none);
    const read = real[name] as unknown as (stream: StoredStream, ...given: Given) => Promise<Result>;
    return read.call(real, stream, ...given);
  };
}

const RECORDING_RULES: ScopeRules<RecordingRepository> = {
  save: 'refused',
  remove: 'refused',
  removeUnheld: 'refused',
  isHeld: 'refused',
  numbers: ofSeen('numbers', []),
  usage: 'refused',
  recent: 'refused',
  byteLength: ofSeen('byteLength', 0),
  list: ofSeen('list', []),
  hours: ofSeen('hours', []),
  firstFrom: ofSeen('firstFrom', null),
  oldest: 'refused',
  oldestOf: async (view, real, streams, limit) =>
    real.oldestOf(
      streams.filter(({ cameraUuid }) => view.seesDevice(cameraUuid)),
      limit,
    ),
  forgetOwners: 'refused',
  // Files that an ordered clip shows are claimed for it.
  claim: async (view, real, stream, fromMs, toMs) => {
    if (view.seesDevice(stream.cameraUuid)) await real.claim(stream, fromMs, toMs);
  },
};

function seenDevices(devices: readonly ReportingDevice[] | null, view: ActingView): ReportingDevice[] {
  if (devices === null) return view.deviceUuids.map((deviceUuid) => ({ deviceUuid, facet: '' }));
  return devices.filter(({ deviceUuid }) => view.seesDevice(deviceUuid));
}

function ofSeenDevices<Query extends BucketQuery>(query: Query, view: ActingView): Query {
  return { ...query, devices: seenDevices(query.devices, view) };
}

const onlySeenUuids = (uuids: readonly Ruuid[], view: ActingView): Ruuid[] =>
  uuids.filter((uuid) => view.seesDevice(uuid));

const CROSSING_RULES: ScopeRules<CrossingRepository> = {
  add: 'refused',
  findAll: 'refused',
  page: async (view, real, orgUuid, query) =>
    view.seesDevice(query.device.deviceUuid) ? real.page(orgUuid, query) : [],
  reporters: async (view, real, orgUuid) => onlySeenUuids(await real.reporters(orgUuid), view),
  counts: async (view, real, orgUuid, query) => {
    const limited = ofSeenDevices(query, view);
    return limited.devices?.length === 0 ? [] : real.counts(orgUuid, limited);
  },
  removeBefore: 'open',
  removeExcess: 'open',
};

const OCCUPANCY_RULES: ScopeRules<OccupancyRepository> = {
  add: 'refused',
  findAll: 'refused',
  latest: async (view, real, orgUuid, devices, limit) => {
    const seen = seenDevices(devices, view);
    return seen.length === 0 ? [] : real.latest(orgUuid, seen, limit);
  },
  hasReported: async (view, real, orgUuid, deviceUuid) =>
    view.seesDevice(deviceUuid) && real.hasReported(orgUuid, deviceUuid),
  reporters: async (view, real, orgUuid) => onlySeenUuids(await real.reporters(orgUuid), view),
  peaks: async (view, real, orgUuid, query) => {
    const limited = ofSeenDevices(query, view);
    return limited.devices?.length === 0 ? [] : real.peaks(orgUuid, limited);
  },
  removeBefore: 'open',
  removeExcess: 'open',
};

const ORGANIZATION_RULES: ScopeRules<OrganizationRepository> = { ...SELF, list: 'open' };

const API_KEY_RULES: ScopeRules<ApiKeyRepository> = {
  ...NO_RECORDS,
  findByHash: 'open',
  noteUses: 'open',
  lastUses: 'refused',
};

/** People change only their own password, passkeys, and sessions. */
const PERSON_RULES: ScopeRules<PersonRepository> = {
  ...NO_RECORDS,
  changeKeepingAdmin: 'open',
  listByEmail: 'open',
  noteSignIn: 'open',
};

const SESSION_RULES: ScopeRules<ConsoleSessionRepository> = {
  ...NO_RECORDS,
  save: 'open',
  change: 'open',
  remove: 'open',
  findByTokenHash: 'open',
  listByPerson: 'open',
  listByProvider: 'open',
  confirm: 'open',
  noteSeen: 'open',
  removeExpired: 'open',
};

const PASSKEY_RULES: ScopeRules<PasskeyRepository> = {
  ...NO_RECORDS,
  save: 'open',
  change: 'open',
  changeWithRoom: 'open',
  add: 'open',
  remove: 'open',
  findByCredentialId: 'open',
  listByPerson: 'open',
  noteUse: 'open',
  removeKeepingWay: 'open',
};

const APPLICATION_RULES: ScopeRules<OAuthApplicationRepository> = { ...NO_RECORDS, findByClientId: 'open' };
