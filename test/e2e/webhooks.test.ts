/** Webhooks of lockdown rules when the gateway is killed: every acknowledged report takes effect. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import { FakeWebhookHost } from '../../src/webhooks/fake-webhook-host.ts';
import { TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

const CRASHES = 3;
const REPORTS_PER_CRASH = 20;

let host: FakeWebhookHost;
let gateway: TestGateway;

beforeAll(async () => {
  host = await FakeWebhookHost.open();
  gateway = await TestGateway.start({
    webhooks: { allowPrivateNetworks: true },
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await host?.close();
});

it('kill -9 loses no call of a rule whose trigger was acknowledged', async () => {
  const location = { name: 'Pier', tz: 'UTC' };
  const { uuid: locationUuid } = await gateway.call('location/createLocation', { location });
  const rule = {
    locationUuid,
    ruleName: 'Panic',
    triggerActivity: 'PANIC_BUTTON',
    action: { webhookActions: [{ webhookUrl: host.url() }] },
  };
  const created = await gateway.call('accesscontrol/lockdownPlan/createLockdownRuleForLocation', { rule });
  expect(created.error).toBe(false);

  const acknowledged = new Set<string>();
  for (let crash = 0; crash < CRASHES; crash++) {
    const goal = acknowledged.size + REPORTS_PER_CRASH;
    const report = async (): Promise<void> => {
      for (;;) {
        const deviceUuid = newRuuid();
        const row = { uuid: newRuuid(), deviceUuid, locationUuid, policyAlertTriggers: ['PANIC_BUTTON'] };
        const response = await gateway.call('ingest/policyAlerts', {
          rows: [{ ...row, timestampMs: Date.now() }],
        });
        if (response.acceptedCount === 1) acknowledged.add(deviceUuid);
      }
    };
    const loops = Array.from({ length: 4 }, () => report().catch((error: unknown) => error));
    await until('reports', () => acknowledged.size >= goal);
    gateway.child.process.kill('SIGKILL');
    await Promise.all(loops);
    await gateway.child.exited;
    await gateway.run();
  }
  await until('every call', () => {
    const called = new Set(host.calls.map(({ body }) => JSON.parse(body).deviceUuid));
    return [...acknowledged].every((deviceUuid) => called.has(deviceUuid));
  });
});
