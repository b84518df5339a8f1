/** The OpenAPI 3.1 document, generated from the endpoint definitions. */

import { isDeepStrictEqual } from 'node:util';
import type { TObject, TSchema } from 'typebox';
import { ACCOUNT_ERRORS } from '../../accounts/errors.ts';
import {
  ACCESS_TOKEN_HEADER,
  API_KEY_HEADER,
  CLIENT_ORG_HEADER,
  CONSOLE_SCHEME,
  SCHEME_HEADER,
  SCHEME_NAMES,
  SESSION_HEADER,
  SESSION_SCHEME,
} from '../authentication.ts';
import { consoleCookieName } from '../console-cookie.ts';
import type { Endpoint } from '../endpoint.ts';
import {
  AUTHENTICATION_FAILURE_SCHEMA,
  ENVELOPE_PROPERTIES,
  ENVELOPE_SCHEMA,
  failureEnvelope,
} from '../envelope.ts';
import { API_ERRORS } from '../errors.ts';
import { asJsonSchema, type JsonSchema } from '../fields/json-schema.ts';
import { IDEMPOTENCY_KEY_HEADER } from '../idempotency-key.ts';
import { bodyNamesOf, operationIdOf, type Tag, tagOf, typeNameOf } from './operation-names.ts';
import type { PlainOperation } from './plain-operation.ts';

/** The version of the interface (docs/spec/conventions.md#versioning). */
export const API_VERSION = '1.0';

type Json = { readonly [key: string]: unknown };

const DESCRIPTION = `Cameras, shared live streams and schedules of the Sluice media gateway.

Every endpoint takes a POST with a JSON object. Refused calls return 200 with \`error: true\` and a sentence in
\`errorMsg\`; 401 is always about the key or the session, 403 about the role
(\`x-sluice-role\`), 429 about the rate. You can leave out fields marked nullable or set them to
null. Unknown fields change nothing, and \`warningMsg\` names them. Operations marked \`x-sluice-extension\` are
additions of Sluice.`;

/** The parameter that documents `x-auth-scheme` for endpoints of each scheme. */
const SCHEME_PARAMETERS = { api: 'scheme', 'partner-api': 'partnerScheme', device: 'deviceScheme' } as const;

const TOKEN_SECURITY = [{ accessToken: [] }, { bearerToken: [] }];
/** The credentials for the endpoints of each scheme. */
const ENDPOINT_SECURITY = {
  api: [{ apiKey: [] }, { partnerKey: [] }, ...TOKEN_SECURITY],
  'partner-api': [{ partnerKey: [] }, ...TOKEN_SECURITY],
  device: [{ deviceKey: [] }, { apiKey: [] }, ...TOKEN_SECURITY],
};

/** A key or an access token; an application sends its own secret, with Basic or in the form. */
const CALLER_SECURITY = { key: ENDPOINT_SECURITY.api, client: [{ client: [] }, {}] };

const BODY_TYPES = { form: 'application/x-www-form-urlencoded', json: 'application/json' } as const;

/** Failures of every operation. */
const COMMON_FAILURES = {
  '429': { $ref: '#/components/responses/RateLimited' },
  '503': { $ref: '#/components/responses/Unavailable' },
  default: { $ref: '#/components/responses/Failure' },
};

const KEY_PARAMETERS = [
  { $ref: '#/components/parameters/scheme' },
  { $ref: '#/components/parameters/clientOrg' },
];

const QUOTA_HEADER_REFERENCES = {
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
};

const REPLAYED_HEADER_REFERENCE = {
  'Idempotency-Replayed': { $ref: '#/components/headers/IdempotencyReplayed' },
};

/** Failures of operations that take an `Idempotency-Key`. */
const IDEMPOTENCY_FAILURES = {
  '409': { $ref: '#/components/responses/IdempotentRequestRunning' },
  '422': { $ref: '#/components/responses/IdempotencyKeyReused' },
};

