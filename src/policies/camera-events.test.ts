import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { GatewayError } from '../core/errors.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { type Log, silentLog } from '../core/log.ts';
import { CredentialUrl } from '../core/secret.ts';
import { AddressRules } from '../devices/address-rules.ts';
import { OrganizationNetworks } from '../devices/organization-networks.ts';
import { FakeNetwork } from '../sources/network/fake-network.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { CameraEvents } from './camera-events.ts';

const organization = sampleOrganization({ cameraNetworks: ['10.0.0.0/8'] });
const { uuid: orgUuid } = organization;
const OWN = '10.1.1.1';
/** Longer than any pause between attempts. */
const RETRY_MS = 600_000;
const network = new FakeNetwork();

let clock: FakeClock;
let store: Store;
let networks: OrganizationNetworks;
let events: CameraEvents;
let lost: string[];

beforeEach(async () => {
  network.install();
  lost = [];
  clock = new FakeClock();
  store = await openTestStore(clock);
  await store.organizations.save(organization);
  networks = await OrganizationNetworks.open({
    store,
    log: silentLog,
    operatorNetworks: ['10.0.0.0/8', '192.168.0.0/16'],
  });
});
afterEach(async () => {
  await events.close();
  networks.stop();
  await store.close();
  vi.restoreAllMocks();
});

async function subscribe(host: string): Promise<void> {
  const note = ({ err }: { err?: GatewayError }) => void lost.push(err!.code);
  const log = { ...silentLog, warn: note, debug: note, child: () => log } as Log;
  const onvifUrl = new CredentialUrl(`http://${host}/onvif/device_service`);
  await store.cameras.save(sampleCamera(orgUuid, { fromConfig: false, onvifUrl }));
  events = await CameraEvents.start({
    store,
    clock,
    log,
    random: () => 0,
    placedHere: null,
    addressRules: new AddressRules({ undeclaredReach: 'no-local', networks }),
    onSeen: () => undefined,
    onClock: () => undefined,
  });
}

/** The failure of the next attempt, and the addresses that it connected to. */
async function attempt(): Promise<{ code: string; dialed: readonly string[] }> {
  clock.advance(RETRY_MS);
  await eventually('an attempt', () => lost.length > 0);
  return { code: lost.splice(0).at(-1)!, dialed: network.takeDialed() };
}

it('subscribes to events only within the networks that the organization states, and after a change', async () => {
  await subscribe(OWN);
  expect(await attempt()).toEqual({ code: 'ONVIF_UNREACHABLE', dialed: [OWN] });
  await store.organizations.change(orgUuid, { cameraNetworks: ['192.168.0.0/16'] });
  await eventually('the new network holds', () => networks.of(orgUuid)[0] === '192.168.0.0/16');
  expect(await attempt()).toEqual({ code: 'DIRECT_OUTSIDE_ORGANIZATION_NETWORKS', dialed: [] });
});

it('follows the name of a camera only within the networks', async () => {
  network.names.set('camera.example', OWN);
  await subscribe('camera.example');
  expect(await attempt()).toEqual({ code: 'ONVIF_UNREACHABLE', dialed: [OWN] });
  network.names.set('camera.example', '192.168.0.5');
  expect(await attempt()).toEqual({ code: 'DIRECT_OUTSIDE_ORGANIZATION_NETWORKS', dialed: [] });
  network.names.set('camera.example', '172.16.0.1');
  expect(await attempt()).toEqual({ code: 'DIRECT_OUTSIDE_OPERATOR_NETWORKS', dialed: [] });
});
