import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { sampleCamera, sampleNvr } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const CREATE = '/api/relay/createNvr';
const UPDATE = '/api/relay/updateDetailsV2';
const UNREGISTER = '/api/relay/unregister';
const FULL = '/api/relay/getFullNVRState';
const DETAILS = '/api/relay/getDetails';
const ASSIGNED = '/api/relay/getAssignedThirdPartyCameras';
const THIRD_PARTY = '/api/relay/getMinimalThirdPartyCameraStateList';
const ANNOUNCE = '/api/org/createPendingRegistration';
const ANNOUNCED = '/api/org/findAllHardwareWithPendingRegistration';
const UPDATE_ANNOUNCED = '/api/org/updatePendingRegistration';
const REMOVE_ANNOUNCED = '/api/org/removePendingRegistration';
const NO_NVR = 'There is no NVR with this UUID.';
const URL_A = 'rtsp://192.0.2.10/stream1';

let fixture: ApiFixture;
let ownOrg: Ruuid;
let nvrUuid: Ruuid;
let foreignKey: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  ownOrg = fixture.own.organization.uuid;
  nvrUuid = fixture.own.nvrUuid;
  foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

const recordOf = async (uuid: Ruuid) =>
  ((await fixture.call(DETAILS, { nvruuids: [uuid] })).nvrs as object[] | undefined)?.[0];

describe(CREATE, () => {
  it('creates an NVR at a site, whose cameras can then be assigned to it', async () => {
    const { locationUuid } = fixture.own;
    const { nvrUuid: created } = await fixture.call(CREATE, { name: ' Back office ', locationUuid });
    expect(await recordOf(created as Ruuid)).toMatchObject({ name: 'Back office', locationUuid });
    const camera = { name: 'Yard', mainUrl: URL_A, nvrUuid: created };
    const { cameraUuid } = await fixture.call('/api/camera/createCamera', camera);
    expect(await fixture.store.cameras.find(ownOrg, cameraUuid as Ruuid)).toMatchObject({
      nvrUuid: created,
      locationUuid,
    });
  });

  it('refuses a blank name and another organization’s site', async () => {
    expect((await fixture.call(CREATE, { name: ' ' })).errorMsg).toBe('name must not be blank.');
    const { locationUuid } = fixture.own;
    expect((await fixture.call(CREATE, { name: 'X', locationUuid }, foreignKey)).errorMsg).toMatch(
      /no location with this UUID/,
    );
    expect(await fixture.store.nvrs.list(ownOrg)).toHaveLength(1);
  });
});

describe('moving a camera', () => {
  const MOVE = '/api/camera/updateDetailsV2';
  const nvrOf = async (uuid: Ruuid) => (await fixture.store.cameras.find(ownOrg, uuid))?.nvrUuid;

  it('assigns it to another NVR, and to none', async () => {
    const { uuid } = fixture.own.camera;
    await fixture.store.cameras.save({ ...fixture.own.camera, fromConfig: false });
    const other = sampleNvr(ownOrg);
    await fixture.store.nvrs.save(other);
    await fixture.call(MOVE, { uuid, nvrUuid: other.uuid, nvrUuidUpdated: true });
    expect(await nvrOf(uuid)).toBe(other.uuid);
    await fixture.call(MOVE, { uuid, nvrUuid });
    expect(await nvrOf(uuid)).toBe(other.uuid);
    await fixture.call(MOVE, { uuid, nvrUuidUpdated: true });
    expect(await nvrOf(uuid)).toBeNull();
  });

  it('leaves its time zone as it is: without a site of its own, it stays at that of the NVR', async () => {
    const { camera, locationUuid } = fixture.own;
    await fixture.store.cameras.save({ ...camera, locationUuid: null, fromConfig: false });
    const nvr = await fixture.store.nvrs.find(ownOrg, nvrUuid);
    await fixture.store.nvrs.save({ ...nvr!, locationUuid });
    await fixture.call(MOVE, { uuid: camera.uuid, nvrUuidUpdated: true });
    expect(await fixture.store.cameras.find(ownOrg, camera.uuid)).toMatchObject({
      nvrUuid: null,
      locationUuid,
    });
  });

  it('is refused to an NVR of another organization, and for a camera of the file', async () => {
    const { uuid } = fixture.own.camera;
    await fixture.store.cameras.save({ ...fixture.own.camera, fromConfig: true });
    const change = { uuid, nvrUuidUpdated: true };
    expect((await fixture.call(MOVE, change)).errorMsg).toMatch(/^The configuration file declares Lobby/);
    await fixture.store.cameras.save({ ...fixture.own.camera, fromConfig: false });
    const foreign = { ...change, nvrUuid: fixture.foreign.nvrUuid };
    expect((await fixture.call(MOVE, foreign)).errorMsg).toMatch(/no NVR with this UUID/);
    expect(await nvrOf(uuid)).toBe(nvrUuid);
  });
});

