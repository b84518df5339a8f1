import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { MAX_PLAN_BYTES } from '../../devices/floor-plans.ts';
import { STORE_ERRORS } from '../../store/errors.ts';
import { type Answer, type ApiFixture, openApiFixture } from '../api-fixture.ts';

const PLACE = { x: 0.25, y: 0.5, directionDeg: 90, angleDeg: 80, reach: 0.2 };

let fixture: ApiFixture;
let imageData: string;
beforeAll(async () => {
  const create = { width: 320, height: 200, channels: 3 as const, background: '#ffffff' };
  const image = sharp({ create }).withExif({ IFD0: { Make: 'Phone' } });
  imageData = (await image.jpeg().toBuffer()).toString('base64');
});
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const call = (operation: string, body: object, headers?: Record<string, string>) =>
  fixture.call(`/api/location/${operation}`, body, headers);
const foreign = () => ({ 'x-auth-apikey': fixture.foreign.apiKey });
const site = () => ({ locationUuid: fixture.own.locationUuid });
const plan = () => call('getFloorPlan', site());
const camera = () => ({ cameraUuid: fixture.own.camera.uuid });

describe('a floor plan', () => {
  it('is an image without its metadata, and the cameras on it', async () => {
    expect(await plan()).toEqual({ error: false, cameras: [] });
    await call('setFloorPlan', { ...site(), imageData });
    await call('placeCameraOnPlan', { ...site(), ...camera(), ...PLACE });
    const { image, cameras } = await plan();
    expect(cameras).toEqual([{ ...camera(), ...PLACE }]);
    expect(image).toMatchObject({ widthPx: 320, heightPx: 200 });
    const stored = Buffer.from((image as { imageData: string }).imageData, 'base64');
    expect((await sharp(stored).metadata()).exif).toBeUndefined();
    await call('removeFloorPlan', site());
    expect(await plan()).toEqual({ error: false, cameras: [{ ...camera(), ...PLACE }] });
  });

  it('moves one camera and no other, also if two people do so at the same time', async () => {
    const doorbell = { cameraUuid: fixture.own.doorbell.uuid };
    await Promise.all([
      call('placeCameraOnPlan', { ...site(), ...camera(), ...PLACE }),
      call('placeCameraOnPlan', { ...site(), ...doorbell, ...PLACE, x: 0.9 }),
    ]);
    const placed = (await plan()).cameras as { cameraUuid: string; x: number }[];
    expect(new Map(placed.map(({ cameraUuid, x }) => [cameraUuid, x]))).toEqual(
      new Map([
        [camera().cameraUuid, 0.25],
        [doorbell.cameraUuid, 0.9],
      ]),
    );
    await call('removeCameraFromPlan', doorbell);
    expect((await plan()).cameras).toHaveLength(1);
  });

  it('loses a camera that is placed at another site, or deleted', async () => {
    const other = await call('createLocation', { location: { name: 'Annex', tz: 'UTC' } });
    const made = { name: 'Yard', mainUrl: 'rtsp://192.0.2.1/yard' };
    const { cameraUuid } = await fixture.call('/api/camera/createCamera', made);
    const placed = { cameraUuid, ...PLACE };
    await call('placeCameraOnPlan', { ...site(), ...placed });
    await call('placeCameraOnPlan', { locationUuid: other.uuid, ...placed });
    expect((await plan()).cameras).toEqual([]);
    const deleted = await fixture.call('/api/camera/delete', { cameraUuid });
    expect(deleted.errorMsg).toBeUndefined();
    expect(await call('getFloorPlan', { locationUuid: other.uuid })).toMatchObject({ cameras: [] });
  });

  it('is removed with its location', async () => {
    const { uuid: locationUuid } = await call('createLocation', { location: { name: 'Annex', tz: 'UTC' } });
    await call('setFloorPlan', { locationUuid, imageData });
    await call('placeCameraOnPlan', { locationUuid, ...camera(), ...PLACE });
    await call('deleteLocation', { uuid: locationUuid });
    const { store, own } = fixture;
    for (const name of ['floorPlan', 'planPlace'] as const) {
      expect(await store.resources.of({ name }).list(own.organization.uuid)).toEqual([]);
    }
  });

  it('stays complete if the location cannot be deleted', async () => {
    const { uuid: locationUuid } = await call('createLocation', { location: { name: 'Annex', tz: 'UTC' } });
    await call('setFloorPlan', { locationUuid, imageData });
    await call('placeCameraOnPlan', { locationUuid, ...camera(), ...PLACE });
    const before = await call('getFloorPlan', { locationUuid });
    const { locations } = fixture.store;
    const remove = locations.remove.bind(locations);
    locations.remove = () => Promise.reject(new GatewayError(STORE_ERRORS.STORE_UNREACHABLE));
    const body = (await fixture.post('/api/location/deleteLocation', { uuid: locationUuid })).json();
    expect(body).toMatchObject({ error: true });
    expect(await call('getFloorPlan', { locationUuid })).toEqual(before);
    locations.remove = remove;
    await call('deleteLocation', { uuid: locationUuid });
  });

  it('refuses other images, and what is out of range', async () => {
    const refused = async (body: object): Promise<Answer> => {
      const result = (await fixture.post('/api/location/setFloorPlan', { ...site(), ...body })).json();
      expect(result).toMatchObject({ error: true });
      return result;
    };
    const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    expect(await refused({ imageData: png.toString('base64') })).toMatchObject({
      errorMsg: expect.stringContaining('JPEG'),
    });
    await refused({ imageData: '<svg onload=alert(1)>' });
    await refused({ imageData: Buffer.alloc(MAX_PLAN_BYTES + 1).toString('base64') });
    const wide = await sharp({ create: { width: 5_000, height: 8, channels: 3, background: '#fff' } })
      .jpeg()
      .toBuffer();
    expect(await refused({ imageData: wide.toString('base64') })).toMatchObject({
      errorMsg: expect.stringContaining('4,096'),
    });
    for (const bad of [{ x: 1.1 }, { y: -0.1 }, { angleDeg: 0 }, { reach: 2 }, { directionDeg: 361 }]) {
      const body = { ...site(), ...camera(), ...PLACE, ...bad };
      const response = (await fixture.post('/api/location/placeCameraOnPlan', body)).json();
      expect(response).toMatchObject({ error: true });
    }
  });

  it('is one of a hundred, and a camera has one place', async () => {
    const { store, own, clock } = fixture;
    const orgUuid = own.organization.uuid;
    const nowMs = clock.epochMs();
    const others = (name: 'floorPlan' | 'planPlace', count: number) =>
      store.resources.of<object>({ name }).saveAll(
        Array.from({ length: count }, () => ({
          uuid: newRuuid(),
          orgUuid,
          name: '',
          parentUuid: newRuuid(),
          body: {},
          secret: null,
          createdAtMs: nowMs,
          updatedAtMs: nowMs,
        })),
      );
    await others('floorPlan', LIMITS.floorPlans.perOrganization - 1);
    expect(await call('setFloorPlan', { ...site(), imageData })).toEqual({ error: false });
    expect(await call('setFloorPlan', { ...site(), imageData })).toEqual({ error: false });
    const { uuid: locationUuid } = await call('createLocation', { location: { name: 'Annex', tz: 'UTC' } });
    expect(await call('setFloorPlan', { locationUuid, imageData })).toMatchObject({
      errorMsg: expect.stringContaining('limit of floor plans'),
    });
    await call('placeCameraOnPlan', { ...site(), ...camera(), ...PLACE });
    await call('placeCameraOnPlan', { ...site(), ...camera(), ...PLACE, x: 0.3 });
    expect((await plan()).cameras).toHaveLength(1);
  });

  it('is not there for another organization, which cannot place its cameras either', async () => {
    await call('setFloorPlan', { ...site(), imageData });
    for (const [operation, body] of [
      ['getFloorPlan', site()],
      ['setFloorPlan', { ...site(), imageData }],
      ['removeFloorPlan', site()],
      ['placeCameraOnPlan', { ...site(), ...camera(), ...PLACE }],
      ['removeCameraFromPlan', camera()],
      ['getFloorPlan', { locationUuid: newRuuid() }],
    ] as const) {
      const response = await fixture.post(`/api/location/${operation}`, body, foreign());
      expect(response.json()).toMatchObject({ error: true, errorMsg: expect.stringMatching(/^There is no/) });
    }
    expect((await plan()).image).toBeDefined();
  });
});
