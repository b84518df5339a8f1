/**
 * Provisioning of whole gateways: scim2-tester from PyPI finds nothing, and a person whom the directory disables or removes at one gateway
 * loses everything at another one on the same database.
 */

import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@stomp/stompjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { PostgresServer } from '../support/postgres.ts';
import { runScimTester } from '../support/scim-tester.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const PASSWORD = 'correct horse battery';
const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

let server: PostgresServer;
let camera: SyntheticCamera;
let folder: string;
let a: TestGateway;
let b: TestGateway;
let token: string;
beforeAll(async () => {
  server = await PostgresServer.start();
  const database = (await server.createDatabase()).reveal();
  camera = await startCamera();
  folder = await mkdtemp(join(tmpdir(), 'sluice-scim-'));
  const config = { database, demo: false, cameras: [{ name: 'Lobby', rtsp: camera.url }] };
  a = await TestGateway.start(config);
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  await copyFile(join(a.folder, 'data', 'secret.key'), join(data, 'secret.key'));
  b = await TestGateway.start({ ...config, data });
  ({ token } = await a.call('console/createScimToken', { name: 'Directory' }));
});
afterAll(async () => {
  await Promise.all([a?.dispose(), b?.dispose()]);
  await camera?.close();
  await server?.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** What the directory sends to the first gateway. */
async function scim(method: string, path: string, body?: Json): Promise<Response> {
  return fetch(`${a.apiUrl}/scim/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** A person at the console of the second gateway. */
class PersonAtB {
  cookie = '';

  async post(path: string, body: Json = {}): Promise<{ status: number; body: Json }> {
    const response = await fetch(`${b.apiUrl}/api/${path}`, {
      method: 'POST',
      headers: { ...this.headers, 'content-type': 'application/json', 'x-auth-scheme': 'console' },
      body: JSON.stringify(body),
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) this.cookie = set.split(';')[0]!;
    return { status: response.status, body: (await response.json()) as Json };
  }

  get headers(): Record<string, string> {
    return { origin: b.apiUrl, cookie: this.cookie };
  }

  /** Follows the organization's changes. */
  async follow(): Promise<Client> {
    const client = new Client({
      webSocketFactory: () =>
        new WebSocket(`${b.apiUrl.replace('http', 'ws')}/websocket`, {
          protocols: ['v12.stomp'],
          headers: this.headers,
        } as never),
      reconnectDelay: 0,
      heartbeatIncoming: 0,
      heartbeatOutgoing: 0,
    });
    client.activate();
    await until('the person to follow changes', () => client.connected);
    return client;
  }
}

/** An administrator from an invitation, with all that a person can have at the second gateway. */
async function busyPerson(name: string) {
  const wanted = { name, email: `${name}@example.com`, role: 'admin' };
  const { inviteUrl } = await b.call('console/invitePerson', wanted);
  const person = new PersonAtB();
  const joined = await person.post('console/acceptInvite', {
    inviteToken: inviteUrl.split('#invite=')[1],
    password: PASSWORD,
  });
  const key = await person.post('integrations/org/submitApiTokenApplication', { displayName: name });
  const cameraUuid = await b.cameraUuid('Lobby');
  const { body: preview } = await person.post('camera/createPreviewGrant', { cameraUuid });
  const viewer = new TestViewer(preview.playlistUrl);
  await until('parts at B', () => viewer.parts > 0 || viewer.failures.length > 0);
  expect(viewer.failures).toEqual([]);
  const changes = await person.follow();
  const { body: shared } = await person.post('camera/createSharedLiveVideoStream', {
    cameraUuid,
    streamType: 'USER',
    vodEnabled: false,
  });
  return {
    person,
    id: joined.body.person.personUuid as string,
    apiKey: key.body.apiKey as string,
    viewer,
    changes,
    link: shared.sharedLiveM3U8StreamUrl as string,
  };
}

const keyStatus = async (apiKey: string) => {
  const headers = {
    'content-type': 'application/json',
    'x-auth-apikey': apiKey,
    'x-auth-scheme': 'api-token',
  };
  const response = await fetch(`${b.apiUrl}/api/integrations/validateToken`, {
    method: 'POST',
    headers,
    body: '{}',
  });
  return response.status;
};

describe.each([
  [
    'disabled',
    (id: string) =>
      scim('PATCH', `/Users/${id}`, {
        schemas: [PATCH_SCHEMA],
        Operations: [{ op: 'Replace', path: 'active', value: 'False' }],
      }),
  ],
  ['removed', (id: string) => scim('DELETE', `/Users/${id}`)],
])('a person who is %s at one gateway', (name, end) => {
  it('loses session, view, changes, and keys at the other, and their link stays', async () => {
    // Someone with a password stays, so the directory may.
    const stays = await busyPerson(`stays-${name}`);
    const leaves = await busyPerson(`leaves-${name}`);
    expect((await leaves.person.post('console/getPeople')).status).toBe(200);
    expect(await keyStatus(leaves.apiKey)).toBe(200);
    expect((await end(leaves.id)).ok).toBe(true);
    await until(
      'the end of the session',
      async () => (await leaves.person.post('console/getPeople')).status === 401,
    );
    await until('the end of the view', () => leaves.viewer.failures.length > 0);
    expect(leaves.viewer.failures[0]).toMatch(/^403 .*"credential-ended"/);
    await until('the end of changes', () => !leaves.changes.connected);
    await until('the end of the key', async () => (await keyStatus(leaves.apiKey)) === 401);
    expect((await fetch(leaves.link)).ok).toBe(true);

    expect((await stays.person.post('console/getPeople')).status).toBe(200);
    expect(await keyStatus(stays.apiKey)).toBe(200);
    expect([stays.viewer.failures, stays.changes.connected]).toEqual([[], true]);
    await Promise.all([stays.viewer.stop(), stays.changes.deactivate(), leaves.changes.deactivate()]);
  });
});

it('scim2-tester finds nothing', async () => {
  const checks = await runScimTester(a, token);
  expect(checks.filter(({ status }) => status !== 'SUCCESS')).toEqual([]);
  expect(checks.length).toBeGreaterThanOrEqual(100);
  for (const type of ['User', 'Group']) {
    expect(checks.filter((check) => check.type === type).length).toBeGreaterThan(10);
  }
});