describe(UPDATE, () => {
  it('applies what is flagged, and shows it in record and states', async () => {
    const policyUuid = newRuuid();
    await fixture.call(UPDATE, {
      uuid: nvrUuid,
      name: 'Core 2',
      nameUpdated: true,
      description: 'Rack',
      descriptionUpdated: true,
      floorNumber: -1,
      floorNumberUpdated: true,
      latitude: 1,
      policyUuid,
      locationUuidUpdated: true,
    });
    expect(await recordOf(nvrUuid)).toMatchObject({
      name: 'Core 2',
      description: 'Rack',
      floorNumber: -1,
      policyUuid,
      type: 'NVR',
      serialNumber: 'SN-1',
      pending: false,
    });
    for (const field of ['latitude', 'locationUuid']) {
      expect(await recordOf(nvrUuid)).not.toHaveProperty(field);
    }
    const { nvrstates } = await fixture.call('/api/relay/getMinimalNVRStateList');
    expect(nvrstates).toMatchObject([{ name: 'Core 2', floorNumber: -1, policyUuid }]);
  });

  it('refuses NVRs of the file, other organizations’ and unknown ones', async () => {
    const declared = sampleNvr(ownOrg, { name: 'Main', fromConfig: true });
    await fixture.store.nvrs.save(declared);
    const rename = { name: 'X', nameUpdated: true };
    expect((await fixture.call(UPDATE, { uuid: declared.uuid, ...rename })).errorMsg).toMatch(
      /^The configuration file declares Main/,
    );
    expect((await fixture.call(UPDATE, { uuid: nvrUuid, ...rename }, foreignKey)).errorMsg).toBe(NO_NVR);
    expect((await fixture.call(UPDATE, { uuid: newRuuid() })).errorMsg).toBe(NO_NVR);
    expect(await recordOf(nvrUuid)).toMatchObject({ name: 'Core' });
  });
});

describe(UNREGISTER, () => {
  it('removes an NVR without cameras', async () => {
    const { uuid: nvruuid } = await saveNvr();
    await fixture.store.cameras.save(sampleCamera(ownOrg, { nvrUuid: nvruuid, mummified: true }));
    expect((await fixture.call(UNREGISTER, { nvruuid }, foreignKey)).errorMsg).toBe(NO_NVR);
    expect(await fixture.call(UNREGISTER, { nvruuid })).toMatchObject({ responseStatus: 'SUCCESS' });
    expect(await fixture.store.nvrs.find(ownOrg, nvruuid)).toBeNull();
  });

  it('is refused while cameras are assigned, and names them', async () => {
    const camera = { name: 'Gate', nvrUuid, createdAtMs: Date.UTC(2027) };
    await fixture.store.cameras.save(sampleCamera(ownOrg, camera));
    const { errorMsg } = await fixture.call(UNREGISTER, { nvruuid: nvrUuid });
    expect(errorMsg).toBe('Cameras are assigned to the NVR: Lobby, Gate. Unassign them first.');
    expect(await fixture.store.nvrs.find(ownOrg, nvrUuid)).not.toBeNull();
  });

  it('is refused for an NVR of the file', async () => {
    const { uuid } = await saveNvr({ fromConfig: true });
    expect((await fixture.call(UNREGISTER, { nvruuid: uuid })).errorMsg).toMatch(/configuration file/);
  });

  async function saveNvr(overrides = {}) {
    const nvr = sampleNvr(ownOrg, overrides);
    await fixture.store.nvrs.save(nvr);
    return nvr;
  }
});

