import fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { GatewayError } from '../core/errors.ts';
import {
  deviceFacetUuid,
  deviceUuid,
  double,
  flag,
  flagOrWord,
  int32,
  listOf,
  mapOf,
  oneOf,
  ruuid,
  text,
} from './fields/field-types.ts';
import { onlyFalse } from './fields/only-false.ts';
import { bodyReader, parseJsonBody } from './request-body.ts';

const SCHEMA = Type.Object({
  camera: deviceFacetUuid('The camera.'),
  count: Type.Optional(int32('A number.', 0, 10)),
  ratio: Type.Optional(double('A ratio.')),
  isOn: Type.Optional(flag('A flag.')),
  name: Type.Optional(text('A name.', 5)),
  colour: Type.Optional(oneOf(['red', 'green'], 'A colour.')),
  share: Type.Optional(ruuid('A share.')),
  nested: Type.Optional(
    Type.Object({
      list: listOf(Type.Object({ start: int32('Start.') }), 'Starts.', 2),
      note: Type.Optional(text('N.')),
    }),
  ),
});
const CAMERA = 'AAAAAAAAAAAAAAAAAAAAAA';
const read = bodyReader(SCHEMA);

function refusal(body: unknown): unknown {
  try {
    read(body);
  } catch (error) {
    if (error instanceof GatewayError) return [error.code, error.context.sentence];
    throw error;
  }
  return 'accepted';
}

