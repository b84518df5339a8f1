import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { DIRECT_ERRORS } from '../../sources/network/errors.ts';
import { sampleCamera } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const GET = '/api/org/getCameraNetworks';
const UPDATE = '/api/org/updateCameraNetworks';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const foreign = () => ({ 'x-auth-apikey': fixture.foreign.apiKey });

it('an organization states in which networks its cameras may be, and only its own', async () => {
  expect(await fixture.call(GET)).toMatchObject({ networks: [], operatorNetworks: [], camerasOutside: [] });
  const networks = ['192.168.0.0/16', '2001:db8::/32', '10.0.0.8'];
  expect(await fixture.call(UPDATE, { networks })).toMatchObject({ error: false });
  expect(await fixture.call(GET)).toMatchObject({ networks });
  expect(await fixture.call(GET, {}, foreign())).toMatchObject({ networks: [] });
  expect((await fixture.store.organizations.find(fixture.own.organization.uuid))?.cameraNetworks).toEqual(
    networks,
  );
  expect(await fixture.call(UPDATE, { networks: [] })).toMatchObject({ error: false });
  expect(await fixture.call(GET)).toMatchObject({ networks: [] });
});

it('known cameras outside are listed with their address, those of the configuration file are not', async () => {
  const { organization, locationUuid } = fixture.own;
  const at = (name: string, url: string, more = {}) =>
    sampleCamera(organization.uuid, {
      name,
      locationUuid,
      nvrUuid: null,
      rtspUrl: new CredentialUrl(url),
      substreamUrl: null,
      fromConfig: false,
      ...more,
    });
  const far = at('Far', 'rtsp://10.9.0.5/main');
  const mixed = at('Mixed', 'rtsp://192.168.1.6/main', {
    onvifUrl: new CredentialUrl('http://10.9.0.6/onvif/device_service'),
  });
  const named = at('Named', 'rtsp://camera.example/main');
  for (const camera of [far, mixed, named, at('Near', 'rtsp://192.168.1.7/main')]) {
    await fixture.store.cameras.save(camera);
  }
  await fixture.store.cameras.save(at('Declared', 'rtsp://10.9.0.8/main', { fromConfig: true }));
  fixture.cameraStates.fail(
    named.uuid,
    new GatewayError(DIRECT_ERRORS.DIRECT_OUTSIDE_ORGANIZATION_NETWORKS, {
      host: 'camera.example',
      address: '10.9.0.7',
    }),
  );
  const updated = await fixture.call(UPDATE, { networks: ['192.168.0.0/16'] });
  expect(updated.warningMsg).toBe(
    'Cameras are outside these networks and will not be opened: Far (10.9.0.5), Mixed (10.9.0.6), Named (camera.example).',
  );
  const rule = 'ORGANIZATION';
  expect((await fixture.call(GET)).camerasOutside).toEqual([
    { cameraUuid: far.uuid, name: 'Far', host: '10.9.0.5', rule },
    { cameraUuid: mixed.uuid, name: 'Mixed', host: '10.9.0.6', rule },
    { cameraUuid: named.uuid, name: 'Named', host: 'camera.example', rule },
  ]);
  expect((await fixture.call(GET, {}, foreign())).camerasOutside).toEqual([]);
});

it('a list that is not of networks is refused, and viewers neither read nor change it', async () => {
  const sentence = async (networks: unknown) => (await fixture.call(UPDATE, { networks })).errorMsg;
  expect(await sentence(['10.0.0.0/8', 'office'])).toBe(
    'networks[1] must be an IP address or a network such as 10.0.0.0/8.',
  );
  expect(await sentence(['10.0.0.0/33'])).toMatch(/^networks\[0\] must be/);
  expect(await sentence(Array.from({ length: 101 }, () => '10.0.0.0/8'))).toMatch(/^networks must/);
  expect(await fixture.call(GET)).toMatchObject({ networks: [] });
});
