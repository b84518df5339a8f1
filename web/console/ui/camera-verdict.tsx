/** Whether all cameras are fine, in one sentence that leads to those that are not. */

import { type CameraHealth, verdictOf } from '../camera-attention.ts';
import { place } from '../places.ts';
import { t } from '../words.ts';

export function CameraVerdict({
  health,
}: {
  /** Null: not known yet; it keeps its place. */
  readonly health: Pick<CameraHealth, 'cameras' | 'attention'> | null;
}) {
  if (health === null) return <p class="verdict" aria-hidden="true" />;
  const { cameras, attention: needing } = health;
  const { count, attention, paused, unchecked, fine } = verdictOf(cameras, needing);
  if (count === 0) return null;
  return (
    <p class="verdict">
      {attention > 0 ? (
        <a class="sign offline" href={place('?state=attention')}>
          {count === 1
            ? t('Your camera needs attention')
            : t(
                '{attention, plural, one {# of {count} cameras needs attention} other {# of {count} cameras need attention}}',
                { attention, count },
              )}
        </a>
      ) : (
        <span class="sign live">
          {fine === count
            ? t('{count, plural, one {Your camera is fine} other {All # cameras are fine}}', { count })
            : t('No camera needs attention')}
        </span>
      )}
      {paused > 0 && (
        <a href={place('?state=paused')}>
          {t('{count, plural, one {# is offline and paused} other {# are offline and paused}}', {
            count: paused,
          })}
        </a>
      )}
      {unchecked > 0 && (
        <a href={place('?state=unknown')}>
          {t('{count, plural, one {# was not checked yet} other {# were not checked yet}}', {
            count: unchecked,
          })}
        </a>
      )}
    </p>
  );
}
