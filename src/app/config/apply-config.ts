/**
 * Brings the organizations, locations, NVRs and cameras of the store to the state in the configuration file. Rows that are
 * already the same are not written, so that viewers of an unchanged camera notice nothing. Can be repeated.
 */

import type { Clock } from '../../core/clock.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import { publishDigest } from '../../sources/rtmp/publish-key.ts';
import type { Camera, Location, Nvr, Organization } from '../../store/entities.ts';
import { inTurn } from '../../store/in-turn.ts';
import { pushedAddress } from '../../store/pushed-address.ts';
import { noteRemovedMasks } from '../../store/removed-masks.ts';
import type { OrgRepository, Store } from '../../store/store.ts';
import { DEFAULT_ORG_UUID, DEFAULT_PARTNER_ORG_UUID } from './default-organizations.ts';
import type { CameraConfig, Config, LocationConfig, NvrConfig } from './schema.ts';

/** How many rows of a kind were brought in line with the file, and how. */
export interface AppliedCounts {
  created: number;
  updated: number;
  unchanged: number;
  removed: number;
}

/** Counts for one line of the log. */
export interface ApplySummary {
  readonly locations: AppliedCounts;
  readonly nvrs: AppliedCounts;
  readonly cameras: AppliedCounts;
}

/** How records in the file refer to each other by name. */
interface Names {
  readonly locationUuids: ReadonlyMap<string, Ruuid>;
  readonly nvrs: ReadonlyMap<string, Nvr>;
}

/**
 * Cameras that an earlier file declared and this one does not are removed. Locations, NVRs and everything made
 * through the API stay, and the API can change them from then on. Gateways on one database apply their files one after the
 * other, so the last one holds as a whole. Fails with the store's codes, for example
 * STORE_OTHER_ORG if a UUID is taken.
 */
export function applyConfig(store: Store, config: Config, clock: Clock): Promise<ApplySummary> {
  return inTurn(store.leases, 'configuration', clock, () => apply(store, config, clock));
}

async function apply(store: Store, config: Config, clock: Clock): Promise<ApplySummary> {
  const nowEpochMs = clock.epochMs();
  await ensureOrganizations(store, nowEpochMs);
  const knownLocations = await store.locations.list(DEFAULT_ORG_UUID);
  const knownNvrs = await store.nvrs.list(DEFAULT_ORG_UUID);
  const knownCameras = await store.cameras.list(DEFAULT_ORG_UUID);

  const locations = config.locations.map((entry) => locationOf(entry, nowEpochMs));
  const locationUuids = new Map(locations.map(({ name, uuid }) => [name, uuid]));
  const nvrs = config.nvrs.map((entry) => nvrOf(entry, locationUuids, nowEpochMs));
  const names: Names = { locationUuids, nvrs: new Map(nvrs.map((nvr) => [nvr.name, nvr])) };
  const cameras = config.cameras.map((entry) => cameraOf(entry, names, nowEpochMs));

  const summary = {
    locations: await saveChanged(store.locations, knownLocations, locations),
    nvrs: await saveChanged(store.nvrs, knownNvrs, nvrs),
    cameras: await saveChanged(store.cameras, knownCameras, cameras),
  };
  summary.cameras.removed = await removeUndeclared(store, knownCameras, cameras, clock);
  await releaseUndeclared(store.locations, knownLocations, locations);
  await releaseUndeclared(store.nvrs, knownNvrs, nvrs);
  return summary;
}

async function ensureOrganizations(store: Store, nowEpochMs: number): Promise<void> {
  const wanted: Organization[] = [
    {
      uuid: DEFAULT_PARTNER_ORG_UUID,
      name: 'Partner',
      partnerUuid: null,
      createdAtMs: nowEpochMs,
      cameraNetworks: [],
    },
    {
      uuid: DEFAULT_ORG_UUID,
      name: 'Default',
      partnerUuid: DEFAULT_PARTNER_ORG_UUID,
      createdAtMs: nowEpochMs,
      cameraNetworks: [],
    },
  ];
  for (const organization of wanted) {
    if ((await store.organizations.find(organization.uuid)) === null)
      await store.organizations.save(organization);
  }
}

function locationOf({ uuid, ...entry }: LocationConfig, nowEpochMs: number): Location {
  return {
    ...entry,
    uuid: uuid ?? deriveRuuid('location', entry.name),
    orgUuid: DEFAULT_ORG_UUID,
    parentUuid: null,
    policyUuid: null,
    labels: [],
    createdAtMs: nowEpochMs,
    fromConfig: true,
  };
}

