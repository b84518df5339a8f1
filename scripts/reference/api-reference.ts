/** The reference page of the API as Markdown, generated from the OpenAPI document. */

import { ENDPOINTS } from '../../src/api/endpoints.ts';
import { OAUTH_OPERATIONS } from '../../src/api/oauth/oauth-operations.ts';
import { ENVELOPE_PROPERTIES } from '../../src/http/envelope.ts';
import type { JsonSchema } from '../../src/http/fields/json-schema.ts';
import { openApiDocument } from '../../src/http/openapi/openapi.ts';
import type { Tag } from '../../src/http/openapi/operation-names.ts';

const INTRODUCTION = `# API reference

Every endpoint takes \`POST\` with a JSON object as its body and returns JSON. Requests have \`x-auth-apikey\` and,
unless you mean the default \`api-token\`, \`x-auth-scheme\` (\`api-token\`, \`api\`, \`partner-api-token\`,
\`partner-api\`, \`device\`). With a partner key, \`x-auth-org\` names the client organization to act for. An application
sends an OAuth access token in \`x-auth-access-token\`, with \`api-oauth-token\` or \`partner-api-oauth-token\`, or as
\`Authorization: Bearer\`.

Every response has the envelope, which the tables below leave out: \`error\`, and \`errorMsg\` or \`warningMsg\` if
there is something to say. Responses leave out what is absent and never say null. A refusal returns 200 with
\`error: true\` and only the envelope. A missing or unknown key returns 401 with \`authenticationFailed: true\`;
a role that does not allow the call returns 403 ([roles](../design/people.md#roles));
too many requests return 429 with \`Retry-After\`. On every response, \`RateLimit-Policy\` and \`RateLimit\` say what is
left (draft-ietf-httpapi-ratelimit-headers). You can leave out request fields that are not required or set them to null.
Unknown fields change nothing, and \`warningMsg\` names them.

The same as OpenAPI: \`GET /api/openapi/public.json\`; a page to try it: \`GET /api/openapi/\`.`;

/** The parts of the document that the page uses. */
interface Document {
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, DocumentSchema>> };
}

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly 'x-sluice-extension'?: boolean;
  readonly 'x-sluice-role'?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Content>> }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: DocumentSchema;
  readonly example?: unknown;
}

interface Content {
  readonly schema: DocumentSchema;
  readonly example?: unknown;
  readonly examples?: { readonly success: { readonly value: unknown } };
}

/** As in the document: a JSON Schema in which components are references. */
interface DocumentSchema extends Omit<JsonSchema, 'properties' | 'items' | 'anyOf' | 'additionalProperties'> {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, DocumentSchema>>;
  readonly items?: DocumentSchema;
  readonly anyOf?: readonly DocumentSchema[];
  readonly additionalProperties?: DocumentSchema | boolean;
}

interface Fields {
  readonly title: string;
  readonly schema: DocumentSchema;
  readonly example: unknown;
}

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const CSV_TYPE = 'text/csv';

/** The text of `docs/reference/api.md`, generated from the OpenAPI document. */
export function renderApiReference(): string {
  const document = openApiDocument(ENDPOINTS, OAUTH_OPERATIONS, 'https://api.example.com');
  return new ReferencePage(document as unknown as Document).render();
}

class ReferencePage {
  readonly #document: Document;
  /** The types found so far, by title, in the order in which they were found. */
  readonly #named = new Map<string, DocumentSchema>();

  constructor(document: Document) {
    this.#document = document;
  }

