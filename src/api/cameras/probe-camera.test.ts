import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_CAMERA_UUID } from '../../devices/operators-camera.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const PROBE = '/api/camera/probeCamera';
const MAIN = 'rtsp://192.0.2.10/main';
const SUB = 'rtsp://192.0.2.10/sub';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

describe('probeCamera', () => {
  it('says what works, what does not, and what to do', async () => {
    fixture.rtspCameras.byUrl.set(MAIN, { login: 'admin:p@s:s' });
    const body = { mainUrl: MAIN, substreamUrl: SUB, username: 'admin', password: 'p@s:s' };
    const response = await fixture.call(PROBE, body);
    expect(response).toMatchObject({
      error: false,
      main: { works: true, frameRate: 25, keyFrameDistanceSec: 2 },
      sub: {
        works: false,
        errorCode: 'DIRECT_UNREACHABLE',
        errorReason: 'unreachable',
        errorAdvice: expect.stringMatching(/^Check the address/),
      },
    });
    expect(response.snapshot).toBeUndefined();
  });

  it('tries a wrong password once, and repeats no secret', async () => {
    fixture.rtspCameras.byUrl.set(MAIN, { login: 'admin:right' });
    const body = { mainUrl: MAIN, substreamUrl: SUB, username: 'admin', password: 'wr@ng' };
    const response = await fixture.post(PROBE, body);
    expect(response.json()).toMatchObject({
      main: { works: false, errorReason: 'wrong-password' },
      sub: { works: false, errorReason: 'wrong-password' },
    });
    expect(fixture.rtspCameras.triedLogins).toEqual(['admin:wr@ng']);
    expect(response.body).not.toMatch(/wr@ng|wr%40ng/);
  });

  it('tries the demo on this machine', async () => {
    const camera = { ...fixture.own.camera, uuid: DEMO_CAMERA_UUID, fromConfig: false };
    await fixture.store.cameras.save(camera);
    await fixture.call(PROBE, { cameraUuid: camera.uuid });
    expect(fixture.rtspCameras.reaches[0]).toMatchObject({ rule: { reach: 'anywhere' } });
  });

  it('tries a stored camera as it is', async () => {
    const { camera } = fixture.own;
    fixture.rtspCameras.byUrl.set(camera.rtspUrl.redacted(), {});
    const response = await fixture.call(PROBE, { cameraUuid: camera.uuid });
    expect(response).toMatchObject({ error: false, main: { works: true } });
    // The configuration file declares it.
    expect(fixture.rtspCameras.reaches[0]).toMatchObject({ rule: { reach: 'anywhere' } });
    expect(fixture.cameraStates.get(camera.uuid)).toMatchObject({ main: { state: 'reachable' } });
  });

  it.each([
    [{}, /^mainUrl must be an rtsp, /],
    [{ mainUrl: 'file:///etc/passwd' }, /^mainUrl must be an rtsp, /],
    [{ mainUrl: MAIN, tls: 'no' }, /^tls must be/],
  ])('refuses %j', async (body, sentence) => {
    expect(await fixture.call(PROBE, body)).toMatchObject({
      error: true,
      errorMsg: expect.stringMatching(sentence),
    });
    expect(fixture.rtspCameras.triedLogins).toEqual([]);
  });

  it('does not open cameras of other organizations', async () => {
    const { uuid } = fixture.foreign.camera;
    const response = await fixture.call(PROBE, { cameraUuid: uuid });
    expect(response.errorMsg).toBe('There is no camera with this UUID.');
    expect(fixture.rtspCameras.triedLogins).toEqual([]);
  });
});