/** `publicApiUrl`: the base address that callers use. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  operations: readonly PlainOperation[],
  publicApiUrl: string,
): Json {
  const components = new ComponentSchemas();
  // Answers first: a type that only requests have is named without `Input`.
  for (const endpoint of endpoints) {
    components.named(bodyNamesOf(endpoint.path).response, jsonResponseOf(endpoint), 'response');
  }
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) paths[endpoint.path] = { post: operation(endpoint, components) };
  for (const plain of operations) paths[plain.path] = { [plain.method]: plainOperation(plain, components) };
  return {
    openapi: '3.1.0',
    info: { title: 'Sluice management API', version: API_VERSION, description: DESCRIPTION },
    servers: [{ url: publicApiUrl }],
    tags: tagsOf(Object.keys(paths)),
    security: ENDPOINT_SECURITY.api,
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: API_KEY_HEADER,
          description: `An API key of the organization, with \`${SCHEME_HEADER}: api-token\` or \`api\`.`,
        },
        partnerKey: {
          type: 'apiKey',
          in: 'header',
          name: API_KEY_HEADER,
          description: `A partner's key, with \`${SCHEME_HEADER}: partner-api-token\` or \`partner-api\`.`,
        },
        deviceKey: {
          type: 'apiKey',
          in: 'header',
          name: API_KEY_HEADER,
          description: `A key that can only report and hand over clips, with \`${SCHEME_HEADER}: device\`.`,
        },
        accessToken: {
          type: 'apiKey',
          in: 'header',
          name: ACCESS_TOKEN_HEADER,
          description: `An OAuth access token, with \`${SCHEME_HEADER}: api-oauth-token\` or \`partner-api-oauth-token\`.`,
        },
        federatedToken: {
          type: 'apiKey',
          in: 'header',
          name: SESSION_HEADER,
          description: `A federated session, with \`${SCHEME_HEADER}: ${SESSION_SCHEME}\`.`,
        },
        consoleSession: {
          type: 'apiKey',
          in: 'cookie',
          name: consoleCookieName(publicApiUrl),
          description: `The session of a person, with \`${SCHEME_HEADER}: ${CONSOLE_SCHEME}\`. Only for pages of the API itself.`,
        },
        bearerToken: { type: 'http', scheme: 'bearer', description: 'The same token, sent as in RFC 6750.' },
        client: { type: 'http', scheme: 'basic', description: 'An OAuth application: clientId and secret.' },
      },
      parameters: headerParameters(),
      headers: { ...quotaHeaders(), ...replayedHeader() },
      responses: failureResponses(components),
      schemas: components.all(),
    },
  };
}

function tagsOf(paths: readonly string[]): Tag[] {
  const byName = new Map(paths.map(tagOf).map((tag) => [tag.name, tag]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function operation(endpoint: Endpoint, components: ComponentSchemas): Json {
  const isRepeatable = endpoint.repetition === 'once';
  const names = bodyNamesOf(endpoint.path);
  return {
    operationId: operationIdOf(endpoint.path),
    tags: [tagOf(endpoint.path).name],
    summary: endpoint.summary,
    description: endpoint.description,
    ...(endpoint.isDeprecated ? { deprecated: true } : {}),
    ...(endpoint.isExtension ? { 'x-sluice-extension': true } : {}),
    ...(endpoint.isOpen ? {} : { 'x-sluice-role': endpoint.role }),
    security: [
      ...ENDPOINT_SECURITY[endpoint.scheme],
      ...(endpoint.scheme === 'api' ? [{ consoleSession: [] }] : []),
      ...(endpoint.isOpen ? [{}] : []),
      ...(endpoint.sessions !== 'none' ? [{ federatedToken: [] }] : []),
    ],
    parameters: [
      { $ref: `#/components/parameters/${SCHEME_PARAMETERS[endpoint.scheme]}` },
      { $ref: '#/components/parameters/clientOrg' },
      ...(isRepeatable ? [{ $ref: '#/components/parameters/idempotencyKey' }] : []),
    ],
    requestBody: {
      required: hasRequiredField(endpoint.requestSchema),
      content: {
        'application/json': {
          schema: components.named(names.request, asJsonSchema(endpoint.requestSchema), 'request'),
          example: endpoint.example.request,
        },
      },
    },
    responses: {
      '200': {
        ...successOf(endpoint, components.named(names.response, jsonResponseOf(endpoint), 'response')),
        headers: isRepeatable
          ? { ...QUOTA_HEADER_REFERENCES, ...REPLAYED_HEADER_REFERENCE }
          : QUOTA_HEADER_REFERENCES,
      },
      '400': { $ref: '#/components/responses/BadRequest' },
      '401': { $ref: '#/components/responses/AuthenticationFailed' },
      ...(isRepeatable ? IDEMPOTENCY_FAILURES : {}),
      ...COMMON_FAILURES,
    },
  };
}

/** A file has fields only in refusals, which are the envelope. */
function jsonResponseOf({ file, responseSchema }: Endpoint): JsonSchema {
  return asJsonSchema(file === null ? responseSchema : ENVELOPE_SCHEMA);
}

function successOf({ file, example }: Endpoint, schema: Json): Json {
  if (file === null) return responseOrRefusal(schema, example.response);
  const { text } = example.response as { readonly text?: unknown };
  return {
    description: 'The file, or in JSON the reason for a refusal.',
    content: {
      'application/json': { schema, example: failureEnvelope(API_ERRORS.INVALID_FIELD.message) },
      [file.mediaType]: { schema: { type: 'string' }, example: text },
    },
  };
}

