import { afterAll, beforeAll, expect, it } from 'vitest';
import { asJsonSchema, type JsonSchema } from '../http/fields/json-schema.ts';
import { type Answer, type ApiFixture, openApiFixture } from './api-fixture.ts';
import { ENDPOINTS } from './endpoints.ts';

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 100_000, perSec: 100_000 } } });
});
afterAll(() => fixture.close());

/** A value of each type that JSON has. */
const ANY_TYPE: readonly unknown[] = ['text', 1.5, true, [1], { x: 1 }];
const WHAT_IT_IS = /^[\w.[\]]+ (?:must be (?:an? |one of |RUUIDs |null)|must have at most |is required\.)/;

function* wrongBodies(schema: JsonSchema): Generator<{ field: string; body: object }> {
  for (const field of Object.keys(schema.properties ?? {})) {
    for (const value of ANY_TYPE) yield { field, body: { [field]: value } };
  }
}

it('every refusal of a wrong type names the field and what it must be', async () => {
  let seen = 0;
  for (const { path, requestSchema, scheme, isOpen } of ENDPOINTS) {
    if (scheme === 'partner-api') continue;
    const { required: _all, ...rest } = asJsonSchema(requestSchema);
    for (const { field, body } of wrongBodies(rest)) {
      const response = await fixture.post(path, body);
      // Signing in fails with 401.
      expect(isOpen ? [200, 401] : [200]).toContain(response.statusCode);
      const { error, errorMsg } = response.json<Answer>();
      if (!error || !errorMsg!.startsWith(field)) continue;
      seen += 1;
      expect.soft(errorMsg, `${path} ${JSON.stringify(body)}`).not.toMatch(/described|anyOf|schema/);
      if (/, got (?:string|number|boolean|array|object)\.$/.test(errorMsg!)) {
        expect.soft(errorMsg, `${path} ${JSON.stringify(body)}`).toMatch(WHAT_IT_IS);
      }
    }
  }
  expect(seen).toBeGreaterThan(500);
}, 120_000);

it.each([
  [
    '/api/camera/getMinimalCameraStateList',
    { includeMummified: 1 },
    'includeMummified must be a boolean, got number.',
  ],
  [
    '/api/event/getSavedClipsV2',
    { maxPageSize: 'x' },
    'maxPageSize must be an integer from 1 to 500, got string.',
  ],
  [
    '/api/ingest/thresholdCrossings',
    { rows: 'x' },
    'rows must be an array of at most 1000 entries, got string.',
  ],
  [
    '/api/camera/updateDetailsV2',
    { uuid: 'AAAAAAAAAAAAAAAAAAAAAA', facetNameMap: { '\u001b[31m/x': 7 } },
    'facetNameMap.??31m?x must be a string of at most 256 characters, got number.',
  ],
])('%s says what it accepts', async (path, body, sentence) => {
  expect((await fixture.call(path, body)).errorMsg).toBe(sentence);
});
