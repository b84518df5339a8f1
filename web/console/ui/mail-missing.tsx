/** Where alarms go out by mail: that none does, because no server is set up. */

import { MAIL_SETTINGS_PLACE } from '../mail-list.ts';
import { t } from '../words.ts';

/** `text`: what that means here. */
export function MailMissing({ text }: { readonly text: string }) {
  return (
    <section class="notice failed" role="alert">
      <h2>{t('No mail server is set up')}</h2>
      <p>{text}</p>
      <a class="button" href={MAIL_SETTINGS_PLACE}>
        {t('Set up the mail server')}
      </a>
    </section>
  );
}
