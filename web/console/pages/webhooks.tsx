/** Webhooks: who is notified of what, and every call with its attempts. */

import { useState } from 'preact/hooks';
import { usePageTitle } from '../page-title.ts';
import { useReading } from '../reading.ts';
import type { StateFilter } from '../state-filter.ts';
import { CopyField } from '../ui/copy-field.tsx';
import { DeliveryTable } from '../ui/delivery-table.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DialogFooter } from '../ui/dialog-footer.tsx';
import { Facts } from '../ui/facts.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageTabs } from '../ui/page-tabs.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { SelectField } from '../ui/select.tsx';
import { useAction } from '../ui/use-action.ts';
import { WebhookTest } from '../ui/webhook-test.tsx';
import {
  putWebhook,
  readDeliveries,
  readWebhooks,
  removeWebhook,
  TOPIC_NAMES,
  type Webhook,
  type WebhookSet,
} from '../webhook-list.ts';
import { t, tRich } from '../words.ts';
import { INTEGRATION_TABS } from './integration-tabs.ts';

type Opened = { readonly kind: 'add' } | { readonly kind: 'webhook' | 'remove'; readonly webhook: Webhook };

export function WebhooksPage() {
  usePageTitle(t('Webhooks'));
  const webhooks = useReading(readWebhooks, []);
  const deliveries = useReading(readDeliveries, [], ({ entity }) => entity === 'POLICY_ALERT');
  const [opened, setOpened] = useState<Opened | null>(null);
  return (
    <>
      <div class="page-head">
        <h1>{t('Webhooks')}</h1>
        <button type="button" class="primary" onClick={() => setOpened({ kind: 'add' })}>
          <Icon name="plus" /> {t('Add webhook')}
        </button>
      </div>
      <PageTabs label={t('Integrations')} tabs={INTEGRATION_TABS} />
      <h2>{t('Addresses')}</h2>
      <ReadingView reading={webhooks} what={t('webhooks')}>
        {(known) => <Addresses known={known} open={(kind, webhook) => setOpened({ kind, webhook })} />}
      </ReadingView>
      <div class="section-head">
        <h2>{t('Calls')}</h2>
        <button type="button" onClick={deliveries.refresh}>
          {t('Refresh')}
        </button>
      </div>
      <ReadingView reading={deliveries} what={t('calls')}>
        {(calls) => <DeliveryTable deliveries={calls} />}
      </ReadingView>
      {opened !== null && (
        <WebhookDialog
          opened={opened}
          setOpened={setOpened}
          changed={() => {
            webhooks.refresh();
            deliveries.refresh();
          }}
        />
      )}
    </>
  );
}

function Addresses({
  known: { webhooks, isEnabled },
  open,
}: {
  readonly known: WebhookSet;
  readonly open: (kind: 'webhook' | 'remove', webhook: Webhook) => void;
}) {
  if (webhooks.length === 0) {
    return (
      <Notice title={t('No one is notified yet')} draws="webhooks">
        <p>
          {t('Add the address of a program that should know about alerts or about the health of devices.')}
        </p>
      </Notice>
    );
  }
  return (
    <>
      {isEnabled === false && (
        <p class="outdated">{t('All of these are off, because the integration is off.')}</p>
      )}
      <RecordTable
        name="webhooks"
        label={t('Addresses')}
        items={webhooks}
        keyOf={({ topic, url }) => `${topic} ${url}`}
        states={WEBHOOK_STATES}
        columns={[
          {
            title: t('Address'),
            cell: (webhook) => (
              <button type="button" class="link" onClick={() => open('webhook', webhook)}>
                {webhook.url}
              </button>
            ),
          },
          { title: t('Notified of'), cell: ({ topic }) => TOPIC_NAMES[topic] },
          { title: t('State'), cell: ({ isDisabled }) => (isDisabled ? t('Off') : t('On')) },
        ]}
        actions={(webhook) => (
          <>
            <button
              type="button"
              class="quiet"
              aria-label={t('Test or edit {name}', { name: webhook.url })}
              onClick={() => open('webhook', webhook)}
            >
              {t('Test or edit')}
            </button>
            <button
              type="button"
              class="quiet danger"
              aria-label={t('Delete {name}', { name: webhook.url })}
              onClick={() => open('remove', webhook)}
            >
              {t('Delete')}
            </button>
          </>
        )}
      />
    </>
  );
}

