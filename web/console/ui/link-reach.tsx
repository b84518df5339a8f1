/** Next to a link: whether it opens elsewhere, and what to do if it does not. */

import { linkReach } from '../media-addresses.ts';
import { place } from '../places.ts';
import { may } from '../session.ts';
import { t } from '../words.ts';

/** Nothing for a link that may open anywhere. `part`: whose address it is. */
export function LinkReach({
  url,
  part = 'links',
}: {
  readonly url: string;
  readonly part?: 'links' | 'console';
}) {
  const reach = linkReach(url);
  if (reach === 'elsewhere') return null;
  if (reach === 'own-network') {
    return <p class="hint">{t('This link opens only in your own network.')}</p>;
  }
  const isAdmin = may('admin');
  return (
    <p class="link-warning" role="note">
      <b>{t('This link opens only on this machine.')}</b>{' '}
      {part === 'links' && isAdmin && <a href={place('start')}>{t('Let phones open links')}</a>}
      {part === 'console' && isAdmin && (
        <a href={place('settings')}>{t('Set the public address of the console')}</a>
      )}
      {!isAdmin && t('Ask an administrator to set the public address of the gateway.')}
    </p>
  );
}
