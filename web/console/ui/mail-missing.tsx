/** Where alarms go out by mail: that none does, because no server is set up. */

import { place } from '../places.ts';
import { t } from '../words.ts';

export function MailMissing() {
  return (
    <section class="notice failed" role="alert">
      <h2>{t('Nobody gets mail')}</h2>
      <p>{t('The gateway sends no mail yet.')}</p>
      <a class="button" href={place('settings?text=mail.')}>
        {t('Set up the mail server')}
      </a>
    </section>
  );
}
