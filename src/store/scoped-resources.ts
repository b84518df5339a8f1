/**
 * Resources as limited callers have them. Each kind has a rule in one closed table. Besides, a resource that names a device or a location
 * outside the rights anywhere in its body does not exist.
 */

import { parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';
import { type ActingView, uuidsIn } from './acting-view.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceKindName,
  type ResourceRepository,
  type ResourceStore,
  resourceKind,
} from './resource.ts';
import {
  changeOfSeen,
  decidingSeen,
  expectSeen,
  ifSeen,
  onlySeen,
  type Sees,
  scopedRepository,
} from './scoped-repository.ts';
import type { Store } from './store.ts';

/**
 * - `own`: of the caller's session or credential, or of no camera; endpoints that show it are not for limited callers.
 * - `never`: no limited caller sees it.
 * - `device`: its parent is a device, its owner.
 * - `site`: its parent is a location that is part of the rights.
 */
type KindRule = 'own' | 'never' | 'device' | 'site' | Sees<Resource<object>>;

/** What a shared group consists of. */
const ITEM_KINDS = {
  sharedClipGroup: resourceKind<object>('savedClip'),
  sharedTimelapseGroup: resourceKind<object>('timelapse'),
} as const;

export function scopedResources({ resources }: Pick<Store, 'resources'>): ResourceStore {
  return {
    of<Body extends object>(kind: ResourceKind<Body>): ResourceRepository<Body> {
      return scopedKind(resources.of(kind), kind.name, seesKind(resources, kind.name));
    },
  };
}

/** Whether a view includes resources of the kind. */
export function seesKind(resources: ResourceStore, name: ResourceKindName): Sees<Resource<object>> {
  const rule = ruleOf(resources, name);
  if (rule === 'own') return () => true;
  if (rule === 'never') return () => false;
  const isAnchored: Sees<Resource<object>> =
    rule === 'device'
      ? ({ parentUuid }, view) => parentUuid !== null && view.seesDevice(parentUuid)
      : rule === 'site'
        ? ({ parentUuid }, view) => parentUuid !== null && view.seesSite(parentUuid)
        : rule;
  return (resource, view) => {
    const { uuid, parentUuid, body } = resource;
    // Whom a clip is for is the caller's choice, and no place.
    const { accessSettings: _, ...places } = body as { readonly accessSettings?: unknown };
    return view.namesHidden([uuid, parentUuid, resource.name, places]) ? false : isAnchored(resource, view);
  };
}

function ruleOf(resources: ResourceStore, name: ResourceKindName): KindRule {
  const rule = KIND_RULES[name];
  return rule === 'group' ? groupRule(resources, name as keyof typeof ITEM_KINDS) : rule;
}

const KIND_RULES: Readonly<Record<ResourceKindName, KindRule | 'group'>> = {
  accessRevocation: 'site',
  alarmVendorIntegration: 'never',
  alertPolicyPause: ({ body }, view) => areAllSeen(uuidsIn(body), view),
  apiUser: 'never',
  auditEvent: 'never',
  badgeVendorAIntegration: 'never',
  badgeVendorBIntegration: 'never',
  cameraConfig: 'device',
  cameraPause: 'device',
  // Its items are shown as far as their cameras are within the rights (src/cases).
  case: 'own',
  caseSeal: 'own',
  climatePolicy: 'never',
  clipFile: ({ body }, view) => isSeenCamera((body as { readonly cameraUuid?: string }).cameraUuid, view),
  clipJob: ({ body }, view) =>
    areAllSeen(
      (body as { readonly devices: readonly { readonly cameraUuid: string }[] }).devices.map(
        ({ cameraUuid }) => cameraUuid,
      ),
      view,
    ),
  consoleCode: 'own',
  consoleSettings: 'never',
  credential: 'never',
  deviceDetails: 'device',
  deviceReport: 'device',
  door: ({ uuid }, view) => view.seesDevice(uuid),
  elevatorLanding: ({ uuid }, view) => view.seesDevice(uuid),
  emergency: seesEmergency,
  // Whom operators can open cameras to: of no camera.
  emergencyPartner: 'own',
  emergencyRule: 'never',
  emergencyView: ({ body }, view) =>
    isSeenCamera((body as { readonly cameraUuid?: string }).cameraUuid, view),
  federatedSession: 'own',
  floorPlan: 'site',
  // Of a camera, or of the cameras of a clip.
  hold: ({ parentUuid }, view) => parentUuid !== null && view.seesDevice(parentUuid),
  idempotentRequest: 'own',
  invitation: 'own',
  license: 'device',
  lockdownRule: 'site',
  alarmReceiver: 'never',
  mail: 'never',
  mailDigest: 'own',
  mailRefusal: 'own',
  mailSettings: 'never',
  manualRecording: 'device',
  notificationSettings: 'own',
  oauthApplication: 'never',
  oauthGrant: 'never',
  oidcIdentity: 'own',
  oidcLogout: 'own',
  oidcProvider: 'own',
  pastEmergency: seesEmergency,
  pendingRegistration: 'never',
  planPlace: 'device',
  proximityTag: 'never',
  pushKey: 'own',
  pushSubscription: 'own',
  // Of a camera that no one sees anymore.
  removedMasks: 'own',
  rtspCredential: 'never',
  rtspEndpoint: 'never',
  samlKey: 'own',
  samlProvider: 'own',
  samlTest: 'own',
  samlUsedId: 'own',
  savedClip: ({ body }, view) =>
    areAllSeen((body as { readonly deviceUuids: readonly string[] }).deviceUuids, view),
  scimGroup: 'never',
  scimMapping: 'never',
  scimToken: 'never',
  scimTokenUse: 'never',
  scimUser: 'never',
  serviceProbe: 'never',
  sharedClipGroup: 'group',
  sharedTimelapseGroup: 'group',
  signInDomain: 'own',
  timelapse: 'device',
  seekPoint: 'device',
  waitingMail: 'own',
  webhook: 'never',
  webhookDelivery: 'never',
  webhookIntegration: 'never',
};

