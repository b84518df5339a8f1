import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { sampleCamera } from '../../store/sample-entities-fixture.ts';
import { UNKNOWN_SIGNING } from '../../stream/signing-state.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const UPDATE = '/api/camera/updateDetailsV2';
const DELETE = '/api/camera/delete';
const DELETE_DOORBELL = '/api/doorbellcamera/delete';
const STATES = '/api/camera/getMinimalCameraStateList';
const FULL = '/api/camera/getFullCameraState';
const NO_CAMERA = 'There is no camera with this UUID.';

/** In camera-talk.test.ts. */
const TALK = expect.any(Object);

let fixture: ApiFixture;
let ownOrg: Ruuid;
let foreignKey: Record<string, string>;
/** Created by the API, not by the file. */
let uuid: Ruuid;
beforeEach(async () => {
  fixture = await openApiFixture();
  ownOrg = fixture.own.organization.uuid;
  foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
  const camera = sampleCamera(ownOrg, { name: 'Dock', fromConfig: false });
  await fixture.store.cameras.save(camera);
  uuid = camera.uuid;
});
afterEach(() => fixture.close());

async function stateOf(cameraUuid: Ruuid) {
  const { cameraStates } = await fixture.call(STATES, { includeMummified: true });
  return (cameraStates as Record<string, unknown>[]).find((state) => state.uuid === cameraUuid);
}

const DETAILS = {
  directionRadians: 1.5,
  floorNumber: 3,
  latitude: 52.5,
  longitude: 13.25,
  facetNameMap: { v0: 'Wide' },
  policyUuid: newRuuid(),
  subLocationsHierarchyKey: `${newRuuid()}.${newRuuid()}`,
};

describe(UPDATE, () => {
  it('applies what is flagged, and shows it in the states', async () => {
    const { locationUuid } = fixture.own;
    const flags = Object.fromEntries(Object.keys(DETAILS).map((name) => [`${name}Updated`, true]));
    const body = { uuid, ...DETAILS, ...flags, name: ' Dock 2 ', nameUpdated: true };
    const response = await fixture.call(UPDATE, { ...body, locationUuid, locationUuidUpdated: true });
    expect(response).toMatchObject({ error: false });
    expect(await stateOf(uuid)).toMatchObject({ ...DETAILS, name: 'Dock 2', locationUuid });
    expect((await fixture.call(FULL, { cameraUuid: uuid })).fullCameraState).toMatchObject(DETAILS);
  });

  it('leaves what is not flagged, and clears what is flagged but absent', async () => {
    const texts = { description: 'd', descriptionUpdated: true, customData: 'c', customDataUpdated: true };
    await fixture.call(UPDATE, { uuid, floorNumber: 3, floorNumberUpdated: true, ...texts });
    await fixture.call(UPDATE, { uuid, floorNumber: 4, name: 'Other', descriptionUpdated: true });
    expect(await stateOf(uuid)).toMatchObject({ floorNumber: 3, name: 'Dock' });
    await fixture.call(UPDATE, { uuid, floorNumberUpdated: true });
    expect(await stateOf(uuid)).not.toHaveProperty('floorNumber');
  });

  it('lets a camera of the file have details but nothing else', async () => {
    const camera = fixture.own.camera.uuid;
    expect(
      await fixture.call(UPDATE, { uuid: camera, floorNumber: 1, floorNumberUpdated: true }),
    ).toMatchObject({ error: false });
    expect(await stateOf(camera)).toMatchObject({ floorNumber: 1 });
    for (const change of [
      { name: 'X', nameUpdated: true },
      { locationUuidUpdated: true },
      { mummified: true, mummifiedUpdated: true },
    ]) {
      expect((await fixture.call(UPDATE, { uuid: camera, ...change })).errorMsg).toMatch(
        /^The configuration file declares Lobby/,
      );
    }
    expect((await fixture.call(UPDATE, { uuid: camera, deleted: true, deletedUpdated: true })).error).toBe(
      true,
    );
    expect(await stateOf(camera)).toMatchObject({ name: 'Lobby', mummified: false });
  });

  it('stops a camera and restores it', async () => {
    await fixture.call(UPDATE, { uuid, mummified: true, mummifiedUpdated: true });
    expect(await stateOf(uuid)).toMatchObject({ mummified: true });
    await fixture.call(UPDATE, { uuid, mummified: false, mummifiedUpdated: true });
    expect(await stateOf(uuid)).toMatchObject({ mummified: false });
    await fixture.call(UPDATE, { uuid, deleted: true, deletedUpdated: true });
    expect(await stateOf(uuid)).toBeUndefined();
  });

  it('refuses what is not the organization’s and what is invalid', async () => {
    const locationUuid = fixture.foreign.locationUuid;
    for (const [body, sentence] of [
      [{ uuid: newRuuid() }, NO_CAMERA],
      [{ uuid: fixture.foreign.camera.uuid, floorNumber: 1, floorNumberUpdated: true }, NO_CAMERA],
      [{ uuid, locationUuid, locationUuidUpdated: true }, 'There is no location with this UUID.'],
      [{ uuid, nameUpdated: true }, 'name must not be blank if nameUpdated is true.'],
      [{ uuid, facetNameMap: { left: 'L' }, facetNameMapUpdated: true }, /^facetNameMap must have facets/],
      [{ uuid, latitude: 91 }, 'latitude must be a number from -90 to 90, got 91.'],
      [{ uuid, subLocationsHierarchyKey: 'a' }, /^subLocationsHierarchyKey must be RUUIDs/],
    ] as const) {
      expect((await fixture.call(UPDATE, body)).errorMsg).toMatch(sentence);
    }
    const details = { uuid, floorNumber: 1, floorNumberUpdated: true };
    expect((await fixture.call(UPDATE, details, foreignKey)).errorMsg).toBe(NO_CAMERA);
    expect(await stateOf(uuid)).not.toHaveProperty('floorNumber');
  });

  it('loses nothing when it is called twice at once', async () => {
    await Promise.all([
      fixture.call(UPDATE, { uuid, floorNumber: 7, floorNumberUpdated: true }),
      fixture.call(UPDATE, { uuid, latitude: 7, latitudeUpdated: true }),
      fixture.call(UPDATE, { uuid, longitude: 7, longitudeUpdated: true }),
    ]);
    expect(await stateOf(uuid)).toMatchObject({ floorNumber: 7, latitude: 7, longitude: 7 });
  });
});

