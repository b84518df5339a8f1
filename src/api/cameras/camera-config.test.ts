import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { asJsonSchema, type JsonSchema } from '../../http/fields/json-schema.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { CAMERA_CONFIG_SCHEMA, CAMERA_SETTING_NAMES } from './camera-config.ts';

const UPDATE = '/api/camera/updateConfig';

let fixture: ApiFixture;
let deviceUuid: string;
beforeEach(async () => {
  fixture = await openApiFixture();
  deviceUuid = fixture.own.camera.uuid;
});
afterEach(() => fixture.close());

async function stored(): Promise<Record<string, unknown> | undefined> {
  const { fullCameraState } = await fixture.call('/api/camera/getFullCameraState', {
    cameraUuid: deviceUuid,
  });
  return (fullCameraState as { onCloudState: { v0?: Record<string, unknown> } }).onCloudState.v0;
}

/** A value with every field that the schema knows. */
function filled(schema: JsonSchema): unknown {
  if (schema.properties !== undefined) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, field]) => [name, filled(field)]),
    );
  }
  if (schema.items !== undefined) return [filled(schema.items)];
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.pattern !== undefined) return fixture.own.camera.uuid;
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number') return 7;
  return schema.type === 'object' ? { anything: [1, { goes: null }] } : 'text';
}

describe(UPDATE, () => {
  it('stores every field and returns it', async () => {
    const { scheduleUuid } = await fixture.call('/api/schedule/createWeeklySchedule', {
      schedule: { name: 'Off', intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 1 }] },
    });
    const config = {
      ...(filled(asJsonSchema(CAMERA_CONFIG_SCHEMA)) as Record<string, unknown>),
      orgUuid: fixture.own.organization.uuid,
      disabled_schedule_uuid: scheduleUuid,
      recording_schedule_uuid: scheduleUuid,
    };
    const response = await fixture.call(UPDATE, { config });
    expect(response).toMatchObject({ error: false, warningMsg: expect.stringMatching(/deprecated/) });
    const { deviceUuid: _device, orgUuid: _org, ...settings } = config as Record<string, unknown>;
    expect(Object.keys(settings).sort()).toEqual([...CAMERA_SETTING_NAMES].sort());
    expect(await stored()).toEqual(settings);
  });

  it('says when and how a camera is recorded', async () => {
    const { scheduleUuid } = await fixture.call('/api/schedule/createWeeklySchedule', {
      schedule: { name: 'Day', intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 1 }] },
    });
    const refused = async (config: object) =>
      (await fixture.call(UPDATE, { config: { deviceUuid, ...config } })).errorMsg;
    expect(await refused({ recording: 'schedule' })).toBe(
      'config.recording_schedule_uuid is required with config.recording schedule.',
    );
    expect(await refused({ recording: 'never' })).toMatch(/^config\.recording must be/);
    expect(await refused({ recording_schedule_uuid: newRuuid() })).toBe(
      'config.recording_schedule_uuid: there is no schedule with this UUID.',
    );
    expect(await refused({ recording_pre_roll_sec: 61 })).toMatch(/^config\.recording_pre_roll_sec must be/);
    expect(await refused({ recording_streams: 'all' })).toMatch(/^config\.recording_streams must be/);
    expect(await stored()).toBeUndefined();
    for (const settings of [
      { recording: 'always' },
      { recording: 'off' },
      { recording: 'schedule', recording_schedule_uuid: scheduleUuid },
      { recording: 'events', recording_pre_roll_sec: 5, recording_post_roll_sec: 60 },
      { recording_keep_hours: 24, recording_max_bytes: 2 ** 40 },
      { recording_streams: 'sub', recording_keep_sub_hours: 2_160, recording_keep_key_frames_hours: 8_760 },
      { recording_over_file: true },
    ]) {
      expect(await refused(settings)).toBeUndefined();
      expect(await stored()).toMatchObject(settings);
    }
    // The schedule is stored.
    expect(await refused({ recording: 'schedule' })).toBeUndefined();
  });

  it('has exactly the specification’s flags and numbers, recording, and how crossings are counted', () => {
    const { properties = {} } = asJsonSchema(CAMERA_CONFIG_SCHEMA);
    const ofType = (type: string) => Object.values(properties).filter((field) => field.type === type).length;
    expect(ofType('boolean')).toBe(33 + 2);
    expect(ofType('number')).toBe(42);
    expect(Object.keys(properties)).toHaveLength(33 + 42 + 3 + 21 + 9 + 3);
  });

  it('changes what is sent and leaves the rest', async () => {
    await fixture.call(UPDATE, {
      config: { deviceUuid, hdr_enabled: true, resolution: { width: 1920, height: 1080 } },
    });
    fixture.clock.advance(1_000);
    const change = { deviceUuid, hdr_enabled: null, rotation: 90.5, resolution: { width: 640 }, unknown: 1 };
    await fixture.call(UPDATE, { config: change });
    expect(await stored()).toEqual({
      hdr_enabled: true,
      resolution: { width: 640 },
      rotation: 90.5,
      lastModified: fixture.clock.epochMs(),
    });
  });

  it('is limited in total size', async () => {
    const text = 'x'.repeat(150_000);
    const config = (name: string) => ({ deviceUuid, firmware_dev_settings: { [name]: text } });
    expect((await fixture.call(UPDATE, { config: config('a') })).error).toBe(false);
    const more = { ...config('b'), metering_config: { rotation: 1 } };
    expect((await fixture.call(UPDATE, { config: more })).error).toBe(false);
    const tooMuch = { deviceUuid, firmware_dev_settings: { a: text, b: text } };
    expect((await fixture.call(UPDATE, { config: tooMuch })).errorMsg).toMatch(/^config is too large/);
    expect(await stored()).toMatchObject({ firmware_dev_settings: { b: text } });
  });

  it('has a deprecation header', async () => {
    const response = await fixture.post(UPDATE, { config: { deviceUuid } });
    expect(response.headers.deprecation).toMatch(/^@\d+$/);
    expect((await fixture.post('/api/location/getLocations')).headers.deprecation).toBeUndefined();
  });

  it('refuses what is not the organization’s and what is invalid', async () => {
    for (const [config, sentence] of [
      [{}, 'config.deviceUuid is required.'],
      [{ deviceUuid: newRuuid() }, /no camera/],
      [{ deviceUuid: fixture.foreign.camera.uuid }, /no camera/],
      [{ deviceUuid, orgUuid: fixture.foreign.organization.uuid }, /no camera/],
      [{ deviceUuid, disabled_schedule_uuid: newRuuid() }, /^config\.disabled_schedule_uuid/],
      [{ deviceUuid, hdr_enabled: 'yes' }, 'config.hdr_enabled must be a boolean, got string.'],
      [{ deviceUuid, rotation: '90' }, 'config.rotation must be a number, got string.'],
      [{ deviceUuid, firmware_dev_settings: 7 }, /^config\.firmware_dev_settings must be/],
      [
        { deviceUuid, privacy_window_polygons: [{ coordinates: [{ x: 1 }] }] },
        'config.privacy_window_polygons[0].coordinates[0].y is required.',
      ],
    ] as const) {
      expect((await fixture.call(UPDATE, { config })).errorMsg).toMatch(sentence);
    }
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect((await fixture.call(UPDATE, { config: { deviceUuid, rotation: 1 } }, foreign)).error).toBe(true);
    expect(await stored()).toBeUndefined();
  });
});

