/**
 * Makes deliveries in its own process, for the tests of several gateways on one database. Takes one argument, a
 * DeliveryTask as JSON, and prints `ready`. It begins after a line on its standard input. It prints `1` for each delivery
 * that it has logged, and ends when its standard input does.
 */

import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { openTaskStore } from '../store/change-writer-fixture.ts';
import { WebhookDeliveries } from './webhook-deliveries.ts';

export interface DeliveryTask {
  readonly database: string;
  readonly fieldKeyHex: string;
  readonly orgUuid: Ruuid;
  readonly url: string;
  /** The deliveries to make. The worker also makes those that others left. */
  readonly uuids: readonly Ruuid[];
}

async function work(task: DeliveryTask): Promise<void> {
  const { orgUuid, url } = task;
  const store = await openTaskStore(task);
  const deliveries = new WebhookDeliveries({
    store,
    clock: systemClock,
    log: silentLog,
    allowPrivateNetworks: true,
  });
  await deliveries.resume();
  print('ready');
  await once(process.stdin, 'data');
  for (const uuid of task.uuids) {
    await deliveries.send({
      uuid,
      orgUuid,
      causeUuid: orgUuid,
      event: 'lockdown',
      url,
      headers: {},
      payload: '{}',
      signingSecret: 'shared',
      oauthClient: null,
    });
    print('1');
  }
  await once(process.stdin, 'end');
  await deliveries.close();
  await store.close();
}

function print(line: string): void {
  writeSync(process.stdout.fd, `${line}\n`);
}

const [, , argument] = process.argv;
if (import.meta.main && argument !== undefined) await work(JSON.parse(argument) as DeliveryTask);
