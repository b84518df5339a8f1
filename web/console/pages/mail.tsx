/** Mail: the server and a test of it, how mails appear, and every mail with what became of it. */

import { useState } from 'preact/hooks';
import { type MailSettings, readMailSettings, readMails, saveMailSettings } from '../mail-list.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { session } from '../session.ts';
import { TextField } from '../ui/field.tsx';
import { FormError } from '../ui/form-error.tsx';
import { MailTable } from '../ui/mail-table.tsx';
import { MailTest } from '../ui/mail-test.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageTabs } from '../ui/page-tabs.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { useAction } from '../ui/use-action.ts';
import { t } from '../words.ts';
import { MAIL_TABS } from './mail-tabs.ts';

export function MailPage() {
  usePageTitle(t('Mail'));
  const settings = useReading(readMailSettings, [], ({ entity }) => entity === 'GATEWAY_SETTINGS');
  const mails = useReading(readMails, [], ({ entity }) => entity === 'POLICY_ALERT');
  return (
    <>
      <h1>{t('Mail')}</h1>
      <PageTabs label={t('Mail')} tabs={MAIL_TABS} />
      <ReadingView reading={settings} what={t('the mail settings')}>
        {(known) => (
          <>
            <Server settings={known} onTested={mails.refresh} />
            {known.isSetUp && <Appearance settings={known} onSaved={settings.refresh} />}
          </>
        )}
      </ReadingView>
      <div class="section-head">
        <h2>{t('Mails')}</h2>
        <button type="button" onClick={mails.refresh}>
          {t('Refresh')}
        </button>
      </div>
      <ReadingView reading={mails} what={t('the mails')}>
        {(all) => <MailTable mails={all} />}
      </ReadingView>
    </>
  );
}

function Server({
  settings: { isSetUp, senderAddress = '' },
  onTested,
}: {
  readonly settings: MailSettings;
  readonly onTested: () => void;
}) {
  const toSettings = place('settings?text=mail.');
  if (!isSetUp) {
    return (
      <Notice title={t('The gateway sends no mail yet')}>
        <p>{t('Alerts, invitations, and links can go out by mail. Name the mail server that takes them.')}</p>
        <a class="button primary" href={toSettings}>
          {t('Set up the mail server')}
        </a>
      </Notice>
    );
  }
  return (
    <section class="part" aria-labelledby="mail-server">
      <h2 id="mail-server">{t('Mail server')}</h2>
      <p>{t('Mails come from {address}.', { address: senderAddress })}</p>
      <MailTest email={session.value?.person.email ?? ''} onTested={onTested} />
      <p>
        <a href={toSettings}>{t('Change the mail server')}</a>
      </p>
    </section>
  );
}

function Appearance({
  settings,
  onSaved,
}: {
  readonly settings: MailSettings;
  readonly onSaved: () => void;
}) {
  const [senderName, setSenderName] = useState(settings.senderName ?? '');
  const [replyTo, setReplyTo] = useState(settings.replyTo ?? '');
  const [isSaved, setIsSaved] = useState(false);
  const { isBusy, error, run } = useAction();
  return (
    <section class="part" aria-labelledby="mail-appearance">
      <h2 id="mail-appearance">{t('How mails of your organization appear')}</h2>
      <form
        class="mail-appearance"
        onSubmit={(event) => {
          event.preventDefault();
          void run(async () => {
            await saveMailSettings(senderName, replyTo);
            setIsSaved(true);
            onSaved();
          });
        }}
      >
        <TextField
          label={t('Name of the sender')}
          hint={t('Empty: the name that the gateway’s settings have.')}
          maxLength={200}
          value={senderName}
          onValue={setSenderName}
        />
        <TextField
          label={t('Replies go to')}
          type="email"
          hint={t('Empty: to the sender, where often no one reads them.')}
          value={replyTo}
          onValue={setReplyTo}
        />
        <div class="buttons">
          <button type="submit" disabled={isBusy}>
            {t('Save')}
          </button>
        </div>
        <p role="status">{isSaved && t('Saved.')}</p>
        <FormError error={error} />
      </form>
    </section>
  );
}