function nvrOf(entry: NvrConfig, locationUuids: Names['locationUuids'], nowEpochMs: number): Nvr {
  return {
    uuid: entry.uuid ?? deriveRuuid('nvr', entry.name),
    orgUuid: DEFAULT_ORG_UUID,
    locationUuid: entry.location === null ? null : (locationUuids.get(entry.location) ?? null),
    name: entry.name,
    serialNumber: entry.serialNumber,
    createdAtMs: nowEpochMs,
    mummified: false,
    fromConfig: true,
  };
}

/** A camera without its own location is where its NVR is. */
function cameraOf(entry: CameraConfig, names: Names, nowEpochMs: number): Camera {
  const nvr = entry.nvr === null ? undefined : names.nvrs.get(entry.nvr);
  const ownLocation = entry.location === null ? undefined : names.locationUuids.get(entry.location);
  return {
    uuid: entry.uuid ?? deriveRuuid('camera', entry.name),
    orgUuid: DEFAULT_ORG_UUID,
    locationUuid: ownLocation ?? nvr?.locationUuid ?? null,
    nvrUuid: nvr?.uuid ?? null,
    kind: entry.kind,
    name: entry.name,
    rtspUrl: mainUrlOf(entry),
    substreamUrl: entry.substream,
    onvifUrl: entry.onvif,
    engine: entry.engine,
    transport: entry.transport,
    audio: entry.audio,
    tls: entry.tls,
    clock: entry.clock,
    masks: [],
    masksForViewers: false,
    createdAtMs: nowEpochMs,
    mummified: false,
    fromConfig: true,
  };
}

/** check-config.ts has made sure that there is one or the other. */
function mainUrlOf({ rtsp, publishKey }: CameraConfig): CredentialUrl {
  return rtsp ?? pushedAddress(publishDigest(publishKey!));
}

async function saveChanged<T extends Location | Nvr | Camera>(
  repository: Pick<OrgRepository<T>, 'change'>,
  known: readonly T[],
  wanted: readonly T[],
): Promise<AppliedCounts> {
  const counts: AppliedCounts = { created: 0, updated: 0, unchanged: 0, removed: 0 };
  const knownByUuid = new Map(known.map((entity) => [entity.uuid, entity]));
  for (const entity of wanted) {
    const before = knownByUuid.get(entity.uuid);
    const after = before === undefined ? entity : { ...entity, ...keptOf(before) };
    if (before !== undefined && fingerprint(before) === fingerprint(after)) {
      counts.unchanged++;
      continue;
    }
    // Masks that were drawn in the meantime stay, too.
    await repository.change(after.orgUuid, after.uuid, (now) => ({
      ...after,
      ...(now === null ? {} : keptOf(now)),
    }));
    if (before === undefined) counts.created++;
    else counts.updated++;
  }
  return counts;
}

/** What the file does not say. */
function keptOf(
  stored: Location | Nvr | Camera,
): { createdAtMs: number } & Partial<Pick<Camera, 'masks' | 'masksForViewers'>> {
  const { createdAtMs } = stored;
  if (!('masks' in stored)) return { createdAtMs };
  const { masks, masksForViewers } = stored;
  return { createdAtMs, masks, masksForViewers };
}

/** The same text for equal entities. Kept in memory only: it contains the cameras' credentials. */
function fingerprint(entity: Location | Nvr | Camera): string {
  const fields: Record<string, unknown> = { ...entity };
  if ('rtspUrl' in entity) {
    fields.rtspUrl = entity.rtspUrl.reveal();
    fields.substreamUrl = entity.substreamUrl?.reveal() ?? null;
    fields.onvifUrl = entity.onvifUrl?.reveal() ?? null;
  }
  return JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function removeUndeclared(
  store: Store,
  known: readonly Camera[],
  declared: readonly Camera[],
  clock: Clock,
): Promise<number> {
  const declaredUuids = new Set(declared.map((camera) => camera.uuid));
  let removed = 0;
  for (const camera of known) {
    if (!camera.fromConfig || declaredUuids.has(camera.uuid)) continue;
    await noteRemovedMasks(store, camera, clock);
    if (await store.cameras.remove(DEFAULT_ORG_UUID, camera.uuid)) removed++;
  }
  return removed;
}

/** Records that stay although the file no longer declares them belong to the API from now on. */
async function releaseUndeclared<T extends Location | Nvr>(
  repository: Pick<OrgRepository<T>, 'change'>,
  known: readonly T[],
  declared: readonly T[],
): Promise<void> {
  const declaredUuids = new Set(declared.map((entity) => entity.uuid));
  for (const entity of known) {
    if (!entity.fromConfig || declaredUuids.has(entity.uuid)) continue;
    await repository.change(entity.orgUuid, entity.uuid, (now) =>
      now === null ? 'unchanged' : { ...now, fromConfig: false },
    );
  }
}