describe('reading NVRs', () => {
  it('shows the full state with the state of each camera', async () => {
    const camera = fixture.own.camera.uuid;
    fixture.cameraStates.set(camera, 'live');
    const { fullNVRState } = await fixture.call(FULL, { nvruuid: nvrUuid, force: true });
    expect(fullNVRState).toMatchObject({
      uuid: nvrUuid,
      name: 'Core',
      connectionStatus: 'GREEN',
      onCameraState: { [camera]: { streamState: 'live' } },
      stateUpdatedTimestampMs: fixture.clock.epochMs(),
    });
    expect((await fixture.call(FULL, { nvruuid: nvrUuid }, foreignKey)).errorMsg).toBe(NO_NVR);
  });

  it('shows all records if there is no list, and refuses unknown ones', async () => {
    expect((await fixture.call(DETAILS)).nvrs).toMatchObject([{ uuid: nvrUuid }]);
    expect((await fixture.call(DETAILS, { nvruuids: [fixture.foreign.nvrUuid] })).errorMsg).toMatch(
      /^nvruuids: there is no NVR/,
    );
  });

  it('lists the cameras behind an NVR', async () => {
    const { assignedCameras } = await fixture.call(ASSIGNED, { nvruuid: nvrUuid });
    expect(assignedCameras).toMatchObject([
      { uuid: fixture.own.camera.uuid, orgUuid: ownOrg, type: 'CAMERA', name: 'Lobby' },
    ]);
    expect((await fixture.call(ASSIGNED, { nvruuid: nvrUuid }, foreignKey)).errorMsg).toBe(NO_NVR);
  });

  it('lists RTSP cameras, assigned or not', async () => {
    const { locationUuid } = fixture.own;
    fixture.rtspCameras.byUrl.set(URL_A, {});
    await fixture.call('/api/relay/manualDiscoverCamera', { rtspUrl: URL_A, locationUuid });
    const before = await fixture.call(THIRD_PARTY);
    expect(before.thirdPartyCameraStateList).toMatchObject([
      { name: '192.0.2.10', lastRtspUrlStatus: 'GOOD' },
      { name: 'Lobby', assignedNVRUuid: nvrUuid },
    ]);
    const { deviceUuid } = await fixture.call('/api/relay/assignThirdPartyCameraToNVR', {
      nvruuid: nvrUuid,
      rtspUrl: URL_A,
      name: 'Dock',
    });
    const atMs = fixture.clock.epochMs();
    const list = await fixture.post(THIRD_PARTY);
    expect(list.json().thirdPartyCameraStateList).toMatchObject([
      {
        uuid: deviceUuid,
        assignedRelayCameraUuid: deviceUuid,
        rtspUrl: URL_A,
        codec: 'h264',
        lastVisibleMs: { [nvrUuid]: atMs },
        lastVisibleLocationMs: { [locationUuid]: atMs },
      },
      { name: 'Lobby' },
    ]);
    expect(list.body).not.toContain('s3cret');
    expect((await fixture.call(THIRD_PARTY, {}, foreignKey)).thirdPartyCameraStateList).toHaveLength(1);
  });
});

