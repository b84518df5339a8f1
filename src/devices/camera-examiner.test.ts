import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { CredentialUrl } from '../core/secret.ts';
import type { Camera } from '../store/entities.ts';
import { pushedAddress } from '../store/pushed-address.ts';
import { sampleCamera } from '../store/sample-entities-fixture.ts';
import { CameraExaminer, EXAMINATION_MS, type ExaminationRequest } from './camera-examiner.ts';
import { DEVICE_ERRORS } from './errors.ts';
import { type ExaminedStream, type ExamineHow, untriedStream } from './examined-stream.ts';
import { DEMO_CAMERA_UUID } from './operators-camera.ts';

const MAIN = 'rtsp://192.0.2.10/main';
const SUB = 'rtsp://192.0.2.10/sub';
const KEY_FRAME = { fmp4: [Buffer.from('frame')], widthPx: 1_920, heightPx: 1_080, atEpochMs: 1 };
const JPEG = { bytes: Buffer.from('jpeg'), widthPx: 640, heightPx: 360 };
const WRONG_PASSWORD = {
  reason: 'wrong-password',
  code: 'RTSP_AUTH_FAILED',
  message: 'Wrong.',
  host: '192.0.2.10',
  port: 554,
  errno: null,
} as const;
const BUSY = { ...WRONG_PASSWORD, reason: 'busy', code: 'RTSP_BUSY' } as const;

interface Opening {
  readonly url: string;
  readonly how: ExamineHow;
  readonly end: (stream: ExaminedStream) => void;
}

const GOOD: ExaminedStream = { ...untriedStream(BUSY), fault: null, keyFrame: KEY_FRAME };

let openings: Opening[];
let verdicts: unknown[];
let spent: Ruuid[];
let decoded: unknown[];
let known: Camera;
let clock: FakeClock;
let examiner: CameraExaminer;
const orgUuid = newRuuid();

beforeEach(() => {
  openings = [];
  verdicts = [];
  spent = [];
  decoded = [];
  clock = new FakeClock();
  const rtspUrl = new CredentialUrl('rtsp://a:b@192.0.2.10/main');
  known = { ...sampleCamera(orgUuid), rtspUrl, substreamUrl: null, onvifUrl: null };
  examiner = new CameraExaminer({
    clock,
    devices: {
      async findCamera(org, uuid) {
        if (org === orgUuid && uuid === known.uuid) return { camera: known, facet: '' };
        throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_FOUND);
      },
    },
    prober: { spend: async (org) => void spent.push(org) },
    examineStream: (url, how) =>
      new Promise((end) => {
        openings.push({ url: url.reveal(), how, end });
      }),
    decodeKeyFrame: async (_orgUuid, frame, maxWidthPx) => {
      decoded.push([frame, maxWidthPx]);
      return JPEG;
    },
    onCameraProbed: async (_org, camera, verdict) => void verdicts.push([camera, verdict]),
  });
});

function examine(request: Partial<ExaminationRequest> = {}, org = orgUuid) {
  const { signal } = new AbortController();
  const source = { mainUrl: MAIN, substreamUrl: SUB };
  return examiner.examine(org, {
    cameraUuid: null,
    source,
    wantsSnapshot: true,
    isBrief: false,
    signal,
    ...request,
  });
}

