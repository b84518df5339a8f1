/** Where the search reads what it can find. Each source is one call; shares are searched by the gateway. */

import { exportCameras } from './camera-export.ts';
import { ADD_CAMERA_PLACE, cameraPlace, MAP_PLACE, SITES_PLACE, sitePlace } from './camera-places.ts';
import { listCameras, listLocations, stateOf } from './camera-state.ts';
import { type Findable, type FindKind, findable, MAX_SHOWN, type Target } from './find-targets.ts';
import { readSettings } from './gateway-state.ts';
import { openKeys } from './opened-over.ts';
import { MENU_PAGES } from './pages.ts';
import { listPeople, personPlace } from './person-list.ts';
import { place } from './places.ts';
import { listSchedules } from './schedule-state.ts';
import { may, type Role, session, signOut } from './session.ts';
import { groupOf, titleOf } from './settings-edit.ts';
import { type ShareItem, targetText } from './share-item.ts';
import { NEW_SHARE_PLACE, schedulePlace, sharePlace } from './share-places.ts';
import { findShares } from './share-state.ts';
import { listNvrs } from './site-list.ts';
import { readWalls } from './wall-list.ts';
import { t } from './words.ts';

export interface FindSource {
  readonly kind: FindKind;
  /** As in "Cameras could not be searched". */
  readonly what: string;
  /** The least role that may read it. */
  readonly role: Role;
  readonly read: (signal: AbortSignal) => Promise<readonly Target[]>;
}

export const FIND_SOURCES: readonly FindSource[] = [
  { kind: 'camera', what: t('Cameras'), role: 'viewer', read: readCameraTargets },
  {
    kind: 'site',
    what: t('Sites'),
    role: 'viewer',
    read: async (signal) =>
      Array.from(await listLocations(signal), ([id, title]) => ({
        kind: 'site',
        id,
        title,
        detail: '',
        href: sitePlace(id),
      })),
  },
  {
    kind: 'nvr',
    what: t('NVRs'),
    role: 'viewer',
    read: async (signal) =>
      (await listNvrs(signal)).map(({ uuid, name }) => ({
        kind: 'nvr',
        id: uuid,
        title: name,
        detail: '',
        href: place(`?nvr=${encodeURIComponent(uuid)}`),
      })),
  },
  {
    kind: 'wall',
    what: t('Walls'),
    role: 'viewer',
    read: async (signal) =>
      (await readWalls(signal)).map(({ uuid, displayName }) => ({
        kind: 'wall',
        id: uuid,
        title: displayName,
        detail: '',
        href: place(`walls/${encodeURIComponent(uuid)}`),
      })),
  },
  {
    kind: 'schedule',
    what: t('Schedules'),
    role: 'viewer',
    read: async (signal) =>
      (await listSchedules(signal)).map(({ uuid, name }) => ({
        kind: 'schedule',
        id: uuid,
        title: name,
        detail: '',
        href: schedulePlace(uuid),
      })),
  },
  {
    kind: 'person',
    what: t('People'),
    role: 'admin',
    read: async (signal) =>
      (await listPeople(signal)).map(({ personUuid, name, email = '' }) => ({
        kind: 'person',
        id: personUuid,
        title: name,
        detail: email,
        href: personPlace(personUuid),
      })),
  },
  {
    kind: 'setting',
    what: t('Settings'),
    role: 'admin',
    read: async (signal) =>
      (await readSettings(signal)).settings.map(({ path, meaning }) => ({
        kind: 'setting',
        id: path,
        title: titleOf(path),
        detail: groupOf(path).title,
        alias: `${path} ${meaning}`,
        href: place(`settings?text=${encodeURIComponent(path)}`),
      })),
  },
];

async function readCameraTargets(signal: AbortSignal): Promise<readonly Target[]> {
  const [cameras, sites] = await Promise.all([listCameras(signal), listLocations(signal)]);
  return cameras.map((camera) => ({
    kind: 'camera',
    id: camera.uuid,
    title: camera.name,
    detail: sites.get(camera.locationUuid ?? '') ?? '',
    href: cameraPlace(camera.uuid),
    state: stateOf(camera),
  }));
}

interface Action {
  readonly title: string;
  readonly alias: string;
  readonly role: Role;
  readonly href: string | null;
  readonly run?: () => Promise<void>;
}

const ACTIONS: readonly Action[] = [
  { title: t('New share'), alias: t('create link'), role: 'operator', href: NEW_SHARE_PLACE },
  { title: t('Add cameras'), alias: t('new create camera'), role: 'admin', href: ADD_CAMERA_PLACE },
  { title: t('New site'), alias: t('create add location'), role: 'admin', href: `${SITES_PLACE}?new` },
  {
    title: t('Export cameras'),
    alias: t('csv download save'),
    role: 'admin',
    href: null,
    run: exportCameras,
  },
  {
    title: t('Keys of this page'),
    alias: t('keyboard shortcuts help'),
    role: 'viewer',
    href: null,
    run: openKeys,
  },
  { title: t('Sign out'), alias: t('log out leave'), role: 'viewer', href: null, run: signOut },
];

/** Actions and pages: they are known without a call. */
export function fixedTargets(): readonly Findable[] {
  const actions = ACTIONS.filter(({ role }) => may(role)).map(
    ({ title, alias, href, run }): Target => ({
      kind: 'action',
      id: title,
      title,
      detail: '',
      alias,
      href,
      ...(run === undefined ? {} : { run }),
    }),
  );
  const map: readonly Target[] =
    session.value?.mapTiles == null
      ? []
      : [{ kind: 'page', id: 'map', title: t('Map'), detail: t('Sites'), href: MAP_PLACE }];
  const pages = MENU_PAGES.flatMap(({ path, menu, role }): Target[] =>
    !may(role)
      ? []
      : [{ kind: 'page', id: path, title: menu.title, detail: menu.group ?? '', href: place(path) }],
  );
  const account: Target = {
    kind: 'page',
    id: 'account',
    title: t('Your account'),
    detail: '',
    href: place('account'),
  };
  return [...actions, ...pages, ...map, account].map(findable);
}

/** Shares that the gateway finds, and how many there are. Fails with a CallError. */
export async function readShareTargets(
  text: string,
  signal: AbortSignal,
): Promise<{ readonly targets: readonly Target[]; readonly total: number }> {
  const { items, total } = await findShares(
    { text, order: 'NAME', isDescending: false },
    0,
    MAX_SHOWN,
    signal,
  );
  return { targets: items.map(shareTarget), total };
}

/** Those that still exist. Fails with a CallError. */
export async function readSharesOf(
  uuids: readonly string[],
  signal: AbortSignal,
): Promise<readonly Target[]> {
  if (uuids.length === 0) return [];
  return (await findShares({ uuids }, 0, uuids.length, signal)).items.map(shareTarget);
}

function shareTarget(share: ShareItem): Target {
  const { uuid, name } = share;
  return {
    kind: 'share',
    id: uuid,
    title: name === '' ? t('Without a title') : name,
    detail: targetText(share),
    href: sharePlace(uuid),
  };
}
