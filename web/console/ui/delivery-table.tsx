/** Calls to webhooks as rows; one opens with its attempts. */

import { useState } from 'preact/hooks';
import type { StateFilter } from '../state-filter.ts';
import { attemptText, type Delivery } from '../webhook-list.ts';
import { t, tRich } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { Facts } from './facts.tsx';
import { NextTry } from './next-try.tsx';
import { Notice } from './notice.tsx';
import { RecordTable } from './record-table.tsx';
import { ExactTime, TimeAgo } from './time.tsx';

const STATES: Readonly<Record<Delivery['state'], readonly [title: string, sign: string]>> = {
  DELIVERED: [t('Delivered'), 'live'],
  PENDING: [t('Waiting'), 'connecting'],
  FAILED: [t('Failed'), 'offline'],
};
const EVENTS: Readonly<Record<string, string>> = {
  activity: t('Alert'),
  diagnostic: t('Device health'),
  lockdownRule: t('Lockdown rule'),
};

export function DeliveryTable({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const [open, setOpen] = useState<Delivery | null>(null);
  if (deliveries.length === 0) {
    return (
      <Notice title={t('No call was made yet')}>
        <p>{t('Each call appears here with its result and its attempts.')}</p>
      </Notice>
    );
  }
  return (
    <>
      <RecordTable
        name="deliveries"
        label={t('Calls')}
        items={deliveries}
        keyOf={({ uuid }) => uuid}
        states={DELIVERY_STATES}
        columns={[
          {
            title: t('Address'),
            cell: (delivery) => (
              <button type="button" class="link" onClick={() => setOpen(delivery)}>
                {delivery.url}
              </button>
            ),
          },
          { title: t('Result'), cell: ({ state }) => <DeliverySign state={state} /> },
          { title: t('When'), cell: ({ createdAtMillis }) => <TimeAgo epochMs={createdAtMillis} /> },
          { title: t('About'), cell: ({ event }) => EVENTS[event] ?? event },
          { title: t('Last attempt'), cell: ({ attempts }) => attemptText(attempts.at(-1)) },
        ]}
      />
      {open !== null && <AttemptsDialog delivery={open} onClose={() => setOpen(null)} />}
    </>
  );
}

const DELIVERY_STATES: StateFilter<Delivery> = {
  states: [
    { value: 'FAILED', title: t('Failed'), isBad: true },
    { value: 'PENDING', title: t('Waiting') },
    { value: 'DELIVERED', title: t('Delivered') },
  ],
  of: ({ state }) => state,
};

function DeliverySign({ state }: { readonly state: Delivery['state'] }) {
  const [title, sign] = STATES[state];
  return <span class={`sign ${sign}`}>{title}</span>;
}

function AttemptsDialog({
  delivery,
  onClose,
}: {
  readonly delivery: Delivery;
  readonly onClose: () => void;
}) {
  const { url, state, attempts, nextAttemptAtMs, createdAtMillis, event, uuid } = delivery;
  return (
    <Dialog title={t('Call to a webhook')} onClose={onClose}>
      <div class="dialog-body">
        <Facts
          facts={[
            [t('Address'), url],
            [t('About'), EVENTS[event] ?? event],
            [t('Result'), <DeliverySign key="state" state={state} />],
            [t('Created'), <ExactTime key="created" epochMs={createdAtMillis} />],
            [t('Then'), nextAttemptAtMs === undefined ? null : <NextTry key="next" atMs={nextAttemptAtMs} />],
            [t('Delivery'), <code key="uuid">{uuid}</code>],
          ]}
        />
        <h3>{t('Attempts')}</h3>
        {attempts.length === 0 && <p class="hint">{t('None yet.')}</p>}
        <ol class="attempts">
          {attempts.map((attempt) => (
            <li key={attempt.timestampMs}>
              {tRich('{time}: {attempt}, {durationMs} ms', {
                time: <ExactTime epochMs={attempt.timestampMs} />,
                attempt: attemptText(attempt),
                durationMs: attempt.durationMs,
              })}
            </li>
          ))}
        </ol>
      </div>
    </Dialog>
  );
}
