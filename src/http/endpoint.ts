/**
 * How an endpoint is declared. One definition gives the handler its types, the request its validation, the response its
 * serializer, and the OpenAPI document and the reference page their text.
 */

import { type Static, type TObject, type TProperties, Type } from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import type { ConsoleClient } from '../accounts/console-sessions.ts';
import { GatewayError } from '../core/errors.ts';
import { IneffectiveValues } from '../core/ineffective-values.ts';
import type { LongList } from '../core/long-list.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Secret } from '../core/secret.ts';
import { UnknownFields } from '../core/unknown-fields.ts';
import type { ApiServices } from '../services/api-services.ts';
import type { ApiKeyScheme } from '../store/entities.ts';
import type { Role } from '../store/person.ts';
import { withStoringNotes } from '../store/storing-notes.ts';
import { nullDropper, withoutNullableFields } from './absent-values.ts';
import { roleNeeded } from './endpoint-roles.ts';
import { type ScopeTreatment, scopeTreatmentOf } from './endpoint-scopes.ts';
import { ENVELOPE_PROPERTIES, type Envelope, successEnvelope } from './envelope.ts';
import { API_ERRORS } from './errors.ts';
import { asJsonSchema, type JsonSchema } from './fields/json-schema.ts';
import type { Repetition } from './repetition.ts';
import { bodyReader } from './request-body.ts';
import { type AdmittedSessions, admittedSessions, isAboutDevice } from './session-endpoints.ts';

/** A handler's inputs in addition to the body: the caller, and the services that it can use. One object per request. */
export class CallContext {
  /** null: only at an endpoint that is open to anyone. */
  readonly callerIfAny: Caller | null;
  readonly services: ApiServices;
  /** Where the request comes from. */
  readonly client: ConsoleClient;
  readonly #departure: () => AbortSignal;
  #warning: string | null = null;
  #changedSession: Secret | null | undefined;
  #browserToken: Secret | null = null;
  #browserProof: Secret | null = null;

  /** `departure`: a signal that is aborted when the client leaves; called if someone wants to know. */
  constructor(
    caller: Caller | null,
    services: ApiServices,
    client: ConsoleClient,
    departure: () => AbortSignal,
  ) {
    this.callerIfAny = caller;
    this.services = services;
    this.client = client;
    this.#departure = departure;
  }

  /** The organization whose data the call reads and changes. Nothing else can be touched. Fails like `caller`. */
  get orgUuid(): Ruuid {
    return this.caller.orgUuid;
  }

  /** The key, the application, the page or the person that calls. Fails AUTHENTICATION_FAILED if there is none. */
  get caller(): Caller {
    if (this.callerIfAny === null) throw new GatewayError(API_ERRORS.AUTHENTICATION_FAILED);
    return this.callerIfAny;
  }

  /** Puts the token into the browser's cookie; null removes the cookie. */
  changeSession(token: Secret | null): void {
    this.#changedSession = token;
  }

  /** undefined: the cookie stays as it is. */
  get changedSession(): Secret | null | undefined {
    return this.#changedSession;
  }

  /** Ties the browser to the challenge that it gets. */
  tieBrowser(token: Secret): void {
    this.#browserToken = token;
  }

  /** null: the cookie stays as it is. */
  get browserToken(): Secret | null {
    return this.#browserToken;
  }

  /** Someone has signed in there: the browser is known from now on. null: it stays as it is. */
  knowBrowser(proof: Secret | null): void {
    this.#browserProof = proof;
  }

  /** null: the cookie stays as it is. */
  get browserProof(): Secret | null {
    return this.#browserProof;
  }

  /** Aborted when the client leaves: long work for it ends. */
  get signal(): AbortSignal {
    return this.#departure();
  }

  /** Adds a sentence to the response's `warningMsg`. */
  warn(sentence: string): void {
    this.#warning = this.#warning === null ? sentence : `${this.#warning} ${sentence}`;
  }

  get warning(): string | null {
    return this.#warning;
  }
}

/** The result of a handler: a list of objects in the schema can be a long list. */
export type HandlerResponse<Response extends TProperties> = {
  [Field in keyof Static<TObject<Response>>]: OrLongList<Static<TObject<Response>>[Field]>;
};

type OrLongList<Value> = Value extends (infer Item extends object)[] ? Value | LongList<Item> : Value;

/** A success that is a file: its text is the response's field `text`. Refusals are JSON as everywhere. */
export interface ResponseFile {
  readonly mediaType: 'text/csv';
  /** Under which browsers store it. */
  readonly name: string;
}

