/** Bodies generated from schemas, for tests that try every endpoint and every field that names something. */

import { newRuuid } from '../core/ruuid.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { asJsonSchema, type JsonSchema } from '../http/fields/json-schema.ts';

/** The UUID or other identifier that a field of this name takes; undefined: any value will do. */
export type IdentifierOfField = (field: string) => string | undefined;

/** Where a schema takes an identifier: the path to it, `[]` for an entry of a list and `{}` for one of a map. */
export type IdentifierSite = readonly string[];

const ENTRY = '[]';
const VALUE = '{}';
/** The key that samples use for an entry of a map. */
const MAP_KEY = 'key-1';
const OTHER_IDENTIFIERS = /^(?:serialNumber|\w+MacAddress)$/;
/** Schemas that contain themselves are followed to this depth. */
const MAX_DEPTH = 12;

/** The endpoint's example, with an organization's identifiers in place of its own. */
export function exampleBody(endpoint: Endpoint, identifierOf: IdentifierOfField): Record<string, unknown> {
  const schema = asJsonSchema(endpoint.requestSchema);
  return withIdentifiers(schema, endpoint.example.request, '', identifierOf) as Record<string, unknown>;
}

function withIdentifiers(
  schema: JsonSchema,
  value: unknown,
  field: string,
  identifierOf: IdentifierOfField,
): unknown {
  const own = significant(schema);
  if (typeof value === 'string') return identifierOf(field) ?? (isUuid(own) ? newRuuid() : value);
  if (Array.isArray(value)) {
    return value.map((entry) =>
      own.items === undefined ? entry : withIdentifiers(own.items, entry, field, identifierOf),
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, entry]) => {
    const property = own.properties?.[name];
    if (property !== undefined) return [name, withIdentifiers(property, entry, name, identifierOf)];
    const values = valueSchema(own);
    return [name, values === undefined ? entry : withIdentifiers(values, entry, field, identifierOf)];
  });
  return Object.fromEntries(fields);
}

/** Every place in a schema that takes an identifier. */
export function identifierSites(schema: JsonSchema): IdentifierSite[] {
  const sites: IdentifierSite[] = [];
  collectSites(schema, [], sites);
  return sites;
}

function collectSites(schema: JsonSchema, steps: readonly string[], sites: IdentifierSite[]): void {
  if (steps.length > MAX_DEPTH) return;
  const own = significant(schema);
  if (isIdentifier(own, steps.at(-1) ?? '')) sites.push(steps);
  if (own.items !== undefined) collectSites(own.items, [...steps, ENTRY], sites);
  const values = valueSchema(own);
  if (values !== undefined) collectSites(values, [...steps, VALUE], sites);
  for (const [name, property] of Object.entries(own.properties ?? {})) {
    collectSites(property, [...steps, name], sites);
  }
}

/**
 * A copy of the body with `identifier` at the site. Adds the containers around it if they are missing, and sets the
 * `…Updated` flag if the field counts only with one.
 */
export function withIdentifierAt(
  schema: JsonSchema,
  body: unknown,
  site: IdentifierSite,
  identifier: string,
  identifierOf: IdentifierOfField,
): unknown {
  const [step, ...rest] = site;
  if (step === undefined) return identifier;
  const own = significant(schema);
  if (step === ENTRY) {
    const entries =
      Array.isArray(body) && body.length > 0 ? body : [sample(own.items ?? {}, '', identifierOf)];
    return [
      withIdentifierAt(own.items ?? {}, entries[0], rest, identifier, identifierOf),
      ...entries.slice(1),
    ];
  }
  const fields = (body ?? sample(own, '', identifierOf)) as Record<string, unknown>;
  const name = step === VALUE ? (Object.keys(fields)[0] ?? MAP_KEY) : step;
  const property = (step === VALUE ? valueSchema(own) : own.properties?.[step]) ?? {};
  const current = fields[name] ?? sample(property, name, identifierOf);
  const isFlagged = own.properties?.[`${name}Updated`] !== undefined;
  return {
    ...fields,
    ...(isFlagged ? { [`${name}Updated`]: true } : {}),
    [name]: withIdentifierAt(property, current, rest, identifier, identifierOf),
  };
}

/** The smallest value that fits the schema. */
function sample(schema: JsonSchema, field: string, identifierOf: IdentifierOfField): unknown {
  const own = significant(schema);
  if (isIdentifier(own, field)) return identifierOf(field) ?? newIdentifier(own);
  if (own.enum !== undefined) return own.enum[0];
  switch (typeOf(own)) {
    case 'object': {
      const required = Object.entries(own.properties ?? {}).filter(([name]) => own.required?.includes(name));
      return Object.fromEntries(
        required.map(([name, property]) => [name, sample(property, name, identifierOf)]),
      );
    }
    case 'array':
      return [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.max(own.minimum ?? 1, Math.min(1, own.maximum ?? 1));
    default:
      return 'x';
  }
}

/** The schema itself, or the non-null part of a nullable one. */
function significant(schema: JsonSchema): JsonSchema {
  return schema.anyOf?.find((option) => option.type !== 'null') ?? schema;
}

/** Fields with a pattern are RUUIDs, alone or with more after them; a few things are named in another way. */
function isIdentifier(schema: JsonSchema, field: string): boolean {
  return isUuid(schema) || (schema.type === 'string' && OTHER_IDENTIFIERS.test(field));
}

function isUuid({ pattern }: JsonSchema): boolean {
  return pattern?.startsWith('^[A-Za-z0-9_-]{2') === true;
}

/** An identifier that does not exist. */
function newIdentifier(schema: JsonSchema): string {
  return isUuid(schema) ? newRuuid() : 'unknown';
}

function typeOf({ type }: JsonSchema): string | undefined {
  return typeof type === 'string' ? type : type?.find((word) => word !== 'null');
}

function valueSchema({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
