import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type ApiFixture, openApiFixture } from './api-fixture.ts';
import { asJsonSchema, type JsonSchema } from './base/json-schema.ts';
import { ENDPOINTS } from './endpoints.ts';

const UUID_FIELD = /uuid/i;

/** What `own` has, by the field that names it; the other organisation then asks for it. */
let fixture: ApiFixture;
let ownUuids: Record<string, string>;
let foreignHeaders: Record<string, string>;
let before: string;

/** Everything that `own` has, as its own key sees it. */
async function snapshot(): Promise<string> {
  const answers: Answer[] = [];
  for (const path of [
    '/api/camera/findAllSharedLiveVideoStreams',
    '/api/schedule/getSchedules',
    '/api/location/getLocations',
    '/api/camera/getMinimalCameraStateList',
    '/api/relay/getMinimalNVRStateList',
    '/api/org/getOrgV2',
  ]) {
    answers.push(await fixture.call(path));
  }
  return JSON.stringify(answers);
}

beforeAll(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 1_000, perSec: 1 } } });
  const { own, foreign } = fixture;
  foreignHeaders = { 'x-auth-apikey': foreign.apiKey };
  const weekly = { name: 'Own', intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 1 }] };
  const { scheduleUuid } = await fixture.call('/api/schedule/createWeeklySchedule', { schedule: weekly });
  const { sharedLiveVideoStreamUuid } = await fixture.call('/api/camera/createSharedLiveVideoStream', {
    cameraUuid: own.camera.uuid,
    streamType: 'USER',
    vodEnabled: false,
    scheduleUuid,
  });
  ownUuids = {
    cameraUuid: own.camera.uuid,
    doorbellCameraUuid: own.doorbell.uuid,
    scheduleUuid: scheduleUuid as string,
    uuid: sharedLiveVideoStreamUuid as string,
    parentLocationUuid: own.locationUuid,
    audioGatewayUuid: own.camera.uuid,
  };
  before = await snapshot();
});
afterAll(() => fixture.close());

/** A valid body in which every UUID is one of `own`'s. */
function bodyOf(path: string, schema: JsonSchema, example: object): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const given = (example as Record<string, unknown>)[name];
    if (UUID_FIELD.test(name) && field.type === 'string') body[name] = uuidFor(path, name);
    else if (field.properties !== undefined) body[name] = bodyOf(path, field, (given as object) ?? {});
    else if (given !== undefined) body[name] = given;
  }
  return body;
}

function uuidFor(path: string, field: string): string {
  const uuid = field === 'uuid' && /chedule/.test(path) ? ownUuids.scheduleUuid : ownUuids[field];
  if (uuid === undefined) throw new Error(`${path}: which UUID is ${field}?`);
  return uuid;
}

describe('another organisation’s key', () => {
  it.each(ENDPOINTS.map((endpoint) => [endpoint.path, endpoint] as const))(
    'sees and changes nothing at %s',
    async (path, endpoint) => {
      const body = bodyOf(path, asJsonSchema(endpoint.requestSchema), endpoint.example.request);
      const response = await fixture.post(path, body, foreignHeaders);
      expect(response.statusCode).toBe(200);
      const namesOwn = Object.keys(body).length > 0 && /"[A-Za-z0-9_-]{22}"/.test(JSON.stringify(body));
      if (namesOwn) expect(response.json<Answer>()).toMatchObject({ error: true });
      for (const uuid of [...Object.values(ownUuids), fixture.own.organisation.uuid, fixture.own.nvrUuid]) {
        expect(response.body).not.toContain(uuid);
      }
      expect(await snapshot()).toBe(before);
    },
  );

  it('is refused a share of another’s camera', async () => {
    const body = { cameraUuid: fixture.own.camera.uuid, streamType: 'USER', vodEnabled: false };
    const answer = await fixture.call('/api/camera/createSharedLiveVideoStream', body, foreignHeaders);
    expect(answer.error).toBe(true);
    expect(await snapshot()).toBe(before);
  });

  it('is refused a share of its own camera with another’s schedule', async () => {
    const answer = await fixture.call(
      '/api/camera/createSharedLiveVideoStream',
      {
        cameraUuid: fixture.foreign.camera.uuid,
        streamType: 'USER',
        vodEnabled: false,
        scheduleUuid: ownUuids.scheduleUuid,
      },
      foreignHeaders,
    );
    expect(answer.error).toBe(true);
  });
});