export interface EndpointDefinition<Request extends TObject, Response extends TProperties> {
  /** `/api/<category>/<operation>`. */
  readonly path: `/api/${string}/${string}`;
  readonly summary: string;
  /** Markdown: what the caller must know in addition to the fields. */
  readonly description: string;
  readonly request: Request;
  /** The schema for documents instead of `request`, if the handler checks a part on its own. */
  readonly documentedRequest?: TObject;
  /** The fields next to the envelope. */
  readonly response: Response;
  /** Then `response` has one field, `text`, and warnings cannot be returned. Default: JSON. */
  readonly file?: ResponseFile;
  /**
   * Which keys can call it; `api` endpoints also accept partner keys, `device` endpoints also the organization's. Default
   * `api`.
   */
  readonly scheme?: ApiKeyScheme;
  /** Needs no credentials: the handler can have no caller. */
  readonly isOpen?: true;
  /** Not part of the specification. */
  readonly isExtension?: boolean;
  readonly isDeprecated?: boolean;
  /** The effect of sending the call twice. Required unless it only reads; default `reads`. */
  readonly repetition?: Repetition;
  readonly example: { readonly request: Static<Request>; readonly response: Static<TObject<Response>> };
  /**
   * Everything that can fail happens here. The items of a long list are created while the response is sent, when it can
   * no longer turn into a failure.
   */
  handler(context: CallContext, body: Static<Request>): Promise<HandlerResponse<Response>>;
}

/** An endpoint with its types erased, for the server, the OpenAPI document, and the reference page. */
export interface Endpoint {
  readonly path: string;
  /** The service category: the second part of the path. */
  readonly category: string;
  readonly summary: string;
  readonly description: string;
  readonly requestSchema: TObject;
  /** With the envelope, in which only `error` is always present: a failure has none of the other fields. */
  readonly responseSchema: TObject;
  /** The fields of a success next to the envelope. */
  readonly successSchema: TObject;
  /** null: a success is JSON. */
  readonly file: ResponseFile | null;
  readonly scheme: ApiKeyScheme;
  /** Needs no credentials. */
  readonly isOpen: boolean;
  /** The least role that can call it. */
  readonly role: Role;
  /** What it is to callers whose rights are limited to sites and cameras. */
  readonly limited: ScopeTreatment;
  /** The federated sessions with which pages can call it. */
  readonly sessions: AdmittedSessions;
  readonly isExtension: boolean;
  readonly isDeprecated: boolean;
  readonly repetition: Repetition;
  readonly example: { readonly request: object; readonly response: object };
  /**
   * Validates the parsed body, runs the handler, and wraps its result, whose lists can be LongLists. Fails INVALID_FIELD,
   * SESSION_OF_ANOTHER_DEVICE and as the handler does. Warnings of the context are part of a refusal too.
   */
  respond(context: CallContext, body: unknown): Promise<Envelope>;
}

/** Declares an endpoint. Its request validator is compiled here, once. */
export function defineEndpoint<Request extends TObject, Response extends TProperties>(
  definition: EndpointDefinition<Request, Response>,
): Endpoint {
  const [, , category = ''] = definition.path.split('/');
  const readBody = bodyReader(definition.request);
  const handlerSchema = withEnvelope(definition.response);
  const withoutNulls = nullDropper(handlerSchema);
  const requestSchema = asJsonSchema(definition.request);
  return {
    path: definition.path,
    category,
    summary: definition.summary,
    description: definition.description,
    requestSchema: definition.documentedRequest ?? definition.request,
    responseSchema: withoutNullableFields(handlerSchema),
    successSchema: withoutNullableFields(Type.Object(definition.response)),
    file: definition.file ?? null,
    scheme: definition.scheme ?? 'api',
    isOpen: definition.isOpen ?? false,
    role: roleNeeded(definition.path),
    limited: scopeTreatmentOf(definition.path),
    sessions: definition.scheme === undefined ? admittedSessions(definition.path) : 'none',
    isExtension: definition.isExtension ?? false,
    isDeprecated: definition.isDeprecated ?? false,
    repetition: definition.repetition ?? 'reads',
    example: {
      request: definition.example.request as object,
      response: withoutNulls({ ...successEnvelope(null), ...(definition.example.response as object) }),
    },
    async respond(context, body) {
      const unknown = new UnknownFields();
      unknown.look(requestSchema, body);
      if (unknown.sentence !== null) context.warn(unknown.sentence);
      for (const field of unappliedFields(requestSchema, body)) {
        context.warn(`${field} was not changed, because ${field}Updated is not true.`);
      }
      const request = readBody(body);
      const ineffective = new IneffectiveValues();
      ineffective.look(requestSchema, request);
      const onlyDevice = context.callerIfAny?.onlyDevice ?? null;
      if (onlyDevice !== null && !isAboutDevice(definition.path, request, onlyDevice)) {
        throw new GatewayError(API_ERRORS.SESSION_OF_ANOTHER_DEVICE);
      }
      const fields = (await withStoringNotes(
        () => definition.handler(context, request),
        (sentence) => context.warn(sentence),
      )) as object;
      for (const sentence of ineffective.sentences) context.warn(sentence);
      return withoutNulls({ ...successEnvelope(context.warning), ...fields });
    },
  };
}

/** Values that count only with a flag and were sent without it (docs/spec/conventions.md#changes-by-flags). */
function unappliedFields({ properties = {} }: JsonSchema, body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  const given = body as Readonly<Record<string, unknown>>;
  return Object.keys(properties).filter(
    (name) =>
      Object.hasOwn(properties, `${name}Updated`) &&
      (given[name] ?? null) !== null &&
      given[`${name}Updated`] !== true,
  );
}

function withEnvelope(response: TProperties): TObject {
  const optional: TProperties = {};
  for (const [name, schema] of Object.entries(response)) optional[name] = Type.Optional(schema);
  return Type.Object({ ...ENVELOPE_PROPERTIES, ...optional });
}
