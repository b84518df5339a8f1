/** The pages of the console: their addresses, names and who finds them in the menu. */

import { type LazyPage, lazyPage as lazy } from './lazy-page.ts';
import type { Role } from './session.ts';
import type { IconName } from './ui/icon.tsx';
import { t, tIn } from './words.ts';

/** The parts of the menu, in its order. */
export const MENU_GROUPS = [
  tIn('menu', 'Watch'),
  tIn('menu', 'Share'),
  t('Sites'),
  t('Access'),
  t('Gateway'),
] as const;

export type MenuGroup = (typeof MENU_GROUPS)[number];

/** The entry of one's own account, which is not in the menu. */
export const ACCOUNT = 'account';

export interface MenuEntry {
  readonly title: string;
  readonly icon: IconName;
  /** null: above all groups. */
  readonly group: MenuGroup | null;
  /** After `g`, it opens the page. */
  readonly key: string;
  /** Next to the button that opens the menu on a phone; the first four that the person has. */
  readonly isOnPhone?: true;
  /** Whether a person can take it out of the menu (first-steps-choice.ts). */
  readonly canBeHidden?: true;
}

export interface ConsolePage {
  /** Below the console's base; parameters as `:name`. */
  readonly path: string;
  /** Its entry of the menu; a page that is reached from another one names the path of the page whose entry is marked, or ACCOUNT. */
  readonly menu: MenuEntry | string;
  /** The least role that may open it. */
  readonly role: Role;
  readonly component: LazyPage;
}