/** With all of its cameras: its links show them. */
function seesEmergency({ body }: Resource<object>, view: ActingView): boolean {
  const { cameras } = body as { readonly cameras: readonly { readonly cameraUuid: string }[] };
  return areAllSeen(
    cameras.map(({ cameraUuid }) => cameraUuid),
    view,
  );
}

function isSeenCamera(device: string | undefined, view: ActingView): boolean {
  const uuid = parseDeviceFacetUuid(device)?.uuid;
  return uuid !== undefined && (view.seesDevice(uuid) || view.seesSite(uuid));
}

/** False for none: what belongs to nothing is not seen. */
function areAllSeen(devices: Iterable<string>, view: ActingView): boolean {
  const all = [...devices];
  return all.length > 0 && all.every((device) => isSeenCamera(device, view));
}

/** What the rule of a group reads of a case. */
const CASE_PLACES = resourceKind<{ readonly items: readonly { readonly cameraUuids: readonly Ruuid[] }[] }>(
  'case',
);

/** A group is seen if all of its files are; deleted ones do not count, and there must be one. The link of a case: if all its cameras are. */
function groupRule(resources: ResourceStore, name: keyof typeof ITEM_KINDS): Sees<Resource<object>> {
  const itemKind = ITEM_KINDS[name];
  const seesItem = seesKind(resources, itemKind.name);
  return async ({ orgUuid, body }, view) => {
    const { itemUuids, caseUuid } = body as {
      readonly itemUuids: readonly Ruuid[];
      readonly caseUuid?: Ruuid;
    };
    if (caseUuid !== undefined) {
      const found = await resources.of(CASE_PLACES).find(orgUuid, caseUuid);
      const all = found?.body.items ?? [];
      return all.length > 0 && all.every(({ cameraUuids }) => areAllSeen(cameraUuids, view));
    }
    const items = resources.of(itemKind);
    let seen = 0;
    for (const uuid of itemUuids) {
      const item = await items.find(orgUuid, uuid);
      if (item === null) continue;
      if (!(await seesItem(item, view))) return false;
      seen += 1;
    }
    return seen > 0;
  };
}

/** More are read at a time than wanted, because some may be left out. */
const MIN_PAGE = 100;

function scopedKind<Body extends object>(
  repository: ResourceRepository<Body>,
  name: ResourceKindName,
  sees: Sees<Resource<object>>,
): ResourceRepository<Body> {
  const isOwn = KIND_RULES[name] === 'own';
  return scopedRepository<ResourceRepository<Body>>(repository, {
    find: async (view, real, orgUuid, uuid) => ifSeen(await real.find(orgUuid, uuid), view, sees),
    list: async (view, real, orgUuid) => onlySeen(await real.list(orgUuid), view, sees),
    listByParent: async (view, real, orgUuid, parentUuid) =>
      onlySeen(await real.listByParent(orgUuid, parentUuid), view, sees),
    async page(view, real, orgUuid, query) {
      const seen: Resource<Body>[] = [];
      const limit = Math.max(query.limit, MIN_PAGE);
      for (let after = query.after; ; ) {
        const page: Resource<Body>[] = await real.page(orgUuid, { ...query, after, limit });
        seen.push(...(await onlySeen(page, view, sees)));
        if (page.length < limit || seen.length >= query.limit) return seen.slice(0, query.limit);
        after = page.at(-1)!;
      }
    },
    count: async (view, real, orgUuid) => (await onlySeen(await real.list(orgUuid), view, sees)).length,
    async save(view, real, resource) {
      await expectReplaceable(view, real, resource);
      await real.save(resource);
    },
    async saveAll(view, real, all) {
      for (const resource of all) await expectReplaceable(view, real, resource);
      await real.saveAll(all);
    },
    async change(view, real, orgUuid, uuid, decide, room, importance) {
      const change = await real.change(orgUuid, uuid, decidingSeen(decide, view, sees), room, importance);
      return changeOfSeen(change, view, sees);
    },
    changeAll: 'refused',
    async remove(view, real, orgUuid, uuid) {
      const seen = await ifSeen(await real.find(orgUuid, uuid), view, sees);
      return seen !== null && real.remove(orgUuid, uuid);
    },
    findEverywhere: isOwn ? 'open' : 'refused',
    // To load caches, which are for everyone.
    listEverywhere: 'open',
  });

  async function expectReplaceable(
    view: ActingView,
    real: ResourceRepository<Body>,
    resource: Resource<Body>,
  ): Promise<void> {
    await expectSeen(resource, view, sees);
    const known = await real.find(resource.orgUuid, resource.uuid);
    if (known !== null) await expectSeen(known, view, sees);
  }
}
