import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { ALARM_VENDOR, SwitchedIntegration } from '../../integrations/org-integrations.ts';
import { WebhookIntegration } from '../../integrations/webhook-integration.ts';
import { sampleLocation, sampleOrganization } from '../../store/sample-entities-fixture.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import { WebhookRegistry } from '../../webhooks/webhook-registry.ts';
import { DoorService } from '../access-control/door-service.ts';
import { BadgeVendorA } from './badge-vendor-a.ts';

let clock: FakeClock;
let store: Store;
let orgUuid: Ruuid;
let places: readonly Ruuid[];
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
  const locations = [sampleLocation(orgUuid), sampleLocation(orgUuid)];
  for (const location of locations) await store.locations.save(location);
  places = locations.map(({ uuid }) => uuid);
});
afterEach(() => store.close());

describe('the badge integration', () => {
  it('is off without a valid token, and leaves out invalid doors', async () => {
    const badges = new BadgeVendorA({ store, clock });
    const doors = new DoorService({ store, clock });
    await doors.report(orgUuid, [
      { uuid: newRuuid(), ownerDeviceUuid: newRuuid(), name: 'lobby', locationUuid: places[1]! },
    ]);
    const doorInfoMap = {
      one: { doorName: 'Lobby', locationUuid: places[0]! },
      two: { doorName: ' ' },
      three: { doorName: 'Dock', locationUuid: newRuuid() },
    };
    const outcome = await badges.update(orgUuid, { doorInfoMap }, 'key');
    expect(outcome).toEqual({
      authError: true,
      failedGuids: ['two', 'three'],
      misconfiguredDoors: ['Lobby'],
    });
    expect(await badges.find(orgUuid)).toMatchObject({
      tokenValid: false,
      integration: { body: { enabled: false, doorInfoMap: { one: { doorName: 'Lobby' } } } },
    });
    expect(await badges.update(orgUuid, { enabled: true, apiToken: 'token' }, 'key')).toMatchObject({
      authError: false,
    });
    expect(await badges.find(orgUuid)).toMatchObject({ integration: { body: { enabled: true } } });
  });
});

describe('an integration that is turned on and off', () => {
  it('is on when new, keeps what a change leaves out, and says who changed it', async () => {
    const alarms = new SwitchedIntegration(store, ALARM_VENDOR, clock);
    expect(await alarms.find(orgUuid)).toBeNull();
    const userUuid = newRuuid();
    await alarms.set(orgUuid, { userUuid }, 'key');
    await alarms.set(orgUuid, { enabled: false }, 'other key');
    expect(await alarms.find(orgUuid)).toMatchObject({
      body: { enabled: false, userUuid, audit: [{ user: 'other key' }, { user: 'key', userUuid }] },
    });
    await alarms.remove(orgUuid);
    expect(await alarms.find(orgUuid)).toBeNull();
  });
});

describe('the webhook integration', () => {
  it('replaces the addresses of a topic, keeps their secrets, and can be deleted', async () => {
    const registry = new WebhookRegistry(store, clock);
    const integration = new WebhookIntegration({ store, registry, clock });
    expect(await integration.find(orgUuid)).toBeNull();
    const added = { url: 'https://hook.example/a', topic: 'activity', disabled: false } as const;
    const secret = await integration.update(orgUuid, { webhooks: {}, added }, 'key');
    expect(await integration.isEnabled(orgUuid)).toBe(true);
    const activity = { 'https://hook.example/a': {}, 'https://hook.example/b': { webhookSecret: 'own' } };
    await integration.update(orgUuid, { enabled: false, webhooks: { activity } }, 'key');
    const known = await integration.find(orgUuid);
    // In no particular order: both were created in one millisecond.
    const kept = known?.webhooks.map(({ body, secret: own }) => [body.url, own?.reveal()]);
    expect(kept?.toSorted()).toEqual([
      ['https://hook.example/a', secret?.reveal()],
      ['https://hook.example/b', 'own'],
    ]);
    expect(await integration.isEnabled(orgUuid)).toBe(false);
    await integration.remove(orgUuid);
    expect(await integration.find(orgUuid)).toBeNull();
    await integration.remove(orgUuid);
    expect(await integration.find(orgUuid)).toBeNull();
  });

  it('refuses addresses that cannot be called, before it changes anything', async () => {
    const integration = new WebhookIntegration({ store, registry: new WebhookRegistry(store, clock), clock });
    const webhooks = { diagnostic: { 'ftp://hook.example/': {} } };
    await expect(integration.update(orgUuid, { webhooks }, 'key')).rejects.toMatchObject({
      code: 'WEBHOOK_ADDRESS_INVALID',
      context: { topic: 'diagnostic' },
    });
    expect(await integration.find(orgUuid)).toBeNull();
  });
});