describe('announced NVRs', () => {
  const announced = async (headers = {}) =>
    (await fixture.call(ANNOUNCED, {}, headers)).hardwareWithPendingRegistrationInfoList as {
      hwUuid: Ruuid;
    }[];

  it('become NVRs with their first camera', async () => {
    const { locationUuid } = fixture.own;
    const keys = { wifiSsid: 'lan', wifiPsk: ['wifi-key'] };
    await fixture.call(ANNOUNCE, { serialNumber: ' NVR-2 ', orgUuid: ownOrg, ...keys });
    const [{ hwUuid }] = (await announced()) as [{ hwUuid: Ruuid }];
    const policyUuid = newRuuid();
    const change = { hardwareUuid: hwUuid, name: 'East', locationUuid, policyUuid };
    expect(await fixture.call(UPDATE_ANNOUNCED, change)).toMatchObject({ error: false });
    const list = await fixture.post(ANNOUNCED);
    expect(list.json()).toMatchObject({
      hardwareList: [{ uuid: hwUuid, serialNumber: 'NVR-2', type: 'NVR' }],
      hardwareWithPendingRegistrationInfoList: [
        { hwUuid, pendingRegistrationInfo: { name: 'East', locationUuid, policyUuid } },
      ],
    });
    expect(list.body).not.toContain('wifi-key');
    expect(await recordOf(hwUuid)).toMatchObject({ pending: true, name: 'East' });
    expect(await fixture.store.nvrs.find(ownOrg, hwUuid)).toBeNull();

    fixture.rtspCameras.byUrl.set(URL_A, {});
    await fixture.call('/api/relay/manualDiscoverCamera', { rtspUrl: URL_A });
    const assign = { nvruuid: hwUuid, rtspUrl: URL_A };
    expect((await fixture.call('/api/relay/assignThirdPartyCameraToNVR', assign)).error).toBe(false);
    expect(await announced()).toEqual([]);
    expect(await recordOf(hwUuid)).toMatchObject({
      pending: false,
      name: 'East',
      serialNumber: 'NVR-2',
      locationUuid,
      policyUuid,
    });
    expect((await fixture.call(ANNOUNCE, { serialNumber: 'NVR-2' })).errorMsg).toMatch(/^serialNumber/);
  });

  it('are removed by their serial number', async () => {
    await fixture.call(ANNOUNCE, { serialNumber: 'NVR-2' });
    expect((await fixture.call(REMOVE_ANNOUNCED, { serialNumber: 'NVR-2' }, foreignKey)).error).toBe(true);
    expect(await announced()).toHaveLength(1);
    expect((await fixture.call(REMOVE_ANNOUNCED, { serialNumber: 'NVR-2' })).error).toBe(false);
    expect(await announced()).toEqual([]);
    expect((await fixture.call(REMOVE_ANNOUNCED, { serialNumber: 'NVR-2' })).error).toBe(true);
  });

  it('are each organization’s own', async () => {
    await fixture.call(ANNOUNCE, { serialNumber: 'NVR-2' });
    expect((await fixture.call(ANNOUNCE, { serialNumber: 'NVR-2' }, foreignKey)).error).toBe(false);
    const [own] = await announced();
    const [foreign] = await announced(foreignKey);
    expect(own?.hwUuid).not.toBe(foreign?.hwUuid);
    const change = { hardwareUuid: own?.hwUuid, name: 'X' };
    expect((await fixture.call(UPDATE_ANNOUNCED, change, foreignKey)).errorMsg).toMatch(/no announced NVR/);
  });

  it.each([
    [{}, 'serialNumber is required.'],
    [{ serialNumber: ' ' }, 'serialNumber must not be blank.'],
    [{ serialNumber: 'SN-1' }, /^serialNumber: an NVR with this serial number/],
    [{ serialNumber: 'N', orgUuid: newRuuid() }, /^orgUuid must be/],
    [{ serialNumber: 'N', locationUuid: newRuuid() }, 'There is no location with this UUID.'],
  ])('refuses %j', async (body, sentence) => {
    expect((await fixture.call(ANNOUNCE, body)).errorMsg).toMatch(sentence);
    expect(await announced()).toEqual([]);
  });
});