describe('bodyReader', () => {
  it.each([true, 'true', 1, {}])(
    'refuses %j for a flag that can only be false, in its own words',
    (guarded) => {
      const own = bodyReader(
        Type.Object({ guarded: Type.Optional(onlyFalse('G.', 'walls have no guard.')) }),
      );
      const refused = { code: 'INVALID_FIELD', context: { sentence: 'guarded: walls have no guard.' } };
      expect(() => own({ guarded })).toThrow(expect.objectContaining(refused));
      expect(own({ guarded: false })).toEqual({ guarded: false });
      expect(own({ guarded: null })).toEqual({});
      expect(own({})).toEqual({});
    },
  );

  const cases: readonly [name: string, body: unknown, sentence: string][] = [
    ['a missing field', {}, 'camera is required.'],
    ['null for a required field', { camera: null }, 'camera is required.'],
    ['no object', [], 'The request body must be a JSON object, got array.'],
    ['text as body', 'camera', 'The request body must be a JSON object, got string.'],
    ['a wrong type', { camera: CAMERA, count: '3' }, 'count must be an integer from 0 to 10, got string.'],
    [
      'a fraction',
      { camera: CAMERA, count: 1.5 },
      'count must be an integer from 0 to 10, got the number 1.5.',
    ],
    [
      'a number where text is expected, which can be a password',
      { camera: CAMERA, name: 1.5 },
      'name must be a string of at most 5 characters, got number.',
    ],
    ['true as text', { camera: CAMERA, isOn: 'true' }, 'isOn must be a boolean, got string.'],
    ['a small number', { camera: CAMERA, count: -1 }, 'count must be an integer from 0 to 10, got -1.'],
    ['a large number', { camera: CAMERA, count: 11 }, 'count must be an integer from 0 to 10, got 11.'],
    [
      'an infinite number',
      JSON.parse(`{"camera":"${CAMERA}","ratio":1e999}`),
      'ratio must be a number, got number.',
    ],
    ['a long text', { camera: CAMERA, name: 'abcdef' }, 'name must have at most 5 characters.'],
    ['another word', { camera: CAMERA, colour: 'blue' }, 'colour must be one of red, green; got "blue".'],
    [
      'a very long word',
      { camera: CAMERA, colour: 'x'.repeat(10_000) },
      `colour must be one of red, green; got "${'x'.repeat(39)}….`,
    ],
    [
      'no RUUID',
      { camera: CAMERA, share: 'short' },
      'share must be an RUUID (22 characters of URL-safe Base64).',
    ],
    [
      'an RUUID with a facet where none is allowed',
      { camera: CAMERA, share: `${CAMERA}.v0` },
      'share must be an RUUID (22 characters of URL-safe Base64).',
    ],
    [
      'an unknown facet',
      { camera: `${CAMERA}.v52` },
      'camera must be a device UUID (22 characters of URL-safe Base64, optionally a dot and a facet such as v0).',
    ],
    ['a missing nested field', { camera: CAMERA, nested: {} }, 'nested.list is required.'],
    [
      'a wrong field in a list',
      { camera: CAMERA, nested: { list: [{ start: 1 }, { start: true }] } },
      'nested.list[1].start must be an integer from -2147483648 to 2147483647, got boolean.',
    ],
    [
      'null in a list',
      { camera: CAMERA, nested: { list: [null] } },
      'nested.list[0] must be an object, got null.',
    ],
    [
      'a long list',
      { camera: CAMERA, nested: { list: [{ start: 1 }, { start: 1 }, { start: 1 }] } },
      'nested.list must have at most 2 entries.',
    ],
  ];
  it.each(cases)('names %s', (_name, body, sentence) => {
    expect(refusal(body)).toEqual(['INVALID_FIELD', sentence]);
  });

  it('reads null as absent, at every depth', () => {
    const body = { camera: CAMERA, count: null, isOn: null, nested: { list: [{ start: 4 }], note: null } };
    expect(read(body)).toEqual({ camera: CAMERA, nested: { list: [{ start: 4 }] } });
  });

  it('reads null in a map as a missing entry', () => {
    const readMap = bodyReader(Type.Object({ byState: mapOf(ruuid('A schedule.'), 'By state.') }));
    const byState = JSON.parse(`{"OPEN":"${CAMERA}","SHUT":null,"__proto__":null}`);
    expect(readMap({ byState })).toEqual({ byState: { OPEN: CAMERA } });
    expect(() => readMap({ byState: { OPEN: 5 } })).toThrow();
  });

  it('refuses a map that is too long, with a hundred thousand entries or one too many', async () => {
    const readMap = bodyReader(Type.Object({ list: listOf(mapOf(text('Name.'), 'Names.'), 'Maps.', 2) }));
    const body = (count: number) =>
      `{"list":[{${Array.from({ length: count }, (_, index) => `"n${index}":""`).join()}}]}`;
    expect(readMap(JSON.parse(body(10_000)))).toEqual(JSON.parse(body(10_000)));
    for (const count of [10_001, 100_000]) {
      const value = await parseJsonBody(body(count));
      expect(() => readMap(value)).toThrow(
        expect.objectContaining({ context: { sentence: 'list[0] must have at most 10000 entries.' } }),
      );
    }
  });

  it('leaves out unknown fields, a hundred thousand or one', async () => {
    const many = Array.from({ length: 80_000 }, (_, index) => `"n${index}":1`).join();
    const value = await parseJsonBody(
      `{${many},"camera":"${CAMERA}","nested":{"list":[{"start":1,"stop":2}]}}`,
    );
    expect(read(value)).toEqual({ camera: CAMERA, nested: { list: [{ start: 1 }] } });
  });

  it('reads a facet as its device where facets do not matter', () => {
    const device = deviceUuid('A device.');
    const readDevices = bodyReader(
      Type.Object({
        one: device,
        list: Type.Optional(listOf(device, 'Devices.', 2)),
        map: Type.Optional(mapOf(device, 'Devices.')),
        facet: Type.Optional(deviceFacetUuid('A facet.')),
      }),
    );
    const facet = `${CAMERA}.v0`;
    expect(readDevices({ one: facet, list: [facet, CAMERA], map: { a: facet }, facet })).toEqual({
      one: CAMERA,
      list: [CAMERA, CAMERA],
      map: { a: CAMERA },
      facet,
    });
    for (const wrong of ['x', `${CAMERA}.v0.v0`, `${CAMERA}v0`, 5, [facet]]) {
      expect(() => readDevices({ one: wrong })).toThrow(GatewayError);
    }
  });

  it('takes true and false as text where the schema says so, and no other text', () => {
    const readFlags = bodyReader(
      Type.Object({ lenient: flagOrWord('A flag.'), strict: Type.Optional(flag('A flag.')) }),
    );
    expect(readFlags({ lenient: 'true' })).toEqual({ lenient: true });
    expect(readFlags({ lenient: 'false', strict: true })).toEqual({ lenient: false, strict: true });
    for (const wrong of [{ lenient: 'True' }, { lenient: 1 }, { lenient: true, strict: 'true' }]) {
      expect(() => readFlags(wrong)).toThrow(GatewayError);
    }
  });

  it('allows unknown fields', () => {
    expect(refusal({ camera: CAMERA, colours: 7, nested: { list: [], x: null } })).toBe('accepted');
  });

  it('accepts a camera with a facet', () => {
    expect(refusal({ camera: `${CAMERA}.v51` })).toBe('accepted');
    expect(refusal({ camera: `${CAMERA}.a0` })).toBe('accepted');
  });

  it('takes any JSON value, and refuses with a sentence or returns an object', () => {
    const field = fc.option(fc.jsonValue(), { nil: null });
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          camera: fc.oneof(fc.constant(CAMERA), field),
          count: field,
          nested: field,
          name: field,
          colour: field,
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(body, (value) => {
        const outcome = refusal(value);
        if (outcome === 'accepted') return true;
        const [code, sentence] = outcome as [string, string];
        return code === 'INVALID_FIELD' && /^\S.*\.$/.test(sentence);
      }),
      randomRuns(1_000),
    );
  });
});

describe('parseJsonBody', () => {
  it.each(['', '  \r\n', '\uFEFF', '{}'])('reads %j as an empty object', async (body) => {
    expect(await parseJsonBody(body)).toEqual({});
  });

  it('skips a byte order mark', async () => {
    expect(await parseJsonBody('\uFEFF{"a":1}')).toEqual({ a: 1 });
  });

  it.each(['{', '{"a":}', "{'a':1}", '{"a":1}x', 'undefined'])('refuses %j', async (body) => {
    await expect(parseJsonBody(body)).rejects.toMatchObject({ code: 'MALFORMED_JSON' });
  });

  it('accepts deep nesting in a short body', async () => {
    const depth = 30_000;
    const body = await parseJsonBody(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'INVALID_FIELD' }));
  });

  it('refuses deep nesting in a long one, which would take long to read', async () => {
    const depth = 200_000;
    const body = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    await expect(parseJsonBody(body)).rejects.toMatchObject({ code: 'MALFORMED_JSON' });
  });
});
