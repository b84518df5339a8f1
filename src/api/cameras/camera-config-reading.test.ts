import { expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { openApiFixture } from '../api-fixture.ts';

it.each(['/api/camera/getConfig', '/api/camera/getFacetedConfig'])(
  '%s returns what updateConfig stored, and nothing else',
  async (path) => {
    const fixture = await openApiFixture();
    const { camera, organization } = fixture.own;
    const identity = { deviceUuid: camera.uuid, orgUuid: organization.uuid };
    const read = (cameraUuid: string, headers = {}) => fixture.call(path, { cameraUuid }, headers);
    expect((await read(camera.uuid)).config).toEqual(identity);
    const settings = {
      hdr_enabled: false,
      rotation: 180,
      resolution: { width: 1920, height: 1080 },
      privacy_windows: [{ x: 1, y: 2, w: 3, h: 4 }],
      firmware_dev_settings: { anything: [1, { goes: null }] },
    };
    await fixture.call('/api/camera/updateConfig', { config: { ...settings, deviceUuid: camera.uuid } });
    const stored = { ...settings, ...identity, lastModified: fixture.clock.epochMs() };
    expect((await read(camera.uuid)).config).toEqual(stored);
    expect((await read(`${camera.uuid}.v0`)).config).toEqual(stored);
    expect((await read(fixture.own.doorbell.uuid)).config).toMatchObject({
      deviceUuid: fixture.own.doorbell.uuid,
    });
    const foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
    const unknown = await read(newRuuid());
    expect(unknown).toMatchObject({ error: true, errorMsg: expect.stringMatching(/^There is no camera/) });
    expect(await read(camera.uuid, foreignKey)).toEqual(unknown);
    expect((await fixture.call(path)).errorMsg).toBe('cameraUuid is required.');
    await fixture.close();
  },
);

it('a configuration is stored and read by either name of the camera, with or without a facet', async () => {
  const fixture = await openApiFixture();
  const { camera, organization } = fixture.own;
  const facet = `${camera.uuid}.v0`;
  const configUpdate = { deviceUuid: facet, hdr_enabled: true, unheardOf: 5 };
  const stored = await fixture.call('/api/camera/updateFacetedConfig', { configUpdate });
  expect(stored).toMatchObject({ error: false, warningMsg: expect.stringContaining('unheardOf') });
  for (const request of [{ deviceUuid: camera.uuid }, { deviceUuid: facet }, { cameraUuid: facet }]) {
    const { config } = await fixture.call('/api/camera/getFacetedConfig', request);
    expect(config).toMatchObject({ hdr_enabled: true, deviceUuid: camera.uuid, orgUuid: organization.uuid });
  }
  const foreign = { deviceUuid: fixture.foreign.camera.uuid };
  expect(await fixture.call('/api/camera/getFacetedConfig', foreign)).toMatchObject({ error: true });
  expect(
    await fixture.call('/api/camera/updateFacetedConfig', { configUpdate: { ...configUpdate, ...foreign } }),
  ).toMatchObject({ error: true });
  await fixture.close();
});