/** A success, or a refusal, which has nothing but the envelope. */
function responseOrRefusal(schema: Json, example: object): Json {
  return {
    description: 'The response, or with `error: true` the reason for a refusal.',
    content: {
      'application/json': {
        schema,
        examples: {
          success: { value: example },
          refusal: { value: failureEnvelope(API_ERRORS.INVALID_FIELD.message) },
        },
      },
    },
  };
}

/** The schema of a plain response requires what every success has; documents must leave room for refusals. */
function withEnvelopeAloneRequired(schema: JsonSchema): JsonSchema {
  const required = (schema.required ?? []).filter((name) => name in ENVELOPE_PROPERTIES);
  return { ...schema, required };
}

/** If every field of a body can be left out, so can the body: an empty one means `{}`. */
function hasRequiredField(schema: TObject): boolean {
  return (asJsonSchema(schema).required ?? []).length > 0;
}

function plainOperation(plain: PlainOperation, components: ComponentSchemas): Json {
  const json = (schema: TObject, example: object) => ({
    'application/json': { schema: components.reference(asJsonSchema(schema), 'response'), example },
  });
  const { failure } = plain;
  const success =
    failure === undefined
      ? responseOrRefusal(
          components.reference(withEnvelopeAloneRequired(asJsonSchema(plain.response)), 'response'),
          plain.example.response,
        )
      : { description: 'The response.', content: json(plain.response, plain.example.response) };
  const refusals = Object.entries(failure?.statuses ?? {}).map(([status, description]) => [
    status,
    { description, content: json(failure!.schema, failure!.example) },
  ]);
  return {
    operationId: operationIdOf(plain.path),
    tags: [tagOf(plain.path).name],
    summary: plain.summary,
    description: plain.description,
    ...(plain.isExtension ? { 'x-sluice-extension': true } : {}),
    security: CALLER_SECURITY[plain.caller],
    ...plainRequest(plain, components),
    responses: {
      [plain.status ?? 200]: { ...success, headers: QUOTA_HEADER_REFERENCES },
      '400': { $ref: '#/components/responses/BadRequest' },
      '401': { $ref: '#/components/responses/AuthenticationFailed' },
      ...Object.fromEntries(refusals),
      ...COMMON_FAILURES,
    },
  };
}

function plainRequest({ request, example, caller }: PlainOperation, components: ComponentSchemas): Json {
  const schema = asJsonSchema(request.schema);
  if (request.kind !== 'query') {
    const isJson = request.kind === 'json';
    const body = {
      // Forms have no null.
      schema: components.reference(schema, isJson ? 'request' : 'response'),
      example: example.request,
    };
    return {
      ...(isJson ? { parameters: KEY_PARAMETERS } : {}),
      requestBody: {
        required: hasRequiredField(request.schema),
        content: { [BODY_TYPES[request.kind]]: body },
      },
    };
  }
  const parameters = Object.entries(schema.properties ?? {}).map(([name, { description, ...field }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: field,
    ...parameterExample(field, example.request[name]),
  }));
  return { parameters: [...(caller === 'key' ? KEY_PARAMETERS : []), ...parameters] };
}

/** The example has the text of the query, the document the value that it means. */
function parameterExample({ type }: JsonSchema, text: unknown): Json {
  if (text === undefined) return {};
  return { example: type === 'boolean' ? text === 'true' : text };
}

/** draft-ietf-httpapi-ratelimit-headers. */
function quotaHeaders(): Json {
  return {
    RateLimitPolicy: {
      description: 'The limit that counted the request: `q` requests in `w` seconds.',
      schema: { type: 'string', examples: ['"organization";q=200;w=4'] },
    },
    RateLimit: {
      description: 'What is left of it: `r` requests now, and `t` seconds until it is full again.',
      schema: { type: 'string', examples: ['"organization";r=199;t=1'] },
    },
  };
}

function replayedHeader(): Json {
  return {
    IdempotencyReplayed: {
      description: 'Present if an earlier request with this key had this response.',
      schema: { type: 'string', const: 'true' },
    },
  };
}

function headerParameters(): Json {
  const schemeParameter = (defaultName: string) => ({
    name: SCHEME_HEADER,
    in: 'header',
    required: false,
    description: 'The kind of the API key. Empty means absent.',
    schema: { type: 'string', enum: [...SCHEME_NAMES], default: defaultName },
  });
  return {
    scheme: schemeParameter('api-token'),
    partnerScheme: schemeParameter('partner-api-token'),
    deviceScheme: schemeParameter('device'),
    clientOrg: {
      name: CLIENT_ORG_HEADER,
      in: 'header',
      required: false,
      description: 'Partner keys only: the client organization to act for.',
      schema: { type: 'string' },
    },
    idempotencyKey: {
      name: IDEMPOTENCY_KEY_HEADER,
      in: 'header',
      required: false,
      description:
        'A text of your choice that names this request, such as a UUID. For 24 hours, the same request with the same ' +
        'key returns the first response and creates nothing again.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9._~:+/=-]+$' },
      example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
    },
  };
}