it.each(['/api/camera/getConfig', '/api/camera/getFacetedConfig'])(
  '%s returns what updateConfig stored, and nothing else',
  async (path) => {
    const { camera, organization } = fixture.own;
    const identity = { deviceUuid: camera.uuid, orgUuid: organization.uuid };
    const read = (cameraUuid: string, headers = {}) => fixture.call(path, { cameraUuid }, headers);
    expect((await read(camera.uuid)).config).toEqual(identity);
    const settings = {
      hdr_enabled: false,
      rotation: 180,
      resolution: { width: 1920, height: 1080 },
      privacy_windows: [{ x: 1, y: 2, w: 3, h: 4 }],
      firmware_dev_settings: { anything: [1, { goes: null }] },
    };
    await fixture.call('/api/camera/updateConfig', { config: { ...settings, deviceUuid: camera.uuid } });
    const stored = { ...settings, ...identity, lastModified: fixture.clock.epochMs() };
    expect((await read(camera.uuid)).config).toEqual(stored);
    expect((await read(`${camera.uuid}.v0`)).config).toEqual(stored);
    expect((await read(fixture.own.doorbell.uuid)).config).toMatchObject({
      deviceUuid: fixture.own.doorbell.uuid,
    });
    const foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
    const unknown = await read(newRuuid());
    expect(unknown).toMatchObject({ error: true, errorMsg: expect.stringMatching(/^There is no camera/) });
    expect(await read(camera.uuid, foreignKey)).toEqual(unknown);
    expect((await fixture.call(path)).errorMsg).toBe('cameraUuid is required.');
  },
);

it('a configuration is stored and read by either name of the camera, with or without a facet', async () => {
  const { camera, organization } = fixture.own;
  const facet = `${camera.uuid}.v0`;
  const configUpdate = { deviceUuid: facet, hdr_enabled: true, unheardOf: 5 };
  const stored = await fixture.call('/api/camera/updateFacetedConfig', { configUpdate });
  expect(stored).toMatchObject({ error: false, warningMsg: expect.stringContaining('unheardOf') });
  for (const request of [{ deviceUuid: camera.uuid }, { deviceUuid: facet }, { cameraUuid: facet }]) {
    const { config } = await fixture.call('/api/camera/getFacetedConfig', request);
    expect(config).toMatchObject({ hdr_enabled: true, deviceUuid: camera.uuid, orgUuid: organization.uuid });
  }
  const foreign = { deviceUuid: fixture.foreign.camera.uuid };
  expect(await fixture.call('/api/camera/getFacetedConfig', foreign)).toMatchObject({ error: true });
  expect(
    await fixture.call('/api/camera/updateFacetedConfig', { configUpdate: { ...configUpdate, ...foreign } }),
  ).toMatchObject({ error: true });
});
