import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type ApiFixture, openApiFixture } from './api-fixture.ts';
import { asJsonSchema, type JsonSchema } from './base/json-schema.ts';
import { ENDPOINTS } from './endpoints.ts';

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 1e9, perSec: 1e6 } } });
});
afterAll(() => fixture.close());

/** Mostly what the schema describes, sometimes anything that JSON can say. */
function fieldValue(schema: JsonSchema, knownUuids: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 8, arbitrary: describedValue(schema, knownUuids) },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
}

function describedValue(schema: JsonSchema, knownUuids: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.properties !== undefined) {
    const fields: Record<string, fc.Arbitrary<unknown>> = {};
    for (const [name, field] of Object.entries(schema.properties))
      fields[name] = fieldValue(field, knownUuids);
    return fc.record(fields, { requiredKeys: [...(schema.required ?? [])] });
  }
  if (schema.items !== undefined) return fc.array(fieldValue(schema.items, knownUuids), { maxLength: 5 });
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.pattern !== undefined)
    return fc.oneof(fc.constantFrom(...knownUuids), fc.stringMatching(/^[\w-]{21}[AQgw]$/));
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.maxSafeInteger());
    case 'number':
      return fc.double();
    default:
      return fc.string({ unit: 'binary', maxLength: 40 });
  }
}

describe('every endpoint', () => {
  it('answers whatever it is asked with an envelope, and never fails internally', async () => {
    const { camera, doorbell, locationUuid } = fixture.own;
    const weekly = { name: 'W', intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 1 }] };
    const { scheduleUuid } = await fixture.call('/api/schedule/createWeeklySchedule', { schedule: weekly });
    const knownUuids = [
      camera.uuid,
      doorbell.uuid,
      `${camera.uuid}.v0`,
      locationUuid,
      scheduleUuid as string,
    ];
    const request = fc
      .constantFrom(...ENDPOINTS)
      .chain((endpoint) =>
        fc.tuple(fc.constant(endpoint.path), fieldValue(asJsonSchema(endpoint.requestSchema), knownUuids)),
      );
    let succeeded = 0;
    await fc.assert(
      fc.asyncProperty(request, async ([path, body]) => {
        const response = await fixture.post(path, JSON.stringify(body));
        expect(response.statusCode).toBe(200);
        const answer = response.json<Answer>();
        expect(typeof answer.error).toBe('boolean');
        expect(typeof answer.errorMsg).toBe(answer.error ? 'string' : 'object');
        if (!answer.error) succeeded += 1;
      }),
      { numRuns: 1_000 },
    );
    expect(succeeded).toBeGreaterThan(0);
  });

  it('answers bytes that are no JSON', async () => {
    const path = fc.constantFrom(...ENDPOINTS.map((endpoint) => endpoint.path));
    await fc.assert(
      fc.asyncProperty(path, fc.uint8Array({ maxLength: 200 }), async (url, bytes) => {
        const headers = { 'x-auth-apikey': fixture.own.apiKey };
        const response = await fixture.api.inject({
          method: 'POST',
          url,
          headers,
          payload: Buffer.from(bytes),
        });
        expect([200, 400]).toContain(response.statusCode);
        expect(typeof response.json<Answer>().error).toBe('boolean');
      }),
      { interruptAfterTimeLimit: 1_500, markInterruptAsFailure: false, numRuns: 1e6 },
    );
  });
});
