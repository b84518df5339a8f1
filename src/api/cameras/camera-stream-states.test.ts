import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { StreamSample } from '../../devices/stream-samples.ts';
import { DIRECT_ERRORS } from '../../sources/network/errors.ts';
import { sampleCamera } from '../../store/sample-entities-fixture.ts';
import { NOT_CHECKED } from '../../stream/camera-connection.ts';
import { cameraFaultOf } from '../../stream/source/camera-fault.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const STATES = '/api/camera/getCameraStreamStates';
const SAMPLE: StreamSample = {
  codecs: ['avc1.640028', 'mp4a.40.2'],
  widthPx: 1_920,
  heightPx: 1_080,
  frameRateHz: 25,
  bitsPerSec: 4_000_000,
  keyFrameDistanceMs: 2_000,
  droppedFrames: 3,
  clockDriftPpm: -14.5,
  hasWorker: true,
};

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

type States = Record<string, Record<string, unknown> | undefined>[];

async function statesOf(body: object = {}): Promise<States> {
  return (await fixture.call(STATES, body)).cameras as States;
}

describe('getCameraStreamStates', () => {
  it('shows every camera of the organization, whether or not it runs', async () => {
    const { camera, doorbell } = fixture.own;
    const states = await statesOf();
    expect(new Set(states.map(({ cameraUuid }) => cameraUuid))).toEqual(
      new Set([camera.uuid, doorbell.uuid]),
    );
    expect(states.map(({ declared }) => declared)).toEqual([true, true]);
    expect(states[0]).toMatchObject({ viewers: 0, main: { state: 'not-checked' } });
    expect(states[0]?.sub).toBeUndefined();
  });

  it('says what an open stream is like, and who watches', async () => {
    const { uuid } = fixture.own.camera;
    const live = { ...NOT_CHECKED, state: 'live', sinceEpochMs: 1_000 } as const;
    fixture.cameraStates.set(uuid, { streamState: 'live', main: live, sub: { ...NOT_CHECKED } });
    fixture.streamSamples.stream(uuid, 'main', SAMPLE);
    const closed = { ...SAMPLE, codecs: [], widthPx: null, keyFrameDistanceMs: null, hasWorker: false };
    fixture.streamSamples.stream(uuid, 'sub', closed);
    for (const viewers of [2, 1]) fixture.streamSamples.watched(uuid, viewers);
    const [state] = await statesOf({ cameraUuids: [uuid] });
    expect(state).toMatchObject({
      viewers: 3,
      main: {
        state: 'live',
        sinceMs: 1_000,
        codecs: ['avc1.640028', 'mp4a.40.2'],
        width: 1_920,
        height: 1_080,
        frameRate: 25,
        bitsPerSec: 4_000_000,
        keyFrameDistanceSec: 2,
        droppedFrames: 3,
        clockDriftPpm: -14.5,
        worker: true,
      },
      sub: { state: 'not-checked', codecs: [], height: 1_080, worker: false },
    });
    expect(state?.sub).not.toHaveProperty('width');
    expect(state?.sub).not.toHaveProperty('keyFrameDistanceSec');
  });

  it('says why a camera is offline, what to do, and when it is tried again, without an address', async () => {
    const { uuid } = fixture.own.camera;
    const context = { host: '192.0.2.10', port: 554, errno: 'ECONNREFUSED' };
    const fault = cameraFaultOf(new GatewayError(DIRECT_ERRORS.DIRECT_UNREACHABLE, context));
    const main = { ...NOT_CHECKED, state: 'offline', fault, retryAtEpochMs: 5_000 } as const;
    fixture.cameraStates.set(uuid, { streamState: 'offline', main, sub: null });
    const response = await fixture.post(STATES, { cameraUuids: [uuid] });
    expect(response.json().cameras[0].main).toMatchObject({
      state: 'offline',
      errorCode: 'DIRECT_UNREACHABLE',
      errorReason: 'unreachable',
      nextRetryMs: 5_000,
      errorAdvice: expect.stringMatching(/^The device responds/),
    });
    expect(response.body).not.toMatch(/192\.0\.2|rtsp:/);
  });

  it('reads the measurements once for all callers of two seconds', async () => {
    await fixture.close();
    let reads = 0;
    const readStreamSamples = async () => {
      reads++;
      return { streams: '', numbers: new Float64Array(), viewers: '' };
    };
    fixture = await openApiFixture({ overrides: { readStreamSamples } });
    await Promise.all([statesOf(), statesOf(), statesOf()]);
    await statesOf();
    expect(reads).toBe(1);
    fixture.clock.advance(2_000);
    await statesOf();
    expect(reads).toBe(2);
  });

  it('answers for a thousand cameras in slices, and takes no more', async () => {
    const orgUuid = fixture.own.organization.uuid;
    for (let i = 0; i < 100; i++) await fixture.store.cameras.save(sampleCamera(orgUuid));
    expect(await statesOf()).toHaveLength(102);
    const cameraUuids = Array.from({ length: 1_001 }, () => fixture.own.camera.uuid);
    expect(await statesOf({ cameraUuids: cameraUuids.slice(1) })).toHaveLength(1);
    expect((await fixture.call(STATES, { cameraUuids })).errorMsg).toMatch(/^cameraUuids /);
  });

  it('finds no camera of another organization', async () => {
    for (const uuid of [fixture.foreign.camera.uuid, newRuuid()]) {
      expect((await fixture.call(STATES, { cameraUuids: [uuid] })).errorMsg).toBe(
        'There is no camera with this UUID.',
      );
    }
  });
});
