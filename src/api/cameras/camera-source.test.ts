import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { DEMO_CAMERA_UUID } from '../../devices/operators-camera.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const CREATE = '/api/camera/createCamera';
const UPDATE = '/api/camera/updateCameraSource';
const READ = '/api/camera/getCameraSource';
const MAIN = 'rtsp://192.0.2.10/main';
const PASSWORD = 'p@s:s/w#o?r%d';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

function stored(uuid: unknown) {
  return fixture.store.cameras.find(fixture.own.organization.uuid, uuid as Ruuid);
}

async function created(fields: object = {}): Promise<string> {
  const body = { name: 'Yard', mainUrl: MAIN, username: 'admin', password: PASSWORD, ...fields };
  const { cameraUuid } = await fixture.call(CREATE, body);
  return cameraUuid as string;
}

describe('createCamera', () => {
  it('stores a camera without an NVR, and its password encoded', async () => {
    const { locationUuid } = fixture.own;
    const fields = { locationUuid, substreamUrl: 'rtsp://192.0.2.10/sub', transport: 'udp', audio: 'off' };
    const camera = await stored(await created(fields));
    expect(camera).toMatchObject({ name: 'Yard', locationUuid, nvrUuid: null, fromConfig: false });
    expect(camera).toMatchObject({ transport: 'udp', audio: 'off', engine: 'auto', tls: 'any' });
    expect(camera?.rtspUrl.redacted()).toBe(MAIN);
    expect(camera?.substreamUrl?.credentials()?.password.reveal()).toBe(PASSWORD);
  });

  it.each([
    [{ name: '  ' }, 'name must not be blank.'],
    [{ mainUrl: 'ftp://a' }, /^mainUrl must be an rtsp, /],
    [{ onvifUrl: MAIN }, /^onvifUrl must be an http:/],
    [{ tls: 'none' }, /^tls must be any, verify, or sha256:/],
    [{ transport: 'pigeon' }, /^transport must be one of/],
    [{ locationUuid: newRuuid() }, 'There is no location with this UUID.'],
  ])('refuses %j and repeats no secret', async (fields, sentence) => {
    const body = { name: 'Yard', mainUrl: MAIN, password: PASSWORD, ...fields };
    const response = await fixture.call(CREATE, body);
    expect(response).toMatchObject({ error: true, errorMsg: expect.stringMatching(sentence) });
    expect(JSON.stringify(response)).not.toContain(PASSWORD);
  });

  it('assigns it to an NVR, whose location counts unless another is named', async () => {
    const { nvrUuid, locationUuid } = fixture.own;
    const nvr = await fixture.store.nvrs.find(fixture.own.organization.uuid, nvrUuid);
    expect(await stored(await created({ nvrUuid }))).toMatchObject({
      nvrUuid,
      locationUuid: nvr?.locationUuid,
    });
    expect(await stored(await created({ nvrUuid, locationUuid }))).toMatchObject({ nvrUuid, locationUuid });
    const foreign = { name: 'Yard', mainUrl: MAIN, nvrUuid: fixture.foreign.nvrUuid };
    expect((await fixture.call(CREATE, foreign)).errorMsg).toBe('There is no NVR with this UUID.');
  });

  it('creates one camera for a call that is sent twice', async () => {
    const before = await fixture.store.cameras.list(fixture.own.organization.uuid);
    const headers = { 'idempotency-key': '"once"' };
    const body = { name: 'Yard', mainUrl: MAIN };
    const first = await fixture.call(CREATE, body, headers);
    expect((await fixture.call(CREATE, body, headers)).cameraUuid).toBe(first.cameraUuid);
    const after = await fixture.store.cameras.list(fixture.own.organization.uuid);
    expect(after.length - before.length).toBe(1);
  });
});

describe('getCameraSource', () => {
  it('says whether there is a password, and not which', async () => {
    const response = await fixture.post(READ, { cameraUuid: await created() });
    expect(response.json()).toMatchObject({
      name: 'Yard',
      declared: false,
      pushed: false,
      source: { mainUrl: MAIN, username: 'admin', hasPassword: true, transport: 'auto' },
    });
    expect(response.body).not.toContain('w%23o');
    expect(response.body).not.toContain(PASSWORD);
  });

  it('is not for federated sessions', async () => {
    const { federatedSessionToken } = await fixture.call('/api/org/generateFederatedSessionToken', {
      durationSec: 60,
    });
    const headers = { 'x-auth-scheme': 'federated-token', 'x-auth-ft': federatedSessionToken as string };
    const body = { cameraUuid: fixture.own.camera.uuid };
    expect((await fixture.post(READ, body, { ...headers, 'x-auth-apikey': '' })).statusCode).toBe(401);
  });
});

