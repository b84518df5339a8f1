import { afterAll, beforeAll, expect, it } from 'vitest';
import { LongList } from '../core/long-list.ts';
import { STEPS_PER_SLICE } from '../core/sliced-work.ts';
import { nullDropper, withoutNullableFields } from '../http/absent-values.ts';
import { asJsonSchema } from '../http/fields/json-schema.ts';
import { ENDPOINTS } from './endpoints.ts';
import {
  headersFor,
  identifierFor,
  openPopulatedApi,
  type PopulatedApi,
} from './populated-organization-fixture.ts';
import { exampleBody } from './schema-samples-fixture.ts';
import { SHARED_STREAM_SCHEMA } from './types/share-fields.ts';

/** An element of an array cannot be left out: there, null is a value that is not known. Maps of any type hold these arrays. */
const UNKNOWN_ELEMENTS: ReadonlyMap<string, RegExp> = new Map([
  ['/api/console/getCounters', /^\/counters\/\w+\/\d+$/],
  ['/api/camera/getStreamCounters', /^\/counters\/\w+\/\d+$/],
  ['/api/console/getServiceHistory', /^\/counters\/\w+\/\d+$/],
]);

let populated: PopulatedApi;
beforeAll(async () => {
  populated = await openPopulatedApi();
});
afterAll(() => populated.close());

it('are never null in a response of an endpoint that reads', async () => {
  const { fixture, own } = populated;
  let responses = 0;
  for (const endpoint of ENDPOINTS.filter(({ path }) => /\/(?:get|find)\w+$/.test(path))) {
    const body = exampleBody(endpoint, (field) => identifierFor(own, endpoint.path, field));
    const response = await fixture.post(endpoint.path, body, headersFor(endpoint, own));
    expect([endpoint.path, response.json().error]).toEqual([endpoint.path, false]);
    const nulls = nullsIn(response.json()).filter(
      (at) => UNKNOWN_ELEMENTS.get(endpoint.path)?.test(at) !== true,
    );
    expect([endpoint.path, nulls]).toEqual([endpoint.path, []]);
    expect(response.json()).not.toHaveProperty('errorMsg');
    responses += 1;
  }
  expect(responses).toBeGreaterThan(40);
  const refused = await fixture.call('/api/camera/getFullCameraState', {});
  expect(refused).toEqual({ error: true, errorMsg: 'cameraUuid is required.' });
  const unknown = await fixture.post('/api/camera/getFullCameraStates');
  expect(nullsIn(unknown.json())).toEqual([]);
});

it('are optional and never null in response schemas, and can be null in request schemas', async () => {
  const { api } = populated.fixture;
  const document = (await api.inject({ method: 'GET', url: '/api/openapi/public.json' })).json();
  const { schemas } = document.components as { schemas: Record<string, object> };
  const responded = new Set<string>();
  for (const { post } of Object.values(document.paths) as { post?: { responses: object } }[]) {
    expect(JSON.stringify(post?.responses ?? {})).not.toMatch(/"null"|:null/);
    addReferenced(responded, post?.responses ?? {}, schemas);
  }
  expect(responded.size).toBeGreaterThan(ENDPOINTS.length);
  for (const name of responded) {
    const schema = JSON.stringify(schemas[name]);
    expect([name, schema]).toEqual([name, expect.not.stringContaining('"null"')]);
  }
  expect(JSON.stringify(schemas)).toContain('"null"');
  const stream = asJsonSchema(withoutNullableFields(SHARED_STREAM_SCHEMA));
  expect(stream.required).toContain('passwordProtected');
  expect(stream.required).not.toContain('scheduleUuid');
  expect(stream.properties?.expirationTime?.type).toBe('integer');
});

it("are left out at every depth, without changing the handler's own value", async () => {
  const schema = asJsonSchema(SHARED_STREAM_SCHEMA);
  const item = { uuid: 'a', scheduleUuid: null, name: null };
  const nullable = (type: string) => ({ type: [type, 'null'] });
  const drop = nullDropper({
    type: 'object',
    properties: {
      few: { type: 'array', items: schema },
      many: { type: 'array', items: schema },
      lazy: { type: 'array', items: schema },
      map: {
        type: 'object',
        additionalProperties: { type: 'object', properties: { x: nullable('string') } },
      },
      record: { anyOf: [{ type: 'object', properties: { y: nullable('integer') } }, { type: 'null' }] },
      own: { type: 'object', additionalProperties: true },
    },
  } as object as typeof SHARED_STREAM_SCHEMA);
  const response = {
    few: [item],
    many: Array.from({ length: STEPS_PER_SLICE + 1 }, () => item),
    lazy: LongList.of([item]),
    map: { a: { x: null }, b: { x: 'kept' } },
    record: { y: null },
    own: { theirs: null },
  };
  const before = JSON.stringify(response);
  const dropped = drop(response);
  expect(JSON.parse(JSON.stringify({ ...dropped, many: 0, lazy: 0 }))).toEqual({
    // `name` is not nullable, so its null is a bug that must stay visible.
    few: [{ uuid: 'a', name: null }],
    many: 0,
    lazy: 0,
    map: { a: {}, b: { x: 'kept' } },
    record: {},
    own: { theirs: null },
  });
  expect(JSON.parse(JSON.stringify(drop({ ...response, record: null }).record ?? 'absent'))).toBe('absent');
  for (const list of [dropped.many, dropped.lazy] as unknown as LongList<object>[]) {
    expect(list).toBeInstanceOf(LongList);
    expect(JSON.stringify((await list.toArray())[0])).toBe('{"uuid":"a","name":null}');
  }
  expect(JSON.stringify(response)).toBe(before);
});

/** Adds the schemas that the value refers to, and those that these refer to. */
function addReferenced(names: Set<string>, value: object, schemas: Record<string, object>): void {
  for (const [, name = ''] of JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)) {
    if (names.has(name)) continue;
    names.add(name);
    addReferenced(names, schemas[name]!, schemas);
  }
}

/** The paths of the nulls within a JSON value. */
function nullsIn(value: unknown, path = ''): string[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, entry]) => nullsIn(entry, `${path}/${name}`));
}
