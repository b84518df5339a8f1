/** The pages about other programs: what calls the gateway, and what the gateway calls. */

import type { PageTab } from '../ui/page-tabs.tsx';
import { t, tIn } from '../words.ts';

export const INTEGRATION_TABS: readonly PageTab[] = [
  { path: 'keys', title: tIn('access', 'Keys'), role: 'admin' },
  { path: 'activity/webhooks', title: t('Webhooks'), role: 'admin' },
];
