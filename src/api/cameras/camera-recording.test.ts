import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { NO_RULE } from '../../recording/recording-rule.ts';
import { MANUAL_RECORDINGS } from '../../store/manual-recording.ts';
import { type Answer, type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

const NO_CAMERA = 'There is no camera with this UUID.';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

function call(name: string, body: object = {}, headers?: Record<string, string>): Promise<Answer> {
  return fixture.call(`/api/camera/${name}`, { cameraUuid: fixture.own.camera.uuid, ...body }, headers);
}

const settings = () => call('getRecordingSettings');

describe('a recording that a person starts', () => {
  it('lasts ten minutes unless they say otherwise, is extended, and stops', async () => {
    const { manual } = await call('startRecording');
    const nowMs = fixture.clock.epochMs();
    expect(manual).toEqual({
      startedAtMs: nowMs,
      endsAtMs: nowMs + 600_000,
      startedBy: fixture.own.key.name,
    });
    expect(await settings()).toMatchObject({ manual, nowMs });
    const extended = await call('startRecording', { durationSec: 1_200 });
    expect(extended.manual).toMatchObject({ startedAtMs: nowMs, endsAtMs: nowMs + 1_200_000 });
    expect(await call('stopRecording')).toEqual({ error: false });
    expect(await call('stopRecording')).toEqual({ error: false });
    expect(await settings()).not.toHaveProperty('manual');
    const feed = await fixture.call('/api/report/getAuditFeed', { timestampMsAfter: 0 });
    const { auditEvents } = feed as unknown as { auditEvents: { action: string; targetUuid: string }[] };
    const own = auditEvents.filter(({ targetUuid }) => targetUuid === fixture.own.camera.uuid);
    expect(own.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['START_CAMERA_RECORDING', 'EXTEND_CAMERA_RECORDING', 'STOP_CAMERA_RECORDING']),
    );
  });

  it('is refused where the configuration file turns recording off', async () => {
    fixture.recordingRules.set(fixture.own.camera.uuid, {
      rule: { ...NO_RULE, choice: 'off', isForbidden: true },
      inFile: ['recording'],
    });
    const { errorMsg } = await call('startRecording');
    expect(errorMsg).toBe('The configuration file turns recording off for this camera.');
    expect(await fixture.store.resources.of(MANUAL_RECORDINGS).count(fixture.own.organization.uuid)).toBe(0);
    expect(await settings()).toMatchObject({ recording: 'off', setInFile: ['recording'] });
  });

  it('is neither started, stopped nor seen by another organization', async () => {
    await call('startRecording');
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    for (const name of ['startRecording', 'stopRecording', 'getRecordingSettings']) {
      expect((await call(name, {}, foreign)).errorMsg).toBe(NO_CAMERA);
    }
    expect(await settings()).toHaveProperty('manual');
  });

  it('is started and stopped by operators, and seen by viewers', async () => {
    const { uuid } = fixture.own.organization;
    const headers = async (role: 'viewer' | 'operator') => ({
      'x-auth-apikey': await addApiKey(fixture.store, uuid, { role }),
    });
    const [viewer, operator] = [await headers('viewer'), await headers('operator')];
    const body = { cameraUuid: fixture.own.camera.uuid };
    for (const name of ['startRecording', 'stopRecording']) {
      expect((await fixture.post(`/api/camera/${name}`, body, viewer)).statusCode).toBe(403);
      expect((await fixture.post(`/api/camera/${name}`, body, operator)).statusCode).toBe(200);
    }
    expect((await fixture.post('/api/camera/getRecordingSettings', body, viewer)).statusCode).toBe(200);
  });

  it.each([0, 9, 43_201, 1.5])('cannot last %s seconds', async (durationSec) => {
    expect((await call('startRecording', { durationSec })).errorMsg).toMatch(/^durationSec must be/);
  });
});

describe('the forecast of a camera', () => {
  it('says how long its recordings stay, and why no longer', async () => {
    const forecast = { bytesPerDay: 40e9, keptMs: 11.4 * 86_400_000, decidedBy: 'disk' } as const;
    fixture.recordingRules.set(fixture.own.camera.uuid, { forecast });
    expect(await settings()).toMatchObject({ forecast });
  });
});

describe('the settings of a camera', () => {
  it('are those in effect, with what decides them and the true state', async () => {
    const { uuid } = fixture.own.camera;
    expect(await settings()).toEqual({
      error: false,
      recording: 'off',
      defaults: { streams: 'both', preRollSec: 10, postRollSec: 30, keepHours: 720, keepSubHours: 720 },
      setInFile: [],
      ignoredInFile: [],
      state: 'off',
      reasons: [],
      timeZone: expect.any(String),
      nowMs: fixture.clock.epochMs(),
    });
    const intervals = [{ minuteOfWeekStart: 480, minuteOfWeekStop: 1_080 }];
    const schedule = { kind: 'weekly', intervals } as const;
    fixture.recordingRules.set(uuid, {
      rule: {
        ...NO_RULE,
        choice: 'schedule',
        streams: 'sub',
        schedule,
        keepMs: 7 * 86_400_000,
        keepSubMs: 90 * 86_400_000,
        postRollMs: 5_000,
      },
      inFile: ['recording', 'schedule', 'keep'],
    });
    fixture.cameraRecordings.set(uuid, {
      state: 'failed',
      code: 'RECORDING_DISK_FULL',
      reasons: ['schedule'],
      isForbidden: false,
    });
    const location = (await fixture.store.locations.find(
      fixture.own.organization.uuid,
      fixture.own.locationUuid,
    ))!;
    expect(await settings()).toMatchObject({
      recording: 'schedule',
      scheduleTimes: intervals,
      streams: 'sub',
      keepHours: 168,
      keepSubHours: 2_160,
      postRollSec: 5,
      setInFile: ['recording', 'schedule', 'keep'],
      state: 'failed',
      reasons: ['schedule'],
      code: 'RECORDING_DISK_FULL',
      timeZone: location.tz,
    });
    const stored = newRuuid();
    fixture.recordingRules.set(uuid, {
      rule: { ...NO_RULE, choice: 'schedule', schedule: { kind: 'stored', uuid: stored } },
    });
    const followed = await settings();
    expect(followed).toMatchObject({ scheduleUuid: stored });
    expect(followed).not.toHaveProperty('scheduleTimes');
  });
});
