/** The reference page of the API as Markdown, made from the endpoint definitions. */

import type { Endpoint } from './base/endpoint.ts';
import { ENVELOPE_PROPERTIES } from './base/envelope.ts';
import { asJsonSchema, type JsonSchema } from './base/json-schema.ts';
import type { PlainOperation } from './base/plain-operation.ts';
import { ENDPOINTS } from './endpoints.ts';
import { OAUTH_OPERATIONS } from './oauth/oauth-operations.ts';

const INTRODUCTION = `# API reference

Every endpoint takes \`POST\` with a JSON object as its body and answers JSON. Requests carry \`x-auth-apikey\` and,
unless the default \`api-token\` is meant, \`x-auth-scheme\` (\`api-token\`, \`api\`, \`partner-api-token\`,
\`partner-api\`, \`device\`). A partner key names the client organisation it acts on in \`x-auth-org\`. An application
brings an OAuth access token in \`x-auth-access-token\`, with \`api-oauth-token\` or \`partner-api-oauth-token\`, or as
\`Authorization: Bearer\`.

Every answer carries the envelope \`error\`, \`errorMsg\`, \`warningMsg\`, which the tables below leave out. A refusal
answers 200 with \`error: true\` and nothing but the envelope. A missing or unknown key answers 401 with
\`authenticationFailed: true\`; too many requests answer 429 with \`Retry-After\`. \`RateLimit-Policy\` and \`RateLimit\` say
on every answer what is left (draft-ietf-httpapi-ratelimit-headers). Fields that are not required may be
left out or null; unknown fields are ignored.

The same as OpenAPI: \`GET /api/openapi/public.json\`; a page to try it: \`GET /api/openapi/\`.`;

/** The text of \`docs/reference/api.md\`. */
export function renderApiReference(endpoints: readonly Endpoint[] = ENDPOINTS): string {
  const named = new Map<string, JsonSchema>();
  const categories = [...new Set(endpoints.map((endpoint) => endpoint.category))].sort();
  const sections = categories.map((category) => {
    const ofCategory = endpoints.filter((endpoint) => endpoint.category === category);
    return [
      `## ${category}`,
      ...ofCategory.map((endpoint) => renderEndpoint(endpoint, named)),
      ...OAUTH_OPERATIONS.filter((each) => each.category === category).map((each) =>
        renderPlain(each, named),
      ),
    ].join('\n\n');
  });
  const types = renderNamedTypes(named);
  return `${[INTRODUCTION, ...sections, types].join('\n\n')}\n`;
}

function renderEndpoint(endpoint: Endpoint, named: Map<string, JsonSchema>): string {
  const notes: string[] = [];
  if (endpoint.isExtension) notes.push('An addition of Sluice.');
  if (endpoint.isDeprecated) notes.push('Deprecated.');
  if (endpoint.scheme === 'partner-api') notes.push('Takes partner keys only.');
  if (endpoint.scheme === 'device') notes.push('Takes device keys and the keys of the organisation.');
  const response = asJsonSchema(endpoint.responseSchema);
  return [
    `### POST ${endpoint.path}`,
    [endpoint.summary, ...notes].join(' '),
    endpoint.description,
    'Request:',
    fieldTable(asJsonSchema(endpoint.requestSchema), 'request', named),
    'Response:',
    fieldTable(response, 'response', named),
    jsonFence(endpoint.example.request),
    jsonFence(endpoint.example.response),
  ].join('\n\n');
}

function renderPlain(operation: PlainOperation, named: Map<string, JsonSchema>): string {
  const { method, path, summary, description, request, example } = operation;
  return [
    `### ${method.toUpperCase()} ${path}`,
    operation.isExtension ? `${summary} An addition of Sluice.` : summary,
    description,
    request.kind === 'form' ? 'Form:' : 'Query:',
    fieldTable(asJsonSchema(request.schema), 'request', named),
    'Response:',
    fieldTable(asJsonSchema(operation.response), 'response', named),
    jsonFence(example.request),
    jsonFence(example.response),
  ].join('\n\n');
}

function jsonFence(value: object): string {
  return ['```json', JSON.stringify(value, null, 2), '```'].join('\n');
}

function renderNamedTypes(named: Map<string, JsonSchema>): string {
  const sections: string[] = [];
  // Rendering a type can meet further ones: the map grows while it is walked, and a Map walk sees the growth.
  for (const [title, schema] of named) {
    sections.push(`### ${title}\n\n${fieldTable(schema, 'response', named)}`);
  }
  return ['## Types', ...sections].join('\n\n');
}

function fieldTable(
  schema: JsonSchema,
  side: 'request' | 'response',
  named: Map<string, JsonSchema>,
): string {
  const rows: string[] = [];
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (name in ENVELOPE_PROPERTIES) continue;
    const required = side === 'request' && (schema.required ?? []).includes(name) ? ' Required.' : '';
    rows.push(`| ${name} | ${typeText(field, named)} | ${fieldDescription(field)}${required} |`);
  }
  if (rows.length === 0) return side === 'request' ? 'an empty object.' : 'the envelope.';
  return ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n');
}

function fieldDescription(field: JsonSchema): string {
  const own = field.description ?? field.anyOf?.[0]?.description ?? '';
  return own.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function typeText(field: JsonSchema, named: Map<string, JsonSchema>): string {
  if (field.anyOf !== undefined) {
    return field.anyOf
      .filter((option) => option.type !== 'null')
      .map((option) => typeText(option, named))
      .join(' or ');
  }
  if (field.title !== undefined) {
    named.set(field.title, field);
    return `[${field.title}](#${field.title.toLowerCase()})`;
  }
  if (field.items !== undefined) return `array of ${typeText(field.items, named)}`;
  if (field.enum !== undefined) return field.enum.filter((word) => word !== null).join(', ');
  if (typeof field.additionalProperties === 'object') {
    return `map of ${typeText(field.additionalProperties, named)}`;
  }
  if (field.pattern !== undefined) return field.pattern.endsWith('?$') ? 'DeviceFacetUuid' : 'RUUID';
  if (field.format !== undefined) return field.format;
  return (typeof field.type === 'string' ? [field.type] : (field.type ?? ['any']))
    .filter((word) => word !== 'null')
    .join(', ');
}