export const PAGES: readonly ConsolePage[] = [
  {
    path: 'start',
    menu: {
      title: tIn('menu', 'First steps'),
      icon: 'check',
      group: null,
      key: 'f',
      isOnPhone: true,
      canBeHidden: true,
    },
    role: 'admin',
    component: lazy(() => import('./pages/start.tsx').then(({ StartPage }) => StartPage)),
  },
  {
    path: '',
    menu: { title: t('Cameras'), icon: 'camera', group: tIn('menu', 'Watch'), key: 'c', isOnPhone: true },
    role: 'viewer',
    component: lazy(() => import('./pages/cameras.tsx').then(({ CamerasPage }) => CamerasPage)),
  },
  {
    // The address that people try.
    path: 'cameras',
    menu: '',
    role: 'viewer',
    component: lazy(() => import('./pages/cameras.tsx').then(({ CamerasPage }) => CamerasPage)),
  },
  {
    path: 'cameras/add',
    menu: '',
    role: 'viewer',
    component: lazy(() => import('./pages/camera-add.tsx').then(({ CameraAddPage }) => CameraAddPage)),
  },
  {
    path: 'cameras/:cameraUuid/source',
    menu: '',
    role: 'viewer',
    component: lazy(() =>
      import('./pages/camera-source.tsx').then(({ CameraSourcePage }) => CameraSourcePage),
    ),
  },
  {
    path: 'cameras/:cameraUuid/masks',
    menu: '',
    role: 'viewer',
    component: lazy(() => import('./pages/camera-masks.tsx').then(({ CameraMasksPage }) => CameraMasksPage)),
  },
  {
    path: 'cameras/:cameraUuid/details',
    menu: '',
    role: 'viewer',
    component: lazy(() =>
      import('./pages/camera-details.tsx').then(({ CameraDetailsPage }) => CameraDetailsPage),
    ),
  },
  {
    path: 'cameras/:cameraUuid',
    menu: '',
    role: 'viewer',
    component: lazy(() => import('./pages/camera.tsx').then(({ CameraPage }) => CameraPage)),
  },
  {
    path: 'walls',
    menu: { title: t('Walls'), icon: 'wall', group: tIn('menu', 'Watch'), key: 'w' },
    role: 'viewer',
    component: lazy(() => import('./pages/walls.tsx').then(({ WallsPage }) => WallsPage)),
  },
  {
    path: 'walls/:uuid',
    menu: 'walls',
    role: 'viewer',
    component: lazy(() => import('./pages/wall.tsx').then(({ WallPage }) => WallPage)),
  },
  {
    path: 'walls/:uuid/watch',
    menu: 'walls',
    role: 'viewer',
    component: lazy(() => import('./pages/watch.tsx').then(({ WatchPage }) => WatchPage)),
  },
  {
    path: 'watch',
    menu: '',
    role: 'viewer',
    component: lazy(() => import('./pages/watch.tsx').then(({ WatchPage }) => WatchPage)),
  },
  {
    path: 'timeline',
    menu: {
      title: tIn('menu', 'Timeline'),
      icon: 'timeline',
      group: tIn('menu', 'Watch'),
      key: 't',
      isOnPhone: true,
    },
    role: 'viewer',
    component: lazy(() => import('./pages/timeline.tsx').then(({ TimelinePage }) => TimelinePage)),
  },
  {
    path: 'alerts',
    menu: { title: t('Alerts'), icon: 'alert', group: tIn('menu', 'Watch'), key: 'a', isOnPhone: true },
    role: 'viewer',
    component: lazy(() => import('./pages/alerts.tsx').then(({ AlertsPage }) => AlertsPage)),
  },
  {
    path: 'cases',
    menu: { title: t('Cases'), icon: 'case', group: tIn('menu', 'Watch'), key: 'o' },
    role: 'viewer',
    component: lazy(() => import('./pages/cases.tsx').then(({ CasesPage }) => CasesPage)),
  },
  {
    path: 'cases/:caseUuid',
    menu: 'cases',
    role: 'viewer',
    component: lazy(() => import('./pages/case.tsx').then(({ CasePage }) => CasePage)),
  },
  {
    path: 'shares',
    menu: { title: t('Shares'), icon: 'share', group: tIn('menu', 'Share'), key: 's', isOnPhone: true },
    role: 'viewer',
    component: lazy(() => import('./pages/shares.tsx').then(({ SharesPage }) => SharesPage)),
  },
  {
    path: 'emergencies',
    menu: { title: t('Emergencies'), icon: 'emergency', group: tIn('menu', 'Share'), key: 'n' },
    role: 'viewer',
    component: lazy(() => import('./pages/emergencies.tsx').then(({ EmergenciesPage }) => EmergenciesPage)),
  },
  {
    path: 'emergencies/:emergencyUuid',
    menu: 'emergencies',
    role: 'operator',
    component: lazy(() => import('./pages/emergency.tsx').then(({ EmergencyPage }) => EmergencyPage)),
  },
  {
    path: 'schedules',
    menu: { title: t('Schedules'), icon: 'schedule', group: tIn('menu', 'Share'), key: 'h' },
    role: 'viewer',
    component: lazy(() => import('./pages/schedules.tsx').then(({ SchedulesPage }) => SchedulesPage)),
  },
  {
    path: 'schedules/:scheduleUuid',
    menu: 'schedules',
    role: 'viewer',
    component: lazy(() => import('./pages/schedule.tsx').then(({ SchedulePage }) => SchedulePage)),
  },
  {
    path: 'sites',
    menu: { title: t('Sites'), icon: 'site', group: t('Sites'), key: 'i' },
    role: 'viewer',
    component: lazy(() => import('./pages/sites.tsx').then(({ SitesPage }) => SitesPage)),
  },
  {
    path: 'sites/:siteUuid',
    menu: 'sites',
    role: 'viewer',
    component: lazy(() => import('./pages/site.tsx').then(({ SitePage }) => SitePage)),
  },
  {
    path: 'map',
    menu: 'sites',
    role: 'viewer',
    component: lazy(() => import('./pages/map.tsx').then(({ MapPage }) => MapPage)),
  },
  {
    path: 'doors',
    menu: { title: t('Doors'), icon: 'door', group: t('Sites'), key: 'd' },
    role: 'viewer',
    component: lazy(() => import('./pages/doors.tsx').then(({ DoorsPage }) => DoorsPage)),
  },
  {
    path: 'people',
    menu: { title: t('People'), icon: 'people', group: t('Access'), key: 'p' },
    role: 'admin',
    component: lazy(() => import('./pages/people.tsx').then(({ PeoplePage }) => PeoplePage)),
  },
  {
    path: 'sign-in-providers',
    menu: 'people',
    role: 'admin',
    component: lazy(() =>
      import('./pages/sign-in-providers.tsx').then(({ SignInProvidersPage }) => SignInProvidersPage),
    ),
  },
  {
    path: 'keys',
    menu: { title: t('Integrations'), icon: 'key', group: t('Access'), key: 'k' },
    role: 'admin',
    component: lazy(() => import('./pages/keys.tsx').then(({ KeysPage }) => KeysPage)),
  },
  {
    path: 'activity',
    menu: { title: t('Activity'), icon: 'activity', group: t('Access'), key: 'v' },
    role: 'viewer',
    component: lazy(() => import('./pages/activity.tsx').then(({ ActivityPage }) => ActivityPage)),
  },
  {
    path: 'activity/webhooks',
    menu: 'keys',
    role: 'admin',
    component: lazy(() => import('./pages/webhooks.tsx').then(({ WebhooksPage }) => WebhooksPage)),
  },
  {
    path: 'settings',
    menu: { title: t('Settings'), icon: 'settings', group: t('Gateway'), key: 'e' },
    role: 'admin',
    component: lazy(() => import('./pages/settings.tsx').then(({ SettingsPage }) => SettingsPage)),
  },
  {
    path: 'mail',
    menu: { title: t('Mail'), icon: 'mail', group: t('Gateway'), key: 'm' },
    role: 'admin',
    component: lazy(() => import('./pages/mail.tsx').then(({ MailPage }) => MailPage)),
  },
  {
    path: 'mail/alarm-centers',
    menu: 'mail',
    role: 'admin',
    component: lazy(() =>
      import('./pages/alarm-centers.tsx').then(({ AlarmCentersPage }) => AlarmCentersPage),
    ),
  },
  {
    path: 'service-levels',
    menu: { title: t('Viewing quality'), icon: 'levels', group: t('Gateway'), key: 'q' },
    role: 'admin',
    component: lazy(() =>
      import('./pages/service-levels.tsx').then(({ ServiceLevelsPage }) => ServiceLevelsPage),
    ),
  },
  {
    path: 'system',
    menu: { title: t('System'), icon: 'system', group: t('Gateway'), key: 'y' },
    role: 'admin',
    component: lazy(() => import('./pages/system.tsx').then(({ SystemPage }) => SystemPage)),
  },
  {
    path: 'account',
    menu: ACCOUNT,
    role: 'viewer',
    component: lazy(() => import('./pages/account.tsx').then(({ AccountPage }) => AccountPage)),
  },
];

/** A page with an entry of its own. */
export interface MenuPage extends ConsolePage {
  readonly menu: MenuEntry;
}

export const MENU_PAGES: readonly MenuPage[] = PAGES.filter(
  (page): page is MenuPage => typeof page.menu !== 'string',
);

/** The page at this path, below the console's base; undefined: there is none. */
export function pageAt(path: string): ConsolePage | undefined {
  const names = namesOf(path);
  return PAGES.find((page) => {
    const wanted = namesOf(page.path);
    return (
      wanted.length === names.length && wanted.every((name, i) => name.startsWith(':') || name === names[i])
    );
  });
}

/** The path of the page whose entry is marked while this path is open, or ACCOUNT; null: there is no such page. */
export function entryAt(path: string): string | null {
  const page = pageAt(path);
  if (page === undefined) return null;
  return typeof page.menu === 'string' ? page.menu : page.path;
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter(Boolean);
}
