/** In place of cameras, for someone whose rights include none. */

import { t } from '../words.ts';
import { Notice } from './notice.tsx';

export function NoCamerasForYou() {
  return (
    <Notice title={t('You see no cameras')}>
      <p>
        {t(
          'An administrator has limited what you see to chosen sites and cameras, and none of them has a camera now. Ask an administrator to change that.',
        )}
      </p>
    </Notice>
  );
}
