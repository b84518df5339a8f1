import { expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { deriveRuuid, newRuuid } from '../../core/ruuid.ts';
import { CAMERA_CONFIGS } from '../../devices/camera-config.ts';
import { MANUAL_RECORDINGS } from '../../store/manual-recording.ts';
import { sampleOrganization } from '../../store/sample-entities-fixture.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import { parseConfig } from './load-config.ts';
import { readRecordingRules, settingsInFile } from './read-recording-rules.ts';

const TEXT = `
cameras:
  - name: Lobby
    rtsp: rtsp://192.0.2.10/main
    recording: 'off'
  - name: Yard
    rtsp: rtsp://192.0.2.11/main
    recordingSchedule: Mon-Fri 08:00-18:00
    recordingKeep: { main: 7d, sub: 90d }
`;

it('reads what people started next to what the file and the API say, field by field', async () => {
  const { cameras } = parseConfig(TEXT, 'sluice.yaml', {});
  const [lobby, yard, gate] = [deriveRuuid('camera', 'Lobby'), deriveRuuid('camera', 'Yard'), newRuuid()];
  const store = await openTestStore(new FakeClock());
  onTestFinished(() => store.close());
  const organization = sampleOrganization();
  await store.organizations.save(organization);
  const { uuid: orgUuid } = organization;
  const common = { orgUuid, name: '', secret: null, createdAtMs: 1, updatedAtMs: 1 };
  const body = { startedAtMs: 1, endsAtMs: 60_000, startedBy: 'Ada' };
  for (const uuid of [lobby, gate]) {
    await store.resources.of(MANUAL_RECORDINGS).save({ ...common, uuid, parentUuid: uuid, body });
  }
  const stored = {
    recording: 'schedule',
    recording_streams: 'sub',
    recording_keep_hours: 1,
    recording_keep_sub_hours: 2,
    recording_post_roll_sec: 20,
  };
  await store.resources
    .of(CAMERA_CONFIGS)
    .save({ ...common, uuid: newRuuid(), parentUuid: yard, body: stored });
  const rules = await readRecordingRules(store, cameras);
  expect(rules.get(lobby)).toMatchObject({ choice: 'off', isForbidden: true, manualUntilMs: 60_000 });
  expect(rules.get(gate)).toMatchObject({ choice: null, isForbidden: false, manualUntilMs: 60_000 });
  expect(rules.get(yard)).toMatchObject({
    choice: 'schedule',
    schedule: { kind: 'weekly' },
    streams: 'sub',
    keepMs: 7 * 86_400_000,
    keepSubMs: 90 * 86_400_000,
    postRollMs: 20_000,
    manualUntilMs: null,
  });
  expect(settingsInFile(cameras, lobby)).toEqual(['recording']);
  expect(settingsInFile(cameras, yard)).toEqual(['schedule', 'keep', 'keepSub']);
  expect(settingsInFile(cameras, gate)).toEqual([]);
});

it('keeps both streams as long as the file says, unless it says more', () => {
  const kept = (text: string) => {
    const { recording, cameras } = parseConfig(text, 'sluice.yaml', {});
    return [recording.keep, cameras[0]?.recordingKeep, cameras[0]?.recordingStreams];
  };
  const day = 86_400_000;
  expect(
    kept(`
recording: { keep: { sub: 90d, main: 14d } }
cameras: [{ name: Yard, rtsp: 'rtsp://192.0.2.11/main', recordingKeep: 7d, recordingStreams: main }]
`),
  ).toEqual([
    { mainMs: 14 * day, subMs: 90 * day, keyFramesMs: null },
    { mainMs: 7 * day, subMs: 7 * day, keyFramesMs: null },
    'main',
  ]);
  const keyFramesOf = (keep: string) => kept(`recording: { keep: ${keep} }`)[0];
  const all = { mainMs: 14 * day, subMs: 90 * day, keyFramesMs: 365 * day };
  expect(keyFramesOf('{ main: 14d, sub: 90d, keyFrames: 365d }')).toEqual(all);
  expect(keyFramesOf('"main: 14d, sub: 90d, keyFrames: 365d"')).toEqual(all);
  expect(keyFramesOf('{ main: 14d, keyFrames: 365d }')).toEqual({ ...all, subMs: 14 * day });
  for (const wrong of [
    '{ sub: 90d }',
    '{ main: 14d, keys: 3d }',
    '{ main: 14d, keyFrames: soon }',
    '{ main: 14d, keyFrames: 14d }',
  ]) {
    expect(() => keyFramesOf(wrong)).toThrow(/invalid/);
  }
});

it('takes what an administrator stored over the file, except over a file that forbids recording', async () => {
  const { cameras } = parseConfig(TEXT, 'sluice.yaml', {});
  const [lobby, yard] = [deriveRuuid('camera', 'Lobby'), deriveRuuid('camera', 'Yard')];
  const store = await openTestStore(new FakeClock());
  onTestFinished(() => store.close());
  const organization = sampleOrganization();
  await store.organizations.save(organization);
  const body = { recording: 'always', recording_post_roll_sec: 20, recording_over_file: true };
  for (const uuid of [lobby, yard]) {
    await store.resources.of(CAMERA_CONFIGS).save({
      orgUuid: organization.uuid,
      name: '',
      secret: null,
      createdAtMs: 1,
      updatedAtMs: 1,
      uuid: newRuuid(),
      parentUuid: uuid,
      body,
    });
  }
  const rules = await readRecordingRules(store, cameras);
  expect(rules.get(yard)).toEqual({
    choice: 'always',
    streams: null,
    isForbidden: false,
    isOverFile: true,
    schedule: null,
    preRollMs: null,
    postRollMs: 20_000,
    keepMs: null,
    keepSubMs: null,
    keepKeyFramesMs: null,
    maxBytes: null,
    manualUntilMs: null,
  });
  expect(rules.get(lobby)).toMatchObject({ choice: 'off', isForbidden: true, isOverFile: false });
});
