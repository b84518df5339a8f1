/** Calls to webhooks as rows; one opens with its attempts. */

import { useState } from 'preact/hooks';
import { attemptText, type Delivery } from '../webhook-list.ts';
import { Dialog } from './dialog.tsx';
import { Facts } from './facts.tsx';
import { NextTry } from './next-try.tsx';
import { Notice } from './notice.tsx';
import { RecordTable } from './record-table.tsx';
import { ExactTime, TimeAgo } from './time.tsx';

const STATES: Readonly<Record<Delivery['state'], readonly [title: string, sign: string]>> = {
  DELIVERED: ['Delivered', 'live'],
  PENDING: ['Waiting', 'connecting'],
  FAILED: ['Failed', 'offline'],
};
const EVENTS: Readonly<Record<string, string>> = {
  activity: 'Alert',
  diagnostic: 'Device health',
  lockdownRule: 'Lockdown rule',
};

export function DeliveryTable({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const [open, setOpen] = useState<Delivery | null>(null);
  if (deliveries.length === 0) {
    return (
      <Notice title="No call was made yet">
        <p>Each call appears here with its result and its attempts.</p>
      </Notice>
    );
  }
  return (
    <>
      <RecordTable
        name="deliveries"
        label="Calls"
        items={deliveries}
        keyOf={({ uuid }) => uuid}
        columns={[
          {
            title: 'Address',
            cell: (delivery) => (
              <button type="button" class="link" onClick={() => setOpen(delivery)}>
                {delivery.url}
              </button>
            ),
          },
          { title: 'Result', cell: ({ state }) => <DeliverySign state={state} /> },
          { title: 'When', cell: ({ createdAtMillis }) => <TimeAgo epochMs={createdAtMillis} /> },
          { title: 'About', cell: ({ event }) => EVENTS[event] ?? event },
          { title: 'Last attempt', cell: ({ attempts }) => attemptText(attempts.at(-1)) },
        ]}
      />
      {open !== null && <AttemptsDialog delivery={open} onClose={() => setOpen(null)} />}
    </>
  );
}

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
    <Dialog title="Call to a webhook" onClose={onClose}>
      <div class="dialog-body">
        <Facts
          facts={[
            ['Address', url],
            ['About', EVENTS[event] ?? event],
            ['Result', <DeliverySign key="state" state={state} />],
            ['Created', <ExactTime key="created" epochMs={createdAtMillis} />],
            ['Then', nextAttemptAtMs === undefined ? null : <NextTry key="next" atMs={nextAttemptAtMs} />],
            ['Delivery', <code key="uuid">{uuid}</code>],
          ]}
        />
        <h3>Attempts</h3>
        {attempts.length === 0 && <p class="hint">None yet.</p>}
        <ol class="attempts">
          {attempts.map((attempt) => (
            <li key={attempt.timestampMs}>
              <ExactTime epochMs={attempt.timestampMs} />: {attemptText(attempt)}, {attempt.durationMs} ms
            </li>
          ))}
        </ol>
      </div>
    </Dialog>
  );
}
