/** The pages about events and changes. */

import type { PageTab } from '../ui/page-tabs.tsx';
import { t } from '../words.ts';

export const ACTIVITY_TABS: readonly PageTab[] = [
  { path: 'activity', title: t('Who did what'), role: 'viewer' },
  { path: 'activity/webhooks', title: t('Webhooks'), role: 'admin' },
];
