import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture, STILL } from '../api-fixture.ts';

const DATA = '/api/video/getExactFrameData';
const URI = '/api/video/getExactFrameUri';
const SNAPSHOT = '/api/camera/getSnapshot';

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await openApiFixture();
});
afterAll(() => fixture.close());

const now = () => fixture.clock.epochMs();
const request = (fields: object = {}) => ({
  cameraUuid: fixture.own.camera.uuid,
  timestampMs: now(),
  ...fields,
});
const lastTaken = () => fixture.takenStills.at(-1);

describe(`${DATA} and ${URI}`, () => {
  it('ask for the frame of now, of a camera that streams', async () => {
    const data = await fixture.call(DATA, request());
    expect(data).toMatchObject({ error: false, frameData: STILL.toString('base64') });
    expect(lastTaken()).toEqual({
      camera: fixture.own.camera.uuid,
      request: {
        widthPx: null,
        format: 'jpeg',
        qualityPercent: null,
        crop: null,
        downscaleFactor: 1,
        isOnlyLive: true,
        isHeld: false,
        atEpochMs: now(),
      },
    });
    const uri = await fixture.call(URI, request({ cameraUuid: `${fixture.own.camera.uuid}.v0` }));
    expect(uri).toMatchObject({ error: false, frameUri: 'http://media.example/frames/x.jpeg' });
    expect(lastTaken()).toMatchObject({ camera: fixture.own.camera.uuid, request: { isHeld: true } });
  });

  it('scale, crop and compress it', async () => {
    await fixture.call(
      DATA,
      request({ downscaleFactor: 4, jpgQuality: 30, permyriadCropX: 2_500, permyriadCropHeight: 100 }),
    );
    expect(lastTaken()?.request).toMatchObject({
      downscaleFactor: 4,
      qualityPercent: 30,
      crop: { xPermyriad: 2_500, yPermyriad: 0, widthPermyriad: 7_500, heightPermyriad: 100 },
    });
  });

  it.each([
    [{ timestampMs: 30_001 }, /^timestampMs must not be in the future\./],
    [{ permyriadCropX: 5_000, permyriadCropWidth: 5_001 }, /^permyriadCropX and permyriadCropWidth/],
    [{ permyriadCropY: 10_000 }, /^permyriadCropX and permyriadCropWidth/],
    [{ permyriadCropWidth: 0 }, /^permyriadCropWidth must be/],
    [{ downscaleFactor: 0 }, /^downscaleFactor must be/],
    [{ jpgQuality: 101 }, /^jpgQuality must be/],
    [{ cameraUuid: newRuuid() }, /^There is no camera with this UUID/],
  ])('refuse %j, relative to now, and take nothing', async (fields, sentence) => {
    const taken = fixture.takenStills.length;
    const absolute = 'timestampMs' in fields ? { timestampMs: now() + Number(fields.timestampMs) } : fields;
    for (const path of [DATA, URI]) {
      expect(await fixture.call(path, request(absolute))).toMatchObject({
        error: true,
        errorMsg: expect.stringMatching(sentence),
      });
    }
    expect(fixture.takenStills).toHaveLength(taken);
  });

  it.each([
    [-1_000, -1_000],
    [0, 0],
    [30_000, 0],
  ])('take %i ms from now for now: clocks differ', async (offsetMs, atMs) => {
    expect(await fixture.call(DATA, request({ timestampMs: now() + offsetMs }))).toMatchObject({
      error: false,
    });
    expect(lastTaken()?.request).toMatchObject({ atEpochMs: now() + atMs, isOnlyLive: true });
  });

  it.each([1_001, 2_000, 10_001])(
    'ask for the frame of %i ms ago, not for the newest one: programs ask right after an event',
    async (agoMs) => {
      await fixture.call(DATA, request({ timestampMs: now() - agoMs, downscaleFactor: 3 }));
      expect(lastTaken()?.request).toMatchObject({
        atEpochMs: now() - agoMs,
        isOnlyLive: false,
        downscaleFactor: 3,
      });
    },
  );

  it('find no camera of another organization', async () => {
    const taken = fixture.takenStills.length;
    const foreign = { cameraUuid: fixture.foreign.camera.uuid };
    for (const path of [DATA, URI, SNAPSHOT]) {
      const body = path === SNAPSHOT ? foreign : request(foreign);
      expect(await fixture.call(path, body)).toMatchObject({
        error: true,
        errorMsg: expect.stringMatching(/^There is no camera/),
      });
    }
    expect(fixture.takenStills).toHaveLength(taken);
  });
});

describe(SNAPSHOT, () => {
  it('gives the newest image, with what it is', async () => {
    const { cameraUuid } = request();
    expect(await fixture.call(SNAPSHOT, { cameraUuid, width: 320, format: 'webp' })).toMatchObject({
      error: false,
      imageData: STILL.toString('base64'),
      contentType: 'image/webp',
      width: 640,
      height: 360,
      timestampMs: now(),
      live: true,
    });
    expect(lastTaken()?.request).toMatchObject({ widthPx: 320, format: 'webp', isOnlyLive: false });
  });

  it('is 503 where no gateway runs the camera', async () => {
    const idle = await openApiFixture({ canTakeStills: false });
    const response = await idle.post(SNAPSHOT, { cameraUuid: idle.own.camera.uuid });
    expect([response.statusCode, response.json().errorMsg]).toEqual([
      503,
      'The camera is not streaming, so there is no current image of it.',
    ]);
    await idle.close();
  });
});
