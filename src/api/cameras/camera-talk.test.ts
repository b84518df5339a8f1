import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CredentialUrl } from '../../core/secret.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

const FULL_STATE = '/api/camera/getFullCameraState';

let fixture: ApiFixture;

beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

async function talkOf(headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const cameraUuid = fixture.own.camera.uuid;
  const { fullCameraState } = await fixture.call(FULL_STATE, { cameraUuid }, headers);
  const { onCameraState } = fullCameraState as {
    onCameraState: Record<string, { talk: Record<string, unknown> }>;
  };
  return onCameraState.v0!.talk;
}

describe('whether a caller may talk to a camera', () => {
  it('depends on the role', async () => {
    expect(await talkOf()).toEqual({
      canTalk: true,
      authorized: true,
      licensed: true,
      speakerEnabled: true,
      connected: true,
      interactionMode: 'hold',
    });
    const orgUuid = fixture.own.organization.uuid;
    for (const [role, canTalk] of [
      ['viewer', false],
      ['operator', true],
    ] as const) {
      const key = await addApiKey(fixture.store, orgUuid, { role });
      const talk = await talkOf({ 'x-auth-apikey': key });
      expect([talk.canTalk, talk.authorized, talk.reason]).toEqual([
        canTalk,
        canTalk,
        canTalk ? undefined : 'not-authorized',
      ]);
    }
  });

  it('needs a camera that is read over RTSP', async () => {
    const camera = (await fixture.store.cameras.find(
      fixture.own.organization.uuid,
      fixture.own.camera.uuid,
    ))!;
    await fixture.store.cameras.save({
      ...camera,
      rtspUrl: new CredentialUrl('http://192.0.2.4/video.mjpg'),
    });
    expect(await talkOf()).toMatchObject({
      canTalk: false,
      reason: 'capability-unavailable',
      speakerEnabled: false,
    });
  });

  it('is not possible at a node of a cluster', async () => {
    await fixture.close();
    fixture = await openApiFixture({ overrides: { hasWayToSpeakers: false } });
    expect(await talkOf()).toMatchObject({ canTalk: false, reason: 'capability-unavailable' });
  });

  it('needs a camera that is not offline', async () => {
    fixture.cameraStates.set(fixture.own.camera.uuid, 'offline');
    expect(await talkOf()).toMatchObject({ canTalk: false, reason: 'device-unavailable', connected: false });
  });
});
