/** Sends a link by mail, where the gateway can. */

import { useState } from 'preact/hooks';
import { sendLinkMail } from '../mail-list.ts';
import { session } from '../session.ts';
import { t } from '../words.ts';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { useAction } from './use-action.ts';

export function SendByMail({
  url,
  name,
  address = '',
}: {
  readonly url: string;
  /** What the link shows, or who is invited. */
  readonly name: string;
  readonly address?: string;
}) {
  const [to, setTo] = useState(address);
  const [sentTo, setSentTo] = useState('');
  const { isBusy, error, run } = useAction();
  if (session.value?.sendsMail !== true) return null;
  return (
    <form
      class="send-by-mail"
      onSubmit={(event) => {
        event.preventDefault();
        void run(async () => {
          await sendLinkMail(to, url, name);
          setSentTo(to);
        });
      }}
    >
      <TextField label={t('Send by mail to')} type="email" isRequired value={to} onValue={setTo} />
      <button type="submit" disabled={isBusy}>
        {isBusy ? t('Sending…') : t('Send mail')}
      </button>
      <p role="status">{sentTo !== '' && t('The mail to {to} is on its way.', { to: sentTo })}</p>
      <FormError error={error} />
    </form>
  );
}