describe('updateCameraSource', () => {
  it('changes what is given and nothing else', async () => {
    const cameraUuid = await created({ substreamUrl: 'rtsp://192.0.2.10/sub' });
    const before = await stored(cameraUuid);
    await fixture.call(UPDATE, { cameraUuid, name: 'Gate', audio: 'aac', password: 'new' });
    const after = await stored(cameraUuid);
    expect(after).toMatchObject({ name: 'Gate', audio: 'aac', transport: before?.transport });
    expect(after?.substreamUrl?.reveal()).toBe('rtsp://admin:new@192.0.2.10/sub');
  });

  it('asks for the password again before it goes elsewhere', async () => {
    const cameraUuid = await created();
    const response = await fixture.call(UPDATE, { cameraUuid, mainUrl: 'rtsp://192.0.2.66/main' });
    expect(response.errorMsg).toMatch(/^password is required: mainUrl leads to another/);
    expect((await stored(cameraUuid))?.rtspUrl.redacted()).toBe(MAIN);
  });

  it('leaves cameras of the configuration file alone', async () => {
    const { camera } = fixture.own;
    await fixture.store.cameras.save({ ...camera, fromConfig: true });
    const response = await fixture.call(UPDATE, { cameraUuid: camera.uuid, audio: 'off' });
    expect(response.errorMsg).toMatch(/^The configuration file declares/);
  });

  it('leaves the demo alone, which can be on this machine', async () => {
    const { camera } = fixture.own;
    const rtspUrl = new CredentialUrl('rtsp://127.0.0.1:40000/demo');
    await fixture.store.cameras.save({ ...camera, uuid: DEMO_CAMERA_UUID, rtspUrl, fromConfig: false });
    const mainUrl = 'rtsp://127.0.0.1:6379/other';
    const changed = { cameraUuid: DEMO_CAMERA_UUID, mainUrl, username: 'a', password: 'b' };
    expect((await fixture.call(UPDATE, changed)).errorMsg).toMatch(/^The gateway itself runs/);
    expect((await stored(DEMO_CAMERA_UUID))?.rtspUrl.redacted()).toBe(rtspUrl.redacted());
  });

  it('leaves cameras alone whose devices push', async () => {
    const pushed = await fixture.call('/api/relay/addThirdPartyCameraViaRtmp', { name: 'Mast' });
    const response = await fixture.call(UPDATE, { cameraUuid: pushed.deviceUuid, mainUrl: MAIN });
    expect(response.errorMsg).toMatch(/^A device pushes the video/);
    const { source } = await fixture.call(READ, { cameraUuid: pushed.deviceUuid });
    expect(source).toMatchObject({ hasPassword: false });
  });

  it('finds no camera of another organization', async () => {
    const cameraUuid = fixture.foreign.camera.uuid;
    const response = await fixture.call(UPDATE, { cameraUuid, audio: 'off' });
    expect(response.errorMsg).toBe('There is no camera with this UUID.');
    expect(await fixture.call(READ, { cameraUuid })).toMatchObject({ error: true });
  });
});

describe('getCameraUrlTemplates', () => {
  it('has paths that make addresses of cameras', async () => {
    const { templates } = await fixture.call('/api/camera/getCameraUrlTemplates');
    const known = templates as { vendor: string; scheme: string; port: number; mainPath: string }[];
    expect(known.map(({ vendor }) => vendor)).toContain('hikvision');
    expect(new Set(known.map(({ vendor }) => vendor)).size).toBe(known.length);
    for (const { scheme, port, mainPath } of known) {
      const mainUrl = `${scheme}://192.0.2.10:${port}${mainPath.replaceAll(/\{(?:channel0|channel2|channel|token)\}/g, '01')}`;
      expect(mainUrl).not.toContain('{');
      expect(await created({ mainUrl })).toMatch(/^[\w-]{22}$/);
    }
  });
});