  render(): string {
    const operations = Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    const byTag = Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? '');
    const sections = this.#document.tags.map(({ name, description }) => {
      const texts = (byTag.get(name) ?? []).map(({ path, method, operation }) =>
        this.#operation(`${method.toUpperCase()} ${path}`, operation),
      );
      return [`## ${name}`, description, ...texts].join('\n\n');
    });
    return `${[INTRODUCTION, ...sections, this.#types()].join('\n\n')}\n`;
  }

  #operation(heading: string, operation: Operation): string {
    const request = requestOf(operation);
    const success = operation.responses['200'] ?? operation.responses['201'];
    const { schema, example, examples } = contentOf(success?.content, JSON_TYPE);
    const file = success?.content?.[CSV_TYPE];
    return [
      `### ${heading}`,
      [operation.summary, ...notesOn(operation)].join(' '),
      operation.description,
      request.title,
      this.#fieldTable(request.schema, 'request'),
      'Response:',
      file === undefined ? this.#fieldTable(schema, 'response') : `a file, \`${CSV_TYPE}\`.`,
      jsonFence(request.example),
      file === undefined
        ? jsonFence(examples?.success.value ?? example)
        : ['```csv', String(file.example).trim(), '```'].join('\n'),
    ].join('\n\n');
  }

  #types(): string {
    const sections: string[] = [];
    // Rendering a type can find more of them. The map grows during the loop, and iterating over a Map includes the added
    // entries.
    for (const [title, schema] of this.#named) {
      sections.push(`### ${title}\n\n${this.#fieldTable(schema, 'response')}`);
    }
    return ['## Types', ...sections].join('\n\n');
  }

  #fieldTable(given: DocumentSchema, side: 'request' | 'response'): string {
    const schema = this.#resolved(given);
    const rows: string[] = [];
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (name in ENVELOPE_PROPERTIES) continue;
      const required = side === 'request' && (schema.required ?? []).includes(name) ? ' Required.' : '';
      rows.push(`| ${name} | ${this.#typeText(field)} | ${fieldDescription(field)}${required} |`);
    }
    if (rows.length === 0) return side === 'request' ? 'an empty object.' : 'the envelope.';
    return ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n');
  }

  #typeText(given: DocumentSchema): string {
    const field = this.#resolved(given);
    if (field.anyOf !== undefined) {
      return field.anyOf
        .filter((option) => option.type !== 'null')
        .map((option) => this.#typeText(option))
        .join(' or ');
    }
    const { title } = field;
    if (title !== undefined) {
      // A type is the same in requests and responses, except that null can mean absent, as the introduction says.
      if (!this.#named.has(title)) this.#named.set(title, field);
      return `[${title}](#${title.toLowerCase()})`;
    }
    if (field.items !== undefined) return `array of ${this.#typeText(field.items)}`;
    if (field.enum !== undefined) return field.enum.filter((word) => word !== null).join(', ');
    if (typeof field.additionalProperties === 'object') {
      return `map of ${this.#typeText(field.additionalProperties)}`;
    }
    if (field.pattern !== undefined) return field.pattern.endsWith('?$') ? 'DeviceFacetUuid' : 'RUUID';
    return field.format ?? wordsOf(field);
  }

  #resolved(schema: DocumentSchema): DocumentSchema {
    if (schema.$ref === undefined) return schema;
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    const component = this.#document.components.schemas[name];
    if (component === undefined) throw new TypeError(`${schema.$ref} does not exist`);
    return component;
  }
}

function notesOn(operation: Operation): string[] {
  const ways = new Set(operation.security.flatMap((way) => Object.keys(way)));
  const notes: string[] = [];
  if (operation['x-sluice-extension'] === true) notes.push('Specific to Sluice.');
  const role = operation['x-sluice-role'];
  if (role === 'operator' || role === 'admin') notes.push(`Needs the role \`${role}\`.`);
  if (operation.deprecated === true) notes.push('Deprecated.');
  if (ways.has('partnerKey') && !ways.has('apiKey')) notes.push('Accepts partner keys only.');
  if (ways.has('deviceKey')) notes.push('Accepts device keys and the organization’s keys.');
  if (ways.has('federatedToken')) notes.push('Also accepts federated sessions.');
  if (operation.responses['422'] !== undefined) notes.push('Honors `Idempotency-Key`.');
  return notes;
}

function requestOf({ requestBody, parameters = [] }: Operation): Fields {
  if (requestBody !== undefined) {
    const isForm = requestBody.content[FORM] !== undefined;
    const { schema, example } = contentOf(requestBody.content, isForm ? FORM : JSON_TYPE);
    return { title: isForm ? 'Form:' : 'Request:', schema, example };
  }
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const fields = inQuery.map(({ name, description, schema }) => [name, { ...schema, description }] as const);
  const shown = inQuery.filter(({ example }) => example !== undefined);
  return {
    title: 'Query:',
    schema: { type: 'object', properties: Object.fromEntries(fields) },
    example: Object.fromEntries(shown.map(({ name, example }) => [name, example])),
  };
}

function contentOf(content: Readonly<Record<string, Content>> | undefined, type: string): Content {
  const found = content?.[type];
  if (found === undefined) throw new TypeError(`the operation has no ${type}`);
  return found;
}

function jsonFence(value: unknown): string {
  return ['```json', JSON.stringify(value, null, 2), '```'].join('\n');
}

function fieldDescription(field: DocumentSchema): string {
  const own = field.description ?? field.anyOf?.[0]?.description ?? '';
  return own.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function wordsOf({ type = 'any' }: DocumentSchema): string {
  return (typeof type === 'string' ? [type] : type).filter((word) => word !== 'null').join(', ');
}
