/** The pages about events and changes. */

import type { PageTab } from '../ui/page-tabs.tsx';

export const ACTIVITY_TABS: readonly PageTab[] = [
  { path: 'activity', title: 'Who did what', role: 'viewer' },
  { path: 'activity/webhooks', title: 'Webhooks', role: 'admin' },
];