describe(DELETE, () => {
  it('removes the camera with its shares, its details, its configuration, its seek points, a recording and a pause', async () => {
    const share = { cameraUuid: uuid, streamType: 'USER', vodEnabled: false };
    await fixture.call('/api/camera/createSharedLiveVideoStream', share);
    await fixture.call(UPDATE, { uuid, floorNumber: 7, floorNumberUpdated: true });
    await fixture.call('/api/camera/updateConfig', { config: { deviceUuid: uuid, rotation: 90 } });
    const footageSeekPoints = [{ timestampMs: 1, name: 'Delivery' }];
    await fixture.call('/api/camera/createCustomFootageSeekpoints', { cameraUuid: uuid, footageSeekPoints });
    expect(await fixture.store.resources.of({ name: 'seekPoint' }).count(ownOrg)).toBe(1);
    await fixture.call('/api/camera/startRecording', { cameraUuid: uuid });
    await fixture.call('/api/camera/pauseCamera', { cameraUuid: uuid });
    const response = await fixture.call(DELETE, { cameraUuid: uuid });
    expect(response).toMatchObject({ error: false, responseStatus: 'SUCCESS' });
    expect(await fixture.store.cameras.find(ownOrg, uuid)).toBeNull();
    expect(await fixture.store.shares.list(ownOrg)).toEqual([]);
    for (const name of [
      'deviceDetails',
      'cameraConfig',
      'cameraPause',
      'seekPoint',
      'manualRecording',
    ] as const) {
      expect(await fixture.store.resources.of({ name }).list(ownOrg)).toEqual([]);
    }
    expect((await fixture.call(DELETE, { cameraUuid: uuid })).errorMsg).toBe(NO_CAMERA);
  });

  it('keeps a mummified one listed', async () => {
    expect((await fixture.call(DELETE, { cameraUuid: uuid, mummify: true })).error).toBe(false);
    expect(await stateOf(uuid)).toMatchObject({ mummified: true });
    expect((await fixture.call(FULL, { cameraUuid: uuid })).errorMsg).toBe(NO_CAMERA);
  });

  it('refuses cameras of the file and other organizations’', async () => {
    const declared = await fixture.call(DELETE, { cameraUuid: fixture.own.camera.uuid });
    expect(declared.errorMsg).toBe('The configuration file declares Lobby: remove it there.');
    expect((await fixture.call(DELETE, { cameraUuid: uuid }, foreignKey)).errorMsg).toBe(NO_CAMERA);
    expect(await fixture.store.cameras.list(ownOrg)).toHaveLength(3);
  });
});

