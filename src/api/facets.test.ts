import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { asJsonSchema, type JsonSchema } from '../http/fields/json-schema.ts';
import { ENDPOINTS } from './endpoints.ts';
import {
  headersFor,
  identifierFor,
  openPopulatedApi,
  type PopulatedApi,
} from './populated-organization-fixture.ts';
import { exampleBody, identifierSites, withIdentifierAt } from './schema-samples-fixture.ts';

/** Fields that name cameras, or devices that can be cameras. */
const CAMERA_FIELD =
  /^(?:\w*[cC]ameraUuids?|deviceUuids?|deviceFilter|assignedCameraList|associated\w*Cameras|devices)$/;
/** Devices that are not cameras: one with a reader, and a robot. */
const NO_CAMERA = /(?:Components\.\[\]|Component|robotActions\.\[\])\.deviceUuid$/;

function schemaAt(schema: JsonSchema, [step, ...rest]: readonly string[]): JsonSchema {
  const own = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  if (step === undefined) return own;
  if (step === '[]') return schemaAt(own.items ?? {}, rest);
  if (step === '{}') return schemaAt(own.additionalProperties as JsonSchema, rest);
  return schemaAt(own.properties?.[step] ?? {}, rest);
}

const sitesOf = (requestSchema: Parameters<typeof asJsonSchema>[0]) => {
  const schema = asJsonSchema(requestSchema);
  return identifierSites(schema).filter((steps) => {
    const field = steps.findLast((step) => step !== '[]') ?? '';
    return CAMERA_FIELD.test(field) && !NO_CAMERA.test(steps.join('.'));
  });
};

describe('a facet of a camera', () => {
  let populated: PopulatedApi;
  beforeAll(async () => {
    populated = await openPopulatedApi();
  });
  afterAll(() => populated.close());

  it('is accepted wherever a request names a camera', () => {
    const refusing: string[] = [];
    let sites = 0;
    for (const { path, requestSchema } of ENDPOINTS) {
      for (const steps of sitesOf(requestSchema)) {
        sites += 1;
        const { pattern = '' } = schemaAt(asJsonSchema(requestSchema), steps);
        if (!new RegExp(pattern).test(`${newRuuid()}.v0`)) refusing.push(`${path} ${steps.join('.')}`);
      }
    }
    expect(refusing).toEqual([]);
    expect(sites).toBeGreaterThan(30);
  });

  it('reads what the camera itself reads', async () => {
    const { fixture, own } = populated;
    const { uuid } = own.org.camera;
    const compared: string[] = [];
    for (const endpoint of ENDPOINTS.filter(({ path }) => /\/(?:get|find)\w+$/.test(path))) {
      const schema = asJsonSchema(endpoint.requestSchema);
      const identifierOf = (field: string) => identifierFor(own, endpoint.path, field);
      for (const steps of sitesOf(endpoint.requestSchema)) {
        const responseTo = async (camera: string) => {
          const body = withIdentifierAt(
            schema,
            exampleBody(endpoint, identifierOf),
            steps,
            camera,
            identifierOf,
          );
          return (await fixture.post(endpoint.path, body, headersFor(endpoint, own))).json();
        };
        const named = await responseTo(uuid);
        expect([endpoint.path, await responseTo(`${uuid}.v0`)]).toEqual([endpoint.path, named]);
        compared.push(endpoint.path);
      }
    }
    expect(compared).toContain('/api/camera/getUptimeWindows');
    expect(compared).toContain('/api/event/getPolicyAlertsV2');
    expect(compared).toContain('/api/report/getThresholdCrossingEventsForDevice');
  });

  it('changes and removes the camera', async () => {
    const { fixture, own } = populated;
    const cameraUuid = own.identifiers.thirdPartyCameraUuid!;
    const facet = `${cameraUuid}.v0`;
    const call = (path: string, body: object) => fixture.call(path, body, own.headers);
    const nameOf = async () => {
      const { cameraStates } = await call('/api/camera/getMinimalCameraStateList', {});
      return (cameraStates as { uuid: string; name: string }[]).find(({ uuid }) => uuid === cameraUuid)?.name;
    };
    const renamed = { uuid: facet, name: 'Renamed', nameUpdated: true };
    expect(await call('/api/camera/updateDetailsV2', renamed)).toEqual({ error: false });
    expect(await nameOf()).toBe('Renamed');
    const config = { deviceUuid: facet, hdr_enabled: true };
    expect((await call('/api/camera/updateConfig', { config })).error).toBe(false);
    const { fullCameraState } = await call('/api/camera/getFullCameraState', { cameraUuid });
    expect(fullCameraState).toMatchObject({ onCloudState: { v0: { hdr_enabled: true } } });
    expect((await call('/api/camera/delete', { cameraUuid: facet, mummify: false })).error).toBe(false);
    expect(await nameOf()).toBeUndefined();
  });
});
