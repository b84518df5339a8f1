/** The pages about mail. */

import type { PageTab } from '../ui/page-tabs.tsx';
import { t } from '../words.ts';

export const MAIL_TABS: readonly PageTab[] = [
  { path: 'mail', title: t('Mail'), role: 'admin' },
  { path: 'mail/alarm-centers', title: t('Alarm centers'), role: 'admin' },
];