describe(DELETE_DOORBELL, () => {
  it('removes only doorbells', async () => {
    const other = await fixture.call(DELETE_DOORBELL, { doorbellCameraUuid: uuid, mummify: false });
    expect(other.errorMsg).toBe(NO_CAMERA);
    const doorbell = sampleCamera(ownOrg, { kind: 'doorbell', fromConfig: false });
    await fixture.store.cameras.save(doorbell);
    const body = { doorbellCameraUuid: doorbell.uuid, mummify: false };
    expect((await fixture.call(DELETE_DOORBELL, body, foreignKey)).error).toBe(true);
    expect((await fixture.call(DELETE_DOORBELL, { doorbellCameraUuid: doorbell.uuid })).errorMsg).toBe(
      'mummify is required.',
    );
    expect(await fixture.call(DELETE_DOORBELL, body)).toMatchObject({ responseStatus: 'SUCCESS' });
    expect(await fixture.store.cameras.find(ownOrg, doorbell.uuid)).toBeNull();
  });
});

describe('/api/doorbellcamera/getMinimalStateList', () => {
  it('lists only doorbells, each organization’s own', async () => {
    const path = '/api/doorbellcamera/getMinimalStateList';
    fixture.cameraStates.set(fixture.own.doorbell.uuid, 'live');
    expect((await fixture.call(path)).minimalStates).toMatchObject([
      { uuid: fixture.own.doorbell.uuid, name: 'Front door', connectionStatus: 'GREEN' },
    ]);
    expect((await fixture.call(path, {}, foreignKey)).minimalStates).toMatchObject([
      { uuid: fixture.foreign.doorbell.uuid },
    ]);
    expect((await fixture.call(path, '[]')).errorMsg).toMatch(/^The request body must be a JSON object/);
  });
});

