/** Mails as rows; one opens with its attempts and the words of the mail server. */

import { useState } from 'preact/hooks';
import { attemptWords, lastWords, MAIL_TOPICS, type Mail } from '../mail-list.ts';
import { t, tRich } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { Facts } from './facts.tsx';
import { NextTry } from './next-try.tsx';
import { Notice } from './notice.tsx';
import { RecordTable } from './record-table.tsx';
import { ExactTime, TimeAgo } from './time.tsx';

const STATES: Readonly<Record<Mail['state'], readonly [title: string, sign: string]>> = {
  DELIVERED: [t('Sent'), 'live'],
  PENDING: [t('Waiting'), 'connecting'],
  FAILED: [t('Failed'), 'offline'],
};

export function MailTable({ mails }: { readonly mails: readonly Mail[] }) {
  const [open, setOpen] = useState<Mail | null>(null);
  if (mails.length === 0) {
    return (
      <Notice title={t('No mail was sent yet')}>
        <p>{t('Each mail appears here with what the mail server said.')}</p>
      </Notice>
    );
  }
  return (
    <>
      <RecordTable
        name="mails"
        label={t('Mails')}
        items={mails}
        keyOf={({ mailUuid }) => mailUuid}
        columns={[
          {
            title: t('To'),
            cell: (mail) => (
              <button type="button" class="link" onClick={() => setOpen(mail)}>
                {mail.to || t('Not sent yet')}
              </button>
            ),
            sortBy: ({ to }) => to,
          },
          { title: t('Result'), cell: ({ state }) => <MailSign state={state} /> },
          { title: t('When'), cell: ({ createdAtMs }) => <TimeAgo epochMs={createdAtMs} /> },
          { title: t('About'), cell: ({ topic, subject }) => subject || MAIL_TOPICS[topic] },
          { title: t('The mail server said'), cell: (mail) => lastWords(mail) },
        ]}
      />
      {open !== null && <MailDialog mail={open} onClose={() => setOpen(null)} />}
    </>
  );
}

function MailSign({ state }: { readonly state: Mail['state'] }) {
  const [title, sign] = STATES[state];
  return <span class={`sign ${sign}`}>{title}</span>;
}

function MailDialog({ mail, onClose }: { readonly mail: Mail; readonly onClose: () => void }) {
  const { to, subject, topic, state, attempts, nextAttemptAtMs, createdAtMs, mailUuid } = mail;
  return (
    <Dialog title={t('Mail')} onClose={onClose}>
      <div class="dialog-body">
        <Facts
          facts={[
            [t('To'), to],
            [t('Subject'), subject],
            [t('About'), MAIL_TOPICS[topic]],
            [t('Result'), <MailSign key="state" state={state} />],
            [t('Created'), <ExactTime key="created" epochMs={createdAtMs} />],
            [t('Then'), nextAttemptAtMs === undefined ? null : <NextTry key="next" atMs={nextAttemptAtMs} />],
            [t('Message ID'), <code key="uuid">{mailUuid}</code>],
          ]}
        />
        <h3>{t('Attempts')}</h3>
        {attempts.length === 0 && <p class="hint">{t('None yet.')}</p>}
        <ol class="attempts">
          {attempts.map((attempt) => (
            <li key={attempt.timestampMs}>
              {tRich('{time}: {attempt}, {durationMs} ms', {
                time: <ExactTime epochMs={attempt.timestampMs} />,
                attempt: attemptWords(attempt),
                durationMs: attempt.durationMs,
              })}
            </li>
          ))}
        </ol>
      </div>
    </Dialog>
  );
}
