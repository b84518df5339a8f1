/** Reads docs/spec/facts.yaml, the facts of the management API, and renders the pages that are generated from it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Names and types of fields, in the file's order. A type is written as the head of the file explains. */
export type FieldTypes = Readonly<Record<string, string>>;

export interface SpecifiedEndpoint {
  /** Default: POST. */
  readonly method?: 'GET';
  readonly origin: 'specified' | 'named' | 'neighbor' | 'client';
  readonly operationId?: string;
  readonly tag?: string;
  readonly deprecated?: boolean;
  readonly required?: readonly string[];
  readonly request: FieldTypes;
  /** Without the envelope. */
  readonly response: FieldTypes;
}

export interface Facts {
  /** By path. */
  readonly endpoints: Readonly<Record<string, SpecifiedEndpoint>>;
  readonly types: Readonly<Record<string, FieldTypes>>;
  readonly enumerations: Readonly<Record<string, readonly string[]>>;
}

/** As much of the OpenAPI document as these pages compare with. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, ApiSchema>> };
}

interface ApiOperation {
  readonly parameters?: readonly { readonly name?: string; readonly in?: string }[];
  readonly requestBody?: ApiBody;
  readonly responses: Readonly<Record<string, ApiBody>>;
}

interface ApiBody {
  readonly content?: Readonly<Record<string, { readonly schema: ApiSchema }>>;
}

interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly items?: ApiSchema;
  readonly anyOf?: readonly ApiSchema[];
  readonly additionalProperties?: ApiSchema | boolean;
}

export const PRIMITIVES: ReadonlySet<string> = new Set(
  'string boolean int32 int64 float double object date-time RUUID DeviceFacetUuid SubLocationsHierarchyKey'.split(
    ' ',
  ),
);

const ORIGINS: Readonly<Record<SpecifiedEndpoint['origin'], string>> = {
  specified: 'Specified.',
  named: 'Named in the version history; fields as clients use them.',
  neighbor: 'Neighbor.',
  client: 'Seen in calls of clients.',
};

const GENERATED = 'Generated from [facts.yaml](facts.yaml) with `npm run docs`.';

export function readFacts(root: string): Facts {
  return parse(readFileSync(join(root, 'docs/spec/facts.yaml'), 'utf8')) as Facts;
}

/** The name inside `map of X[]`; null for `one of A, B`, which names nothing. */
export function namedIn(type: string): string | null {
  if (type.startsWith('one of ')) return null;
  return type.replace(/^map of /, '').replaceAll('[]', '');
}

/**
 * Fields of the facts that the API's document does not have, as `request.a.b`. Fields whose schema is free-form hold
 * everything. Null if the endpoint is not served.
 */
export function fieldsNotServed(facts: Facts, document: ApiDocument, path: string): string[] | null {
  const endpoint = facts.endpoints[path]!;
  const operation = document.paths[path]?.[(endpoint.method ?? 'POST').toLowerCase()];
  if (operation === undefined) return null;
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const requested = query.length > 0 ? { properties: namesOnly(query) } : schemaOf(operation.requestBody);
  const walk = new FieldWalk(facts, document);
  walk.compare(endpoint.request, requested, 'request');
  walk.compare(endpoint.response, schemaOf(operation.responses['200']), 'response');
  return walk.missing;
}

function namesOnly(parameters: readonly { readonly name?: string }[]): Record<string, ApiSchema> {
  return Object.fromEntries(parameters.map(({ name = '' }) => [name, {}]));
}

function schemaOf(body: ApiBody | undefined): ApiSchema {
  return Object.values(body?.content ?? {})[0]?.schema ?? { properties: {} };
}

class FieldWalk {
  readonly missing: string[] = [];
  readonly #facts: Facts;
  readonly #document: ApiDocument;
  /** Types on the way down: some contain themselves. */
  readonly #open = new Set<string>();

  constructor(facts: Facts, document: ApiDocument) {
    this.#facts = facts;
    this.#document = document;
  }

