import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { newRuuid } from '../core/ruuid.ts';
import { DIRECT_ERRORS } from '../sources/network/errors.ts';
import { NOT_CHECKED } from '../stream/camera-connection.ts';
import { cameraFaultOf } from '../stream/source/camera-fault.ts';
import { type ApiFixture, addApiKey, openApiFixture } from './api-fixture.ts';
import { OAuthTester, type Tokens } from './oauth-fixture.ts';

const SHARE_LISTS = [
  ['/api/camera/findAllSharedLiveVideoStreams', {}],
  ['/api/camera/findSharedStreams', {}],
  ['/api/camera/findSharedVideoWalls', {}],
] as const;
const STATE_LISTS = [
  '/api/camera/getMinimalCameraStateList',
  '/api/camera/getMinimalList',
  '/api/relay/getMinimalNVRStateList',
  '/api/relay/getMinimalThirdPartyCameraStateList',
] as const;
const HOST = 'camera-17.hidden.example';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
  const { uuid } = fixture.own.camera;
  await fixture.call('/api/camera/createSharedLiveVideoStream', { cameraUuid: uuid });
  const error = new GatewayError(DIRECT_ERRORS.DIRECT_UNREACHABLE, { host: HOST, port: 5_540 });
  const offline = { ...NOT_CHECKED, state: 'offline', fault: cameraFaultOf(error) } as const;
  fixture.cameraStates.set(uuid, { streamState: 'offline', main: offline, sub: offline });
});
afterEach(() => fixture.close());

/** The headers of each credential that ends soon or is in the hands of others. */
async function weakCredentials(): Promise<Readonly<Record<string, Record<string, string>>>> {
  const viewerKey = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'viewer' });
  const sessionOf = async (body: object) => {
    const response = await fixture.call('/api/org/generateFederatedSessionToken', body);
    const token = response.federatedSessionToken as string;
    return { 'x-auth-apikey': '', 'x-auth-scheme': 'federated-token', 'x-auth-ft': token };
  };
  const oauth = new OAuthTester(fixture);
  const client = await oauth.register();
  const { access_token } = (await oauth.exchange(client, await oauth.code(client))).json<Tokens>();
  return {
    'a viewer key': { 'x-auth-apikey': viewerKey },
    'a session': await sessionOf({ durationSec: 60 }),
    'a session for one device': await sessionOf({ durationSec: 60, deviceUuid: fixture.own.camera.uuid }),
    'an application': { 'x-auth-apikey': '', authorization: `Bearer ${access_token}` },
  };
}

describe('credentials that end, or that others hold', () => {
  it('read no link that outlives them', async () => {
    for (const [name, headers] of Object.entries(await weakCredentials())) {
      for (const [path, body] of SHARE_LISTS) {
        const { body: text } = await fixture.post(path, body, headers);
        expect(`${name} ${path} ${text}`).not.toMatch(/https?:\/\//u);
      }
    }
  });

  it('read no path of a webhook', async () => {
    const hook = fixture.webhookHost.url('/hooks/path-that-is-secret');
    await fixture.call('/api/integrations/webhooks/updateWebhookIntegrationV2', { webhookUrl: hook });
    const { uuid: deviceUuid } = fixture.own.camera;
    const row = { uuid: newRuuid(), deviceUuid, timestampMs: fixture.clock.epochMs() };
    await fixture.call('/api/ingest/policyAlerts', { rows: [{ ...row, policyAlertTriggers: ['MOTION'] }] });
    await fixture.accessControl.eventEffects.settled();
    await fixture.accessControl.deliveries.idle();
    for (const [name, headers] of Object.entries(await weakCredentials())) {
      const { body: text } = await fixture.post('/api/webhook/getDeliveries', {}, headers);
      expect(`${name} ${text}`).not.toContain('path-that-is-secret');
    }
    expect((await fixture.post('/api/webhook/getDeliveries')).body).toContain('path-that-is-secret');
  });

  it('read no address of a device', async () => {
    const details = { lanAddresses: ['192.0.2.77'], ssid: 'Hidden network' };
    const row = { deviceUuid: fixture.own.camera.uuid, timestampMs: fixture.clock.epochMs(), ...details };
    expect(await fixture.call('/api/ingest/deviceReports', { rows: [row] })).toMatchObject({ error: false });
    const paths = [...STATE_LISTS, '/api/camera/getFullCameraState'];
    for (const [name, headers] of Object.entries(await weakCredentials())) {
      for (const path of paths) {
        const body = path.endsWith('getFullCameraState') ? { cameraUuid: fixture.own.camera.uuid } : {};
        const { body: text } = await fixture.post(path, body, headers);
        expect(`${name} ${path} ${text}`).not.toMatch(/hidden|5540|192\.0\.2\.77|rtsp:/iu);
      }
    }
    const withOwnKey = await fixture.post(STATE_LISTS[0]);
    for (const text of [HOST, '5540', '192.0.2.77']) expect(withOwnKey.body).toContain(text);
  });
});
