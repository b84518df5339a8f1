import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RecorderFootage } from '../../recorders/recorder-footage.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const FOOTAGE = '/api/camera/getRecorderFootage';
const DAY_MS = 86_400_000;

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const footage = (fields: object = {}) => {
  const fromMs = fixture.clock.epochMs() - DAY_MS;
  const cameraUuids = [fixture.own.camera.uuid];
  return fixture.call(FOOTAGE, { cameraUuids, fromMs, toMs: fromMs + DAY_MS, ...fields });
};

it('has nothing for a camera whose NVR is not shown', async () => {
  const cameraUuid = fixture.own.camera.uuid;
  expect(await footage()).toEqual({
    error: false,
    cameras: [{ cameraUuid, state: 'none', waiting: 0, spans: [] }],
  });
});

it('lists what the NVR has, and says that viewers wait for it', async () => {
  const nowMs = fixture.clock.epochMs();
  const spans = [{ fromMs: nowMs - 5_000, toMs: nowMs - 1_000 }];
  const known: RecorderFootage = { state: 'waiting', waiting: 2, spans, problem: null };
  fixture.recorderFootage.set(fixture.own.camera.uuid, known);
  const { uuid } = fixture.own.camera;
  const { cameras } = await footage({ cameraUuids: [fixture.own.doorbell.uuid, uuid, uuid] });
  expect(cameras).toMatchObject([
    { state: 'none' },
    { cameraUuid: uuid, state: 'waiting', waiting: 2, spans },
  ]);
});

it('says why an NVR cannot be listed', async () => {
  const problem = { code: 'RECORDER_UNREACHABLE', message: 'The video recorder cannot be reached.' };
  const failed: RecorderFootage = { state: 'failed', waiting: 0, spans: [], problem };
  fixture.recorderFootage.set(fixture.own.camera.uuid, failed);
  expect(await footage()).toMatchObject({ error: false, cameras: [{ state: 'failed', problem }] });
});

it('refuses ranges that are empty or too long', async () => {
  const toMs = fixture.clock.epochMs();
  expect(await footage({ fromMs: toMs, toMs })).toMatchObject({ errorMsg: 'toMs must be after fromMs.' });
  expect(await footage({ fromMs: toMs - 9 * DAY_MS, toMs })).toMatchObject({
    errorMsg: 'The range can have at most 8 days.',
  });
});

it("knows no other organization's cameras", async () => {
  const foreign = fixture.foreign.camera.uuid;
  const spans = [{ fromMs: 1, toMs: 2 }];
  fixture.recorderFootage.set(foreign, { state: 'idle', waiting: 0, spans, problem: null });
  const response = await footage({ cameraUuids: [fixture.own.camera.uuid, foreign] });
  expect(response).toMatchObject({ error: true });
  expect(response).not.toHaveProperty('cameras');
});