describe(FULL, () => {
  it('says what the gateway sees', async () => {
    fixture.cameraStates.set(uuid, 'live');
    const { fullCameraState } = await fixture.call(FULL, { cameraUuid: `${uuid}.v0` });
    expect(fullCameraState).toMatchObject({
      uuid,
      name: 'Dock',
      connectionStatus: 'GREEN',
      onCameraState: { v0: { streamState: 'live' } },
      onCloudState: {},
      stateUpdatedTimestampMs: fixture.clock.epochMs(),
    });
    for (const field of ['audioSupported', 'connectionTimestampMs']) {
      expect(fullCameraState).not.toHaveProperty(field);
    }
  });

  it('says whether viewers can hear the camera, and why not', async () => {
    const seen = async () =>
      ((await fixture.call(FULL, { cameraUuid: uuid })).fullCameraState as { onCameraState: object })
        .onCameraState;
    expect(await seen()).toEqual({ v0: { sound: 'unknown', talk: TALK } });
    fixture.cameraSounds.set(uuid, { state: 'waiting', encoding: null, isAlone: false });
    expect(await seen()).toEqual({ v0: { sound: 'waiting', soundOnly: false, talk: TALK } });
    fixture.cameraSounds.set(uuid, { state: 'unsupported', encoding: 'g729', isAlone: false });
    expect(await seen()).toMatchObject({ v0: { sound: 'unsupported', soundEncoding: 'g729' } });
  });

  it('says how the clocks of the camera run, and what dates its frames', async () => {
    fixture.cameraClocks.set(uuid, {
      driftPpm: 14.53,
      driftUncertaintyPpm: 1,
      uncertaintyMs: 3.26,
      jumps: 2,
      offsetMs: -120.4,
      verdict: 'sane',
      cameraTime: { mediaMs: 0, epochMs: 0 },
      reportedTime: null,
      soundDriftPpm: null,
    });
    const { fullCameraState } = await fixture.call(FULL, { cameraUuid: uuid });
    expect(fullCameraState).toMatchObject({
      onCameraState: {
        v0: {
          clock: 'sane',
          clockSource: 'camera',
          clockOffsetMs: -120,
          clockDriftPpm: 14.5,
          clockUncertaintyMs: 3.3,
          clockJumps: 2,
        },
      },
    });
  });

  it('says what the signatures of the camera say about its video', async () => {
    const both = async () => {
      const { fullCameraState } = await fixture.call(FULL, { cameraUuid: uuid });
      const { cameras } = await fixture.call('/api/camera/getCameraStreamStates', { cameraUuids: [uuid] });
      const { signing } = (fullCameraState as { onCameraState: { v0: { signing?: object } } }).onCameraState
        .v0;
      expect((cameras as { signing?: object }[])[0]!.signing).toEqual(signing);
      return signing;
    };
    fixture.cameraSignings.set(uuid, UNKNOWN_SIGNING);
    expect(await both()).toBeUndefined();
    fixture.cameraSignings.set(uuid, { ...UNKNOWN_SIGNING, state: 'none', sinceEpochMs: 5 });
    expect(await both()).toEqual({ state: 'none', sinceMs: 5 });
    fixture.cameraSignings.set(uuid, {
      state: 'changed',
      sinceEpochMs: 7,
      changedAtEpochMs: 9,
      reason: 'units-changed',
      trust: 'trusted',
      signer: { subject: 'CN=Gate', issuer: 'CN=Maker', fingerprint: 'ab' },
      vendor: { manufacturer: 'Maker', serialNumber: 'B8', firmware: '11.4' },
    });
    expect(await both()).toEqual({
      state: 'changed',
      sinceMs: 7,
      changedAtMs: 9,
      reason: 'units-changed',
      trust: 'trusted',
      subject: 'CN=Gate',
      issuer: 'CN=Maker',
      fingerprint: 'ab',
      manufacturer: 'Maker',
      serialNumber: 'B8',
      firmware: '11.4',
    });
  });

  it('says whether the camera is being recorded, and why not', async () => {
    const seen = async () =>
      ((await fixture.call(FULL, { cameraUuid: uuid })).fullCameraState as { onCameraState: object })
        .onCameraState;
    const off = { state: 'off', code: null, reasons: [], isForbidden: false } as const;
    fixture.cameraRecordings.set(uuid, off);
    expect(await seen()).toEqual({ v0: { sound: 'unknown', talk: TALK, recording: 'off' } });
    fixture.cameraRecordings.set(uuid, { ...off, state: 'recording', reasons: ['events', 'shares'] });
    expect(await seen()).toEqual({
      v0: { sound: 'unknown', talk: TALK, recording: 'recording', recordingReasons: ['events', 'shares'] },
    });
    fixture.cameraRecordings.set(uuid, { ...off, state: 'failed', code: 'RECORDING_DISK_FULL' });
    expect(await seen()).toMatchObject({ v0: { recording: 'failed', recordingCode: 'RECORDING_DISK_FULL' } });
  });

  it('opens the camera when forced', async () => {
    const url = 'rtsp://camera.example/main';
    fixture.rtspCameras.byUrl.set(url, { login: 'viewer:s3cret', hasAudio: true });
    const good = await fixture.call(FULL, { cameraUuid: uuid, force: true });
    expect(good.fullCameraState).toMatchObject({
      audioSupported: true,
      onCameraState: { v0: { rtspUrlStatus: 'GOOD', codec: 'h264', frameRate: 25 } },
    });
    fixture.rtspCameras.byUrl.delete(url);
    expect(await stateOf(uuid)).toMatchObject({
      connectionStatus: 'GREEN',
      connectionDetail: { state: 'reachable', checkedAtMs: fixture.clock.epochMs() },
    });
    const gone = await fixture.call(FULL, { cameraUuid: uuid, force: true });
    expect(gone.fullCameraState).toMatchObject({
      connectionStatus: 'RED',
      connectionDetail: { state: 'offline', reason: 'unreachable', code: 'DIRECT_UNREACHABLE' },
      onCameraState: { v0: { rtspUrlStatus: 'NOT_REACHABLE' } },
    });
    expect(gone.fullCameraState).not.toHaveProperty('audioSupported');
    expect(JSON.stringify(good)).not.toContain('s3cret');
  });

  it('refuses another organization’s', async () => {
    expect((await fixture.call(FULL, { cameraUuid: uuid }, foreignKey)).errorMsg).toBe(NO_CAMERA);
    expect((await fixture.call(FULL, {})).errorMsg).toBe('cameraUuid is required.');
  });
});
