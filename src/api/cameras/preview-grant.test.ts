import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { signedIn } from '../console-fixture.ts';
import { OAuthTester } from '../oauth-fixture.ts';

const PREVIEW = '/api/camera/createPreviewGrant';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

it('returns where a camera is watched, and extends it', async () => {
  const { camera, key, organization } = fixture.own;
  const cameraUuid = camera.uuid;
  const first = await fixture.call(PREVIEW, { cameraUuid }, { 'user-agent': 'console' });
  expect(first).toMatchObject({
    error: false,
    grant: 'grant-1',
    endsAtMs: fixture.clock.epochMs() + 600_000,
    pageUrl: 'http://media.example/preview#grant-1',
    playlistUrl: expect.stringMatching(/^http:\/\/media\.example\/live\/grant-1\/(?:index|file)\.m3u8$/),
    webSocketUrl: 'ws://media.example/live/grant-1/ws',
  });
  expect((await fixture.call(PREVIEW, { cameraUuid, grant: 'grant-1' })).grant).toBe('grant-1');
  expect(fixture.previews).toMatchObject([
    {
      orgUuid: organization.uuid,
      cameraUuid,
      grantText: null,
      principal: { kind: 'key', uuid: key.uuid },
      actor: { uuid: key.uuid, scheme: 'api' },
      userAgent: 'console',
    },
    { grantText: 'grant-1' },
  ]);
});

it('rests on the session of a person who is signed in, whatever their role', async () => {
  const { console, person } = await signedIn(fixture, fixture.own, 'viewer');
  await console.call(PREVIEW, { cameraUuid: fixture.own.camera.uuid });
  const { sessions } = await console.call('getSessions');
  const [{ sessionUuid }] = sessions as [{ sessionUuid: string }];
  expect(fixture.previews).toMatchObject([
    { principal: { kind: 'person', uuid: sessionUuid }, actor: { uuid: person.uuid, scheme: 'person' } },
  ]);
});

it('offers the substream if there is one', async () => {
  const { camera } = fixture.own;
  await fixture.store.cameras.save({ ...camera, substreamUrl: null });
  const without = await fixture.call(PREVIEW, { cameraUuid: camera.uuid });
  expect([without.playlistUrl, without.substreamWebSocketUrl]).toEqual([
    'http://media.example/live/grant-1/file.m3u8',
    undefined,
  ]);
  await fixture.store.cameras.save({ ...camera, substreamUrl: camera.rtspUrl });
  const { playlistUrl, substreamWebSocketUrl } = await fixture.call(PREVIEW, { cameraUuid: camera.uuid });
  expect([playlistUrl, substreamWebSocketUrl]).toEqual([
    'http://media.example/live/grant-2/index.m3u8',
    'ws://media.example/live/grant-2/wsl',
  ]);
});

it('finds no camera of another organization', async () => {
  const response = await fixture.call(PREVIEW, { cameraUuid: fixture.foreign.camera.uuid });
  expect(response.errorMsg).toBe('There is no camera with this UUID.');
  expect(fixture.previews).toEqual([]);
});

it('is not for what could end before the key', async () => {
  const tester = new OAuthTester(fixture);
  const { access_token } = await tester.tokens(await tester.register());
  const headers = {
    'x-auth-apikey': '',
    'x-auth-scheme': 'api-oauth-token',
    'x-auth-access-token': access_token,
  };
  const response = await fixture.call(PREVIEW, { cameraUuid: fixture.own.camera.uuid }, headers);
  expect(response).toMatchObject({
    error: true,
    errorMsg: expect.stringMatching(/^A preview rests on an API key/),
  });
  expect(fixture.previews).toEqual([]);
});

it.each([
  ['too-many-opens', 429],
  ['credential-ended', 503],
] as const)('is refused with %s', async (reason, status) => {
  await fixture.close();
  const openPreview = async () => ({ allowed: false, reason, retryAfterMs: 12_000 }) as const;
  fixture = await openApiFixture({ overrides: { openPreview } });
  const response = await fixture.post(PREVIEW, { cameraUuid: fixture.own.camera.uuid });
  expect(response.statusCode).toBe(status);
  if (status === 429) expect(response.headers['retry-after']).toBe('12');
});
