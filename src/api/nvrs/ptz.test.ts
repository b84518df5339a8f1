import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CredentialUrl } from '../../core/secret.ts';
import { OBEDIENT_CAMERA } from '../../devices/fake-onvif-cameras.ts';
import { type Answer, type ApiFixture, openApiFixture } from '../api-fixture.ts';

const PAN = { mode: 'CONTINUOUS', pan: 0.5, timeoutMs: 2_000 };

let fixture: ApiFixture;
/** Requests to the camera. */
let requested: string[];
beforeEach(async () => {
  fixture = await openApiFixture();
  requested = [];
  const move = async () => void requested.push('move');
  const camera = { ...OBEDIENT_CAMERA, ptz: { ...OBEDIENT_CAMERA.ptz!, move } };
  fixture.onvifCameras.byHost.set('camera.example', camera);
  const onvifUrl = new CredentialUrl('http://camera.example');
  await fixture.store.cameras.save({ ...fixture.own.camera, onvifUrl });
});
afterEach(() => fixture.close());

const call = (name: string, body: object = {}): Promise<Answer> =>
  fixture.call(`/api/relay/${name}`, { cameraUuid: fixture.own.camera.uuid, ...body });

describe('a camera that can be moved', () => {
  it.each([
    [{ mode: 'CONTINUOUS', pan: 1 }, 'timeoutMs is required with mode CONTINUOUS.'],
    [{ mode: 'CONTINUOUS', timeoutMs: 500 }, 'pan, tilt or zoom is required.'],
    [{ mode: 'ABSOLUTE', pan: 1 }, 'pan and tilt are required together with mode ABSOLUTE.'],
    [{ mode: 'ABSOLUTE', zoom: -0.5 }, 'zoom must be from 0 to 1 with mode ABSOLUTE.'],
    [{ ...PAN, timeoutMs: 31_000 }, /^timeoutMs must be/],
    [{ ...PAN, pan: 1.5 }, /^pan must be/],
    [{ pan: 1, timeoutMs: 500 }, 'mode is required.'],
    [{ ...PAN, mode: 'JUMP' }, /^mode must be/],
  ])('is not moved by %j', async (body, sentence) => {
    expect((await call('movePtz', body)).errorMsg).toMatch(sentence);
    expect(requested).toEqual([]);
  });
});

describe('a camera that cannot be moved', () => {
  it('is no camera of another organization', async () => {
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    const body = { cameraUuid: fixture.own.camera.uuid, ...PAN };
    const response = await fixture.call('/api/relay/movePtz', body, foreign);
    expect(response.errorMsg).toMatch(/no camera with this UUID/);
    expect(requested).toEqual([]);
    expect(await call('movePtz', PAN)).toEqual({ error: false });
    expect(requested).toEqual(['move']);
  });
});
