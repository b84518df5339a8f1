/** A key that is limited to a site, against a whole gateway: the API, whose thread knows the rights, and the media, whose thread follows. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';

const UNKNOWN_UUID = 'AAAAAAAAAAAAAAAAAAAAAA';
/** A caller who may watch the camera learns that it is not there. */
const MAY_WATCH = [503, 'camera-offline'];

let gateway: TestGateway;
beforeAll(async () => {
  const sites = ['Harbor', 'Warehouse'];
  gateway = await TestGateway.start({
    demo: false,
    locations: sites.map((name) => ({ name, tz: 'America/New_York' })),
    cameras: sites.map((location) => ({
      name: `${location} gate`,
      location,
      rtsp: `rtsp://127.0.0.1:9/${location}`,
    })),
  });
});
afterAll(() => gateway?.dispose());

test('plays its cameras alone, and what it watches ends before its change is answered', async () => {
  const { locations } = await gateway.call('location/getLocationsV2');
  const siteNamed = (name: string) => {
    const { uuid } = locations.find((each: { name: string }) => each.name === name);
    return { locationUuids: [uuid], cameraUuids: [] };
  };
  const [own, other] = [await gateway.cameraUuid('Harbor gate'), await gateway.cameraUuid('Warehouse gate')];
  const wanted = { displayName: 'Gate', role: 'viewer', scope: siteNamed('Harbor') };
  const { apiKey } = await gateway.call('integrations/org/submitApiTokenApplication', wanted);
  const { apiTokens } = await gateway.call('integrations/org/getApiTokens');
  const { tokenUuid } = apiTokens.find(({ displayName }: { displayName: string }) => displayName === 'Gate');

  const reasonOf = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { headers });
    const { reason } = (await response.json()) as { reason?: string };
    return [response.status, reason];
  };
  const media = (uuid: string) =>
    reasonOf(`${gateway.mediaUrl}/media/${uuid}/local/file.m3u8`, { 'x-auth-apikey': apiKey });
  const preview = (cameraUuid: string) => gateway.call('camera/createPreviewGrant', { cameraUuid }, apiKey);

  expect(await media(own)).toEqual(MAY_WATCH);
  expect(await media(other)).toEqual(await media(UNKNOWN_UUID));
  expect(await preview(other)).toEqual(await preview(UNKNOWN_UUID));
  const { playlistUrl } = await preview(own);
  const status = playlistUrl.replace(/[^/]+$/, 'status');
  expect(await reasonOf(status)).toEqual([200, undefined]);

  const scope = siteNamed('Warehouse');
  await gateway.call('integrations/org/updateApiToken', { tokenUuid, scope, scopeUpdated: true });
  expect(await reasonOf(status)).toEqual([403, 'credential-ended']);
  expect(await media(own)).toEqual([404, 'unknown']);
  expect(await media(other)).toEqual(MAY_WATCH);
});