/** Lets ready work run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('examining a camera', () => {
  it('opens the substream when the main stream has media, within one time limit', async () => {
    const examining = examine();
    await settled();
    expect(openings.map(({ url }) => url)).toEqual([MAIN]);
    expect(openings[0]!.how).toMatchObject({
      timeoutMs: EXAMINATION_MS,
      rule: { reach: 'no-local', orgUuid },
      tls: 'any',
    });
    clock.advance(4_000);
    openings[0]!.how.onMedia!();
    await settled();
    expect(openings.map(({ url }) => url)).toEqual([MAIN, SUB]);
    expect(openings[1]!.how.timeoutMs).toBe(EXAMINATION_MS - 4_000);
    for (const { end } of openings) end(GOOD);
    expect(await examining).toMatchObject({ main: GOOD, sub: GOOD, snapshot: JPEG });
    expect(decoded).toEqual([[KEY_FRAME, 640]]);
    expect([spent, verdicts]).toEqual([[orgUuid], []]);
  });

  it('needs only a picture of each stream if asked so, and then recommends nothing', async () => {
    const examining = examine({ isBrief: true });
    await settled();
    openings[0]!.how.onMedia!();
    await settled();
    expect(openings.map(({ how }) => how.isBrief)).toEqual([true, true]);
    for (const { end } of openings) end({ ...GOOD, keyFrameDistanceMs: 20_000 });
    expect(await examining).toMatchObject({ snapshot: JPEG, advice: [] });
  });

  it('tries a wrong login once', async () => {
    const examining = examine();
    await settled();
    openings[0]!.end(untriedStream(WRONG_PASSWORD));
    expect(await examining).toMatchObject({
      main: { fault: WRONG_PASSWORD },
      sub: { fault: WRONG_PASSWORD },
      snapshot: null,
    });
    expect(openings).toHaveLength(1);
  });

  it('opens the substream after a failure of the main stream alone', async () => {
    const examining = examine();
    await settled();
    openings[0]!.end(untriedStream(BUSY));
    await settled();
    openings[1]!.end(GOOD);
    expect(await examining).toMatchObject({ main: { fault: BUSY }, sub: { fault: null }, snapshot: JPEG });
  });

  it('makes no image for those who want none, or who left', async () => {
    const left = new AbortController();
    const both = [examine({ wantsSnapshot: false }), examine({ signal: left.signal })];
    await settled();
    left.abort();
    for (const { end, how } of openings) {
      end(GOOD);
      how.onMedia!();
    }
    await settled();
    for (const { end } of openings) end(GOOD);
    expect((await Promise.all(both)).map(({ snapshot }) => snapshot)).toEqual([null, null]);
    expect(openings[1]!.how.signal.aborted).toBe(true);
    expect(decoded).toEqual([]);
  });

  it('allows two at once for an organization, and finds room for others', async () => {
    const greedy = [examine(), examine()];
    await settled();
    await expect(examine()).rejects.toMatchObject({
      code: 'PROBES_BUSY',
      context: { boundOf: 'organization' },
    });
    const others = [newRuuid(), newRuuid(), newRuuid()].map((orgUuid) => examine({}, orgUuid));
    await settled();
    for (const { end } of openings) end(untriedStream(WRONG_PASSWORD));
    await Promise.all([...greedy, ...others]);
    const again = examine();
    await settled();
    openings.at(-1)!.end(untriedStream(WRONG_PASSWORD));
    expect(await again).toMatchObject({ main: { fault: WRONG_PASSWORD } });
  });
});

describe('a camera that is stored', () => {
  it('is opened as it is, which no limit counts, and its state learns the result', async () => {
    const examining = examine({ cameraUuid: known.uuid, source: {} });
    await settled();
    expect(openings[0]!.url).toBe('rtsp://a:b@192.0.2.10/main');
    openings[0]!.end(untriedStream(BUSY));
    expect(await examining).toMatchObject({ main: { fault: BUSY }, sub: null });
    expect(verdicts).toEqual([[known.uuid, { fault: BUSY }]]);
    expect(spent).toEqual([]);
  });

  it('is tried with other fields, of which its state learns nothing', async () => {
    const examining = examine({ cameraUuid: known.uuid, source: { password: 'new' } });
    await settled();
    expect(openings[0]!.url).toBe('rtsp://a:new@192.0.2.10/main');
    openings[0]!.end(GOOD);
    await examining;
    expect([verdicts, spent]).toEqual([[], [orgUuid]]);
  });

  it('does not take its password elsewhere', async () => {
    const source = { mainUrl: 'rtsp://192.0.2.66/main' };
    await expect(examine({ cameraUuid: known.uuid, source })).rejects.toMatchObject({
      code: 'CAMERA_PASSWORD_NEEDED',
      context: { field: 'mainUrl' },
    });
    expect(openings).toEqual([]);
  });

  it.each([
    ['the configuration file declares it', { fromConfig: true }],
    ['it is the demo', { fromConfig: false, uuid: DEMO_CAMERA_UUID }],
  ])('can be anywhere if %s, but nothing in its place can', async (_why, operators) => {
    known = { ...known, ...operators };
    const examining = [
      examine({ cameraUuid: known.uuid, source: {} }),
      examine({ cameraUuid: known.uuid, source: { mainUrl: 'rtsp://127.0.0.1/', password: 'x' } }),
    ];
    await settled();
    expect(openings.map(({ how }) => how.rule.reach)).toEqual(['anywhere', 'no-local']);
    for (const { end } of openings) end(GOOD);
    await Promise.all(examining);
  });

  it('is not found in another organization, and not opened if a device pushes', async () => {
    const cameraUuid = known.uuid;
    await expect(examine({ cameraUuid, source: {} }, newRuuid())).rejects.toMatchObject({
      code: 'CAMERA_NOT_FOUND',
    });
    known = { ...known, rtspUrl: pushedAddress(null) };
    await expect(examine({ cameraUuid, source: {} })).rejects.toMatchObject({ code: 'CAMERA_IS_PUSHED' });
  });
});