function failureResponses(components: ComponentSchemas): Json {
  const retryAfter = {
    'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
  };
  const json = (schema: TSchema, example: object) => ({
    'application/json': { schema: components.reference(asJsonSchema(schema), 'response'), example },
  });
  const envelope = (message: string) => json(ENVELOPE_SCHEMA, failureEnvelope(message));
  return {
    BadRequest: {
      description: API_ERRORS.MALFORMED_JSON.message,
      content: envelope(API_ERRORS.MALFORMED_JSON.message),
    },
    AuthenticationFailed: {
      description: API_ERRORS.AUTHENTICATION_FAILED.message,
      content: json(AUTHENTICATION_FAILURE_SCHEMA, {
        authenticationFailed: true,
        ...failureEnvelope(API_ERRORS.AUTHENTICATION_FAILED.message),
      }),
    },
    RateLimited: {
      description: API_ERRORS.API_RATE_LIMITED.message,
      headers: { ...retryAfter, ...QUOTA_HEADER_REFERENCES },
      content: envelope(API_ERRORS.API_RATE_LIMITED.message),
    },
    IdempotentRequestRunning: {
      description: ACCOUNT_ERRORS.IDEMPOTENT_REQUEST_RUNNING.message,
      headers: retryAfter,
      content: envelope(ACCOUNT_ERRORS.IDEMPOTENT_REQUEST_RUNNING.message),
    },
    IdempotencyKeyReused: {
      description: ACCOUNT_ERRORS.IDEMPOTENCY_KEY_REUSED.message,
      content: envelope(ACCOUNT_ERRORS.IDEMPOTENCY_KEY_REUSED.message),
    },
    Unavailable: {
      description: API_ERRORS.OVERLOADED.message,
      headers: retryAfter,
      content: envelope(API_ERRORS.OVERLOADED.message),
    },
    Failure: {
      description: 'Any other failure: a body that is too large or compressed, or a bug in the gateway.',
      content: envelope(API_ERRORS.BODY_TOO_LARGE.message),
    },
  };
}

type Side = 'request' | 'response';

/**
 * Bodies become components, and so do schemas with a title. Requests and responses treat null differently (in requests it means absent), so
 * a type used in both becomes two components, the request's named `…Input`.
 */
class ComponentSchemas {
  readonly #schemas = new Map<string, { readonly source: JsonSchema; readonly side: Side; rendered: Json }>();

  all(): Json {
    return Object.fromEntries([...this.#schemas].sort().map(([name, entry]) => [name, entry.rendered]));
  }

  /** The schema itself, or a reference to the component it has become. */
  reference(schema: JsonSchema, side: Side): Json {
    if (schema.title === undefined) return this.#render(schema, side);
    const name = typeNameOf(schema.title);
    const hasResponse = this.#schemas.get(name)?.side === 'response';
    return this.named(side === 'request' && hasResponse ? `${name}Input` : name, schema, side);
  }

  /** A reference to the component of this name, which the schema becomes. */
  named(name: string, schema: JsonSchema, side: Side): Json {
    const known = this.#schemas.get(name);
    if (known === undefined) {
      const entry = { source: schema, side, rendered: {} as Json };
      this.#schemas.set(name, entry);
      entry.rendered = this.#render(schema, side);
    } else if (!isDeepStrictEqual(known.source, schema)) {
      throw new TypeError(`two different schemas are named ${name}`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #render(schema: JsonSchema, side: Side): Json {
    const { properties, items, anyOf, additionalProperties, ...rest } = schema;
    const rendered: Record<string, unknown> = { ...rest };
    if (items !== undefined) rendered.items = this.reference(items, side);
    if (anyOf !== undefined) rendered.anyOf = anyOf.map((option) => this.reference(option, side));
    if (additionalProperties !== undefined) {
      rendered.additionalProperties =
        typeof additionalProperties === 'object'
          ? this.#mapEntry(additionalProperties, side)
          : additionalProperties;
    }
    if (properties !== undefined) rendered.properties = this.#renderProperties(schema, properties, side);
    return rendered;
  }

  #mapEntry(schema: JsonSchema, side: Side): Json {
    const entry = this.reference(schema, side);
    return side === 'request' ? orNull(entry) : entry;
  }

  #renderProperties(schema: JsonSchema, properties: Readonly<Record<string, JsonSchema>>, side: Side): Json {
    const rendered: Record<string, Json> = {};
    for (const [name, property] of Object.entries(properties)) {
      const isAbsentable = side === 'request' && !(schema.required ?? []).includes(name);
      const reference = this.reference(property, side);
      rendered[name] = isAbsentable ? orNull(reference) : reference;
    }
    return rendered;
  }
}

function orNull(schema: Json): Json {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const values = schema.enum;
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}
