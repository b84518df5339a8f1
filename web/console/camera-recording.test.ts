import './page-address-fixture.ts';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type RecordingDraft, recordingSign, saveRecording } from './camera-recording.ts';
import { ALWAYS, NEVER } from './week.ts';

describe('what one sees of a recording', () => {
  test.each([
    ['recording', ['always'], undefined, false, 'recording', 'Recording'],
    ['recording', ['always'], undefined, true, 'failed', 'Not recorded: the camera is offline'],
    ['starting', ['manual'], undefined, false, 'waiting', 'Starting to record'],
    ['starting', ['manual'], undefined, true, 'failed', 'Not recorded: the camera is offline'],
    ['standby', ['schedule', 'shares'], undefined, true, 'waiting', 'Records at its next scheduled time'],
    ['standby', ['events'], undefined, false, 'waiting', 'Records when something happens'],
    ['failed', ['always'], 'RECORDING_DISK_FULL', false, 'failed', 'Not recorded: the disk is full'],
    ['failed', ['always'], 'RECORDING_OF_TOMORROW', true, 'failed', 'Not recorded: recording failed'],
    ['off', [], undefined, true, 'off', 'Not recorded'],
  ] as const)('%s for %s with %s, offline: %s', (state, reasons, code, isOffline, tone, text) => {
    const sign = recordingSign({ state, reasons, ...(code === undefined ? {} : { code }) }, isOffline);
    expect(sign).toEqual({ tone, text });
  });
});

describe('saving how a camera is recorded', () => {
  const camera = { uuid: 'camera', name: 'Dock' };
  const before: RecordingDraft = {
    mode: 'off',
    streams: 'both',
    week: NEVER,
    preRollSec: 10,
    postRollSec: 30,
    keepHours: null,
    keepSubHours: null,
    keepKeyFramesHours: null,
    maxBytes: null,
  };
  let calls: { path: string; body: unknown }[];
  let uses: readonly { kind: string; uuid: string }[] | null;

  beforeEach(() => {
    calls = [];
    uses = [];
    vi.stubGlobal('fetch', async (url: URL, { body }: { body: string }) => {
      const path = url.pathname.split('/api/')[1]!;
      calls.push({ path, body: JSON.parse(body) });
      if (path !== 'schedule/getScheduleUses') return Response.json({ scheduleUuid: 'new' });
      return uses === null ? Response.json({ error: true }) : Response.json({ uses });
    });
    return () => vi.unstubAllGlobals();
  });

  const configUpdate = () => calls.find(({ path }) => path === 'camera/updateFacetedConfig')?.body;
  const byWeek = { ...before, mode: 'schedule', week: ALWAYS } as const;

  test('stores only what differs', async () => {
    const draft = {
      ...before,
      mode: 'events',
      streams: 'main',
      postRollSec: 60,
      keepHours: 24,
      keepSubHours: 48,
      keepKeyFramesHours: 8_760,
    } as const;
    await saveRecording(camera, before, draft, { scheduleUuid: undefined, isWeekNew: false, setInFile: [] });
    expect(calls).toHaveLength(1);
    expect(configUpdate()).toEqual({
      configUpdate: {
        deviceUuid: 'camera',
        recording: 'events',
        recording_streams: 'main',
        recording_post_roll_sec: 60,
        recording_keep_hours: 24,
        recording_keep_sub_hours: 48,
        recording_keep_key_frames_hours: 8_760,
      },
    });
    calls = [];
    await saveRecording(
      camera,
      draft,
      { ...draft, keepHours: null },
      { scheduleUuid: undefined, isWeekNew: false, setInFile: [] },
    );
    expect(configUpdate()).toMatchObject({ configUpdate: { recording_keep_hours: 0 } });
  });

  test('makes a schedule of a painted week, and changes it in place while only this camera uses it', async () => {
    await saveRecording(camera, before, byWeek, { scheduleUuid: undefined, isWeekNew: true, setInFile: [] });
    expect(calls.map(({ path }) => path)).toEqual([
      'schedule/createWeeklySchedule',
      'camera/updateFacetedConfig',
    ]);
    expect(configUpdate()).toMatchObject({ configUpdate: { recording_schedule_uuid: 'new' } });
    calls = [];
    uses = [{ kind: 'CAMERA_CONFIG', uuid: 'camera' }];
    await saveRecording(camera, byWeek, byWeek, { scheduleUuid: 'own', isWeekNew: true, setInFile: [] });
    expect(calls.map(({ path }) => path)).toContain('policy/updateSchedule');
    expect(configUpdate()).toMatchObject({ configUpdate: { recording_schedule_uuid: 'own' } });
  });

  test.each([
    ['a share uses', [{ kind: 'SHARED_STREAM', uuid: 'share' }]],
    ['another camera uses', [{ kind: 'CAMERA_CONFIG', uuid: 'other' }]],
    ['was deleted', null],
  ])('leaves a schedule alone that %s', async (_why, of) => {
    uses = of;
    await saveRecording(camera, byWeek, byWeek, { scheduleUuid: 'theirs', isWeekNew: true, setInFile: [] });
    expect(calls.map(({ path }) => path)).not.toContain('policy/updateSchedule');
    expect(configUpdate()).toMatchObject({ configUpdate: { recording_schedule_uuid: 'new' } });
  });

  test('takes the place of all that the configuration file has for the camera', async () => {
    const inFile = { ...before, mode: 'always', keepHours: 2_160 } as const;
    const setInFile = ['recording', 'keep'] as const;
    await saveRecording(
      camera,
      inFile,
      { ...inFile, mode: 'schedule', week: ALWAYS },
      {
        scheduleUuid: undefined,
        isWeekNew: true,
        setInFile,
      },
    );
    expect(configUpdate()).toEqual({
      configUpdate: {
        deviceUuid: 'camera',
        recording: 'schedule',
        recording_schedule_uuid: 'new',
        recording_over_file: true,
        recording_keep_hours: 2_160,
      },
    });
  });

  test('gives the camera a schedule of its own where the file has one', async () => {
    const draft = { ...byWeek, keepHours: 24 };
    const setInFile = ['recording', 'schedule'] as const;
    await saveRecording(camera, byWeek, draft, { scheduleUuid: 'theirs', isWeekNew: false, setInFile });
    expect(calls.map(({ path }) => path)).toEqual([
      'schedule/createWeeklySchedule',
      'camera/updateFacetedConfig',
    ]);
    expect(configUpdate()).toMatchObject({
      configUpdate: { recording_schedule_uuid: 'new', recording_over_file: true, recording_keep_hours: 24 },
    });
  });
});