const WEBHOOK_STATES: StateFilter<Webhook> = {
  states: [
    { value: 'on', title: t('On') },
    { value: 'off', title: t('Off') },
  ],
  of: ({ isDisabled }) => (isDisabled ? 'off' : 'on'),
};

function WebhookDialog({
  opened,
  setOpened,
  changed,
}: {
  readonly opened: Opened;
  readonly setOpened: (opened: Opened | null) => void;
  readonly changed: () => void;
}) {
  const close = () => setOpened(null);
  switch (opened.kind) {
    case 'add':
      return (
        <AddDialog
          onClose={close}
          onAdded={(webhook) => {
            changed();
            setOpened({ kind: 'webhook', webhook });
          }}
        />
      );
    case 'webhook':
      return (
        <OneWebhook
          webhook={opened.webhook}
          changed={changed}
          remove={() => setOpened({ kind: 'remove', webhook: opened.webhook })}
          onClose={close}
        />
      );
    case 'remove':
      return (
        <FormDialog
          title={t('Remove this webhook?')}
          submit={t('Remove webhook')}
          isDanger
          onSubmit={async () => {
            await removeWebhook(opened.webhook);
            changed();
            close();
          }}
          onClose={close}
        >
          <p class="break">
            {tRich('<b>{url}</b> is no longer notified. Its secret is lost.', {
              url: opened.webhook.url,
              b: (text) => <b>{text}</b>,
            })}
          </p>
        </FormDialog>
      );
  }
}

function OneWebhook({
  webhook,
  changed,
  remove,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly changed: () => void;
  readonly remove: () => void;
  readonly onClose: () => void;
}) {
  const { isBusy, error, run } = useAction();
  const { url, topic, isDisabled, secret } = webhook;
  const turn = async () => {
    if (topic === 'rule') return;
    await putWebhook(url, topic, !isDisabled);
    changed();
    onClose();
  };
  return (
    <Dialog title={t('Webhook')} onClose={onClose}>
      <div class="dialog-body">
        <Facts
          facts={[
            [t('Address'), url],
            [t('Notified of'), TOPIC_NAMES[topic]],
            [t('State'), isDisabled ? t('Off') : t('On')],
          ]}
        />
        <CopyField label={t('Secret')} value={secret} />
        <p class="hint">
          {tRich(
            'Each call is signed with it in <code>x-sluice-signature</code>, so that the program that receives the calls can tell them from others.',
            { code: (text) => <code>{text}</code> },
          )}
        </p>
        <WebhookTest url={url} onTested={changed} />
        {topic === 'rule' && (
          <p class="hint">{t('Lockdown rules call it. It goes when no rule names it.')}</p>
        )}
        <FormError error={error} />
      </div>
      <DialogFooter
        others={
          topic !== 'rule' && (
            <>
              <button type="button" onClick={remove}>
                {t('Remove')}
              </button>
              <button type="button" disabled={isBusy} onClick={() => void run(turn)}>
                {isDisabled ? t('Turn on') : t('Turn off')}
              </button>
            </>
          )
        }
      >
        <button type="button" class="primary" onClick={onClose}>
          {t('Done')}
        </button>
      </DialogFooter>
    </Dialog>
  );
}

function AddDialog({
  onAdded,
  onClose,
}: {
  readonly onAdded: (webhook: Webhook) => void;
  readonly onClose: () => void;
}) {
  const [url, setUrl] = useState('');
  const [topic, setTopic] = useState<'activity' | 'diagnostic'>('activity');
  return (
    <FormDialog
      title={t('Add webhook')}
      submit={t('Add webhook')}
      onSubmit={async () => onAdded(await putWebhook(url.trim(), topic, false))}
      onClose={onClose}
    >
      <TextField
        label={t('Address')}
        type="url"
        isRequired
        value={url}
        onValue={setUrl}
        hint={t('http or https')}
      />
      <SelectField
        label={t('Notified of')}
        value={topic}
        options={[
          { value: 'activity', title: t('Alerts') },
          { value: 'diagnostic', title: t('Device health') },
        ]}
        onValue={setTopic}
      />
    </FormDialog>
  );
}
