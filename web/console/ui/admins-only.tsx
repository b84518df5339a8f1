/** In place of a page that someone's role cannot use: why, and who can. */

import { place } from '../places.ts';
import { session } from '../session.ts';
import { t } from '../words.ts';
import { Notice } from './notice.tsx';

/** `what`: as in "Only administrators can add cameras". */
export function AdminsOnly({ what }: { readonly what: string }) {
  const role = session.value?.person.role;
  return (
    <Notice title={t('Only administrators can {what}', { what })}>
      <p>
        {role === 'operator'
          ? t('You are signed in as an operator. Ask an administrator to do it, or for another role.')
          : t('You are signed in as a viewer. Ask an administrator to do it, or for another role.')}
      </p>
      <a href={place('')}>{t('See the cameras')}</a>
    </Notice>
  );
}