  compare(fields: FieldTypes, schema: ApiSchema, at: string): void {
    const properties = this.#objectOf(schema).properties;
    if (properties === undefined) return;
    for (const [name, type] of Object.entries(fields)) {
      const property = properties[name];
      if (property === undefined) {
        this.missing.push(`${at}.${name}`);
        continue;
      }
      const inner = namedIn(type);
      const innerFields = inner === null ? undefined : this.#facts.types[inner];
      if (inner === null || innerFields === undefined || this.#open.has(inner)) continue;
      this.#open.add(inner);
      this.compare(innerFields, property, `${at}.${name}`);
      this.#open.delete(inner);
    }
  }

  /** The object within references, arrays, maps and "or null". */
  #objectOf(given: ApiSchema): ApiSchema {
    const { $ref, anyOf, items, properties, additionalProperties } = given;
    if ($ref !== undefined) {
      return this.#objectOf(this.#document.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {});
    }
    const option = anyOf?.find((each) => each.type !== 'null');
    if (option !== undefined) return this.#objectOf(option);
    if (items !== undefined) return this.#objectOf(items);
    if (properties === undefined && typeof additionalProperties === 'object') {
      return this.#objectOf(additionalProperties);
    }
    return given;
  }
}

/** docs/spec/endpoints.md */
export function renderSpecifiedEndpoints(facts: Facts, document: ApiDocument): string {
  const byCategory = Map.groupBy(Object.keys(facts.endpoints), (path) =>
    path.split('/').slice(1, 3).join('/'),
  );
  const sections = [...byCategory].map(([category, paths]) =>
    [`## ${category}`, ...paths.map((path) => endpointText(facts, document, path))].join('\n\n'),
  );
  return page('Endpoints', [
    `${GENERATED} The last line of an endpoint compares it`,
    'with what the gateway serves. Rules that a list of fields cannot say are in [rules.md](rules.md).',
    '',
    sections.join('\n\n'),
  ]);
}

function endpointText(facts: Facts, document: ApiDocument, path: string): string {
  const endpoint = facts.endpoints[path]!;
  const { method = 'POST', origin, operationId, tag, deprecated = false, required = [] } = endpoint;
  const notes = [
    ORIGINS[origin],
    ...(deprecated ? ['Deprecated.'] : []),
    ...(operationId === undefined ? [] : [`Operation \`${operationId}\`, tag _${tag}_.`]),
  ];
  return [
    `### ${method} ${path}`,
    notes.join(' '),
    `Request:${fieldList(facts, endpoint.request, required)}`,
    `Response:${fieldList(facts, endpoint.response, [])}`,
    servedText(fieldsNotServed(facts, document, path)),
  ].join('\n\n');
}

function servedText(missing: string[] | null): string {
  if (missing === null) return 'Sluice does not serve it yet.';
  if (missing.length === 0) return 'Sluice has all of these fields.';
  return `Sluice does not have ${missing.map((field) => `\`${field}\``).join(', ')}.`;
}

function fieldList(facts: Facts, fields: FieldTypes, required: readonly string[]): string {
  const items = Object.entries(fields).map(
    ([name, type]) => `- \`${name}\`: ${typeText(facts, type)}${required.includes(name) ? ', required' : ''}`,
  );
  return items.length === 0 ? ' no fields.' : `\n\n${items.join('\n')}`;
}

function typeText(facts: Facts, type: string): string {
  const name = namedIn(type);
  if (name === null || PRIMITIVES.has(name)) return type;
  const target = name in facts.types ? 'types.md' : 'enumerations.md';
  return type.replace(name, `[${name}](${target}#${name.toLowerCase()})`);
}

/** docs/spec/types.md */
export function renderSpecifiedTypes(facts: Facts): string {
  const sections = Object.entries(facts.types).map(
    ([name, fields]) => `## ${name}\n\n${fieldList(facts, fields, []).trim()}`,
  );
  return page('Types', [GENERATED, '', sections.join('\n\n')]);
}

/** docs/spec/enumerations.md */
export function renderEnumerations(facts: Facts): string {
  const sections = Object.entries(facts.enumerations).map(
    ([name, values]) => `## ${name}\n\n${values.map((value) => `\`${value}\``).join(', ')}`,
  );
  return page('Enumerations', [
    `${GENERATED} \`RealTimeEntity\` has the entities of the`,
    'real-time stream, `AuditAction` the actions of the audit trail. Clients use more values of `DiagnosticActivityEnum`.',
    '',
    sections.join('\n\n'),
  ]);
}

function page(title: string, lines: readonly string[]): string {
  return `# ${title}\n\n${lines.join('\n')}\n`;
}
