/** The specification's facts hold together, and the API has every field of the specified endpoints. */

import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ApiDocument,
  type Facts,
  fieldsNotServed,
  namedIn,
  PRIMITIVES,
  readFacts,
} from '../../scripts/specification.ts';
import { ENDPOINTS } from '../../src/api/endpoints.ts';
import { OAUTH_OPERATIONS } from '../../src/api/oauth/oauth-operations.ts';
import { openApiDocument } from '../../src/http/openapi/openapi.ts';

const FACTS = readFacts(resolve(import.meta.dirname, '../..'));
const DOCUMENT = openApiDocument(
  ENDPOINTS,
  OAUTH_OPERATIONS,
  'https://api.example.com',
) as unknown as ApiDocument;

/** Parts of the response wrapper of GET /api/oauth/authorize that are always null: a redirect has no language. */
const ALWAYS_NULL = ['response.language.', 'response.links.', 'response.mediaType.'];
/** The configuration that neighbors read has a type here; the specified one has not. */
const NOT_SPECIFIED = 'request.config.region_of_interest_groups.type';

function unknownNames({ endpoints, types, enumerations }: Facts): string[] {
  const lists = [
    ...Object.entries(types),
    ...Object.entries(endpoints).flatMap(([path, { request, response }]) => [
      [path, request] as const,
      [path, response] as const,
    ]),
  ];
  return lists.flatMap(([owner, fields]) =>
    Object.entries(fields)
      .filter(([, type]) => {
        const name = namedIn(type);
        return name !== null && !PRIMITIVES.has(name) && !(name in types) && !(name in enumerations);
      })
      .map(([field, type]) => `${owner} ${field}: ${type}`),
  );
}

describe('the facts', () => {
  it('use only types that they explain', () => {
    expect(unknownNames(FACTS)).toEqual([]);
    const misspelled = { ...FACTS, types: { ...FACTS.types, X: { a: 'map of Duor[]', b: 'one of A, B' } } };
    expect(unknownNames(misspelled)).toEqual(['X a: map of Duor[]']);
  });

  it('require only fields that exist', () => {
    const missing = Object.entries(FACTS.endpoints).flatMap(([path, { required = [], request }]) =>
      required.filter((name) => !(name in request)).map((name) => `${path} ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('the API', () => {
  const contract = Object.entries(FACTS.endpoints).filter(([, { origin }]) =>
    /^(specified|named)$/.test(origin),
  );

  it('is compared with 34 endpoints', () => {
    expect(contract).toHaveLength(34);
  });

  it.each(contract.map(([path]) => path))('has every field of %s', (path) => {
    const missing = fieldsNotServed(FACTS, DOCUMENT, path);
    expect(missing).not.toBeNull();
    const unexplained = missing!.filter(
      (field) => field !== NOT_SPECIFIED && !ALWAYS_NULL.some((prefix) => field.startsWith(prefix)),
    );
    expect(unexplained).toEqual([]);
  });

  it('that lacks a field, or an endpoint, is noticed', () => {
    const path = '/api/component/updateAccessControlledDoor';
    const endpoint = FACTS.endpoints[path]!;
    const response = { ...endpoint.response, nothing: 'string' };
    const types = { ...FACTS.types, AccessControlledDoor: { nothing: 'string' } };
    const changed: Facts = {
      ...FACTS,
      types,
      endpoints: { [path]: { ...endpoint, response }, '/api/x': endpoint },
    };
    expect(fieldsNotServed(changed, DOCUMENT, path)).toEqual([
      'response.accessControlledDoor.nothing',
      'response.nothing',
    ]);
    expect(fieldsNotServed(changed, DOCUMENT, '/api/x')).toBeNull();
  });
});
