import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { isAllowedAddress } from '../sources/network/camera-address.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { AddressRules } from './address-rules.ts';
import { OrganizationNetworks } from './organization-networks.ts';

describe('the rule for an address', () => {
  let store: Store;
  let networks: OrganizationNetworks;
  let own: Ruuid;
  let other: Ruuid;
  const open = async (operatorNetworks: readonly string[] = []) => {
    networks = await OrganizationNetworks.open({ store, operatorNetworks, log: silentLog });
    return new AddressRules({ undeclaredReach: 'no-local', networks });
  };
  beforeEach(async () => {
    store = await openTestStore(new FakeClock());
    const organizations = [sampleOrganization({ cameraNetworks: ['10.0.0.0/8'] }), sampleOrganization()];
    for (const organization of organizations) await store.organizations.save(organization);
    [own, other] = organizations.map(({ uuid }) => uuid) as [Ruuid, Ruuid];
  });
  afterEach(async () => {
    networks.stop();
    await store.close();
  });

  it('is what each organization states for its own cameras', async () => {
    const rules = await open();
    const ofOwn = rules.for({ reach: 'no-local', orgUuid: own });
    const ofOther = rules.for({ reach: 'no-local', orgUuid: other });
    for (const [address, isOwn, isOther] of [
      ['10.1.2.3', true, true],
      ['192.168.1.1', false, true],
      ['127.0.0.1', false, false],
    ] as const) {
      expect([address, isAllowedAddress(address, ofOwn)]).toEqual([address, isOwn]);
      expect([address, isAllowedAddress(address, ofOther)]).toEqual([address, isOther]);
    }
  });

  it('changes with the next connection, and reports whose has changed', async () => {
    const rules = await open();
    const changed: Ruuid[] = [];
    networks.onChange((orgUuid) => changed.push(orgUuid));
    const rule = rules.for({ reach: 'no-local', orgUuid: own });
    await store.organizations.change(own, { cameraNetworks: ['192.168.0.0/16'] });
    await eventually('the new network holds', () => isAllowedAddress('192.168.1.1', rule));
    expect(isAllowedAddress('10.1.2.3', rule)).toBe(false);
    await store.organizations.change(own, { name: 'Renamed' });
    await store.organizations.change(other, { cameraNetworks: ['10.9.0.0/16'] });
    await eventually('the other’s change is reported', () => changed.length > 1);
    expect(changed).toEqual([own, other]);
  });

  it('has the operator’s networks as its outer bound, except for what the operator declared', async () => {
    const rules = await open(['10.1.0.0/16', '172.16.0.0/12']);
    const rule = rules.for({ reach: 'no-local', orgUuid: own });
    expect(isAllowedAddress('10.1.2.3', rule)).toBe(true);
    expect(isAllowedAddress('10.2.2.3', rule)).toBe(false);
    expect(isAllowedAddress('172.16.1.1', rule)).toBe(false);
    expect(isAllowedAddress('172.16.1.1', rules.for({ reach: 'no-local', orgUuid: other }))).toBe(true);
    expect(isAllowedAddress('192.168.1.1', rules.for({ reach: 'anywhere', orgUuid: own }))).toBe(true);
  });

  it('can be sent to another thread as it is now', async () => {
    const rules = await open(['10.0.0.0/8']);
    const sent = structuredClone(rules.for({ reach: 'no-local', orgUuid: own }));
    expect(sent).toEqual({
      reach: 'no-local',
      orgUuid: own,
      networks: { operator: ['10.0.0.0/8'], organization: ['10.0.0.0/8'] },
    });
  });
});
