/**
 * Several operations in one request (RFC 7644 §3.7). They run one after the other, so each sees what earlier ones changed. An operation can
 * name the resource of another by its `bulkId`; that one runs first, and those that name each other in a circle fail.
 */

import { type GatewayError, toGatewayError } from '../core/errors.ts';
import { SCIM_ERRORS } from './errors.ts';
import { scimError, scimErrorBody, scimFailureOf } from './scim-failure.ts';
import { isObject } from './scim-values.ts';

const REQUEST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const RESPONSE_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse';
export const MAX_BULK_OPERATIONS = 100;
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
const REFERENCE = 'bulkId:';
const MAX_BULK_ID_CHARS = 256;

export type BulkMethod = (typeof METHODS)[number];

/** A request as the routes handle it. */
export interface BulkCall {
  readonly method: BulkMethod;
  /** `/Users`, `/Groups/<id>`. */
  readonly path: string;
  readonly data: unknown;
  readonly ifMatch: string | null;
}

/** `resource`: null for a deletion. */
export type RunBulkCall = (call: BulkCall) => Promise<{
  readonly status: number;
  readonly id: string;
  readonly location: string;
  readonly version: string | null;
}>;

interface Operation {
  readonly method: BulkMethod;
  readonly path: string;
  readonly bulkId: string | null;
  readonly version: string | null;
  readonly data: unknown;
  /** The bulkIds that it names. */
  readonly references: ReadonlySet<string>;
}

interface Result {
  readonly method: string;
  readonly bulkId?: string;
  readonly location?: string;
  readonly version?: string;
  readonly status: string;
  readonly response?: object;
}

/** Fails SCIM_SYNTAX_INVALID, SCIM_TOO_LARGE; failures of operations are in the response. */
export async function runBulk(body: unknown, run: RunBulkCall): Promise<object> {
  const { operations, failOnErrors } = readBulk(body);
  const results = new Array<Result | undefined>(operations.length);
  const ids = new Map<string, string>();
  let failures = 0;
  for (const at of inOrder(operations)) {
    if (failOnErrors !== null && failures >= failOnErrors) break;
    const operation = operations[at]!;
    results[at] = await resultOf(operation, ids, run);
    if (Number(results[at].status) >= 400) failures += 1;
  }
  return { schemas: [RESPONSE_SCHEMA], Operations: results.filter((result) => result !== undefined) };
}

async function resultOf(operation: Operation, ids: Map<string, string>, run: RunBulkCall): Promise<Result> {
  const { method, path, bulkId, version } = operation;
  const named = { method, ...(bulkId === null ? {} : { bulkId }) };
  try {
    const unresolved = [...operation.references].find((reference) => !ids.has(reference));
    if (unresolved !== undefined) {
      throw scimError(
        SCIM_ERRORS.SCIM_VALUE_INVALID,
        'The operation refers to a bulkId that is unknown, failed, or refers to this operation.',
      );
    }
    const done = await run({
      method,
      path: String(resolved(path, ids)),
      data: resolved(operation.data, ids),
      ifMatch: version,
    });
    if (bulkId !== null && method === 'POST') ids.set(bulkId, done.id);
    return {
      ...named,
      location: done.location,
      ...(done.version === null ? {} : { version: done.version }),
      status: String(done.status),
    };
  } catch (thrown) {
    const failure = toGatewayError(thrown);
    // Our own failures end the whole request: what follows would fail, too.
    if (failure.kind === 'internal') throw failure;
    return { ...named, status: String(scimFailureOf(failure).status), response: scimErrorBody(failure) };
  }
}

function readBulk(body: unknown): { operations: readonly Operation[]; failOnErrors: number | null } {
  if (!isObject(body) || !Array.isArray(body.schemas) || !body.schemas.includes(REQUEST_SCHEMA)) {
    throw syntax(`schemas must contain ${REQUEST_SCHEMA}.`);
  }
  const { Operations: given, failOnErrors = null } = body;
  if (!Array.isArray(given) || given.length === 0) throw syntax('Operations must be a list.');
  if (given.length > MAX_BULK_OPERATIONS) {
    throw scimError(
      SCIM_ERRORS.SCIM_TOO_LARGE,
      `A bulk request must have at most ${MAX_BULK_OPERATIONS} operations.`,
    );
  }
  const isCount = Number.isSafeInteger(failOnErrors) && (failOnErrors as number) >= 1;
  if (failOnErrors !== null && !isCount) throw syntax('failOnErrors must be an integer of 1 or more.');
  const operations = given.map(readOperation);
  const bulkIds = operations.flatMap(({ bulkId }) => (bulkId === null ? [] : [bulkId]));
  if (new Set(bulkIds).size < bulkIds.length) throw syntax('Each bulkId must be used once.');
  return { operations, failOnErrors: failOnErrors as number | null };
}

function readOperation(given: unknown): Operation {
  if (!isObject(given)) throw syntax('Each operation must be a JSON object.');
  const { method, path, bulkId = null, version = null, data = null } = given;
  const word = typeof method === 'string' ? (method.toUpperCase() as BulkMethod) : null;
  if (word === null || !METHODS.includes(word)) throw syntax('method must be POST, PUT, PATCH, or DELETE.');
  if (typeof path !== 'string' || !path.startsWith('/')) throw syntax('path must begin with a slash.');
  const isId = typeof bulkId === 'string' && bulkId !== '' && bulkId.length <= MAX_BULK_ID_CHARS;
  if (bulkId === null ? word === 'POST' : !isId) throw syntax('A POST operation requires a bulkId.');
  if (version !== null && typeof version !== 'string') throw syntax('version must be a text.');
  if (word !== 'DELETE' && !isObject(data)) throw syntax('data must be a JSON object.');
  const references = new Set<string>();
  collectReferences(path.split('/'), references);
  collectReferences(data, references);
  return { method: word, path, bulkId: bulkId as string | null, version, data, references };
}

/** The body was parsed with a limit on its nesting (core/json-in-slices.ts). */
function collectReferences(value: unknown, references: Set<string>): void {
  if (typeof value === 'string') {
    if (value.startsWith(REFERENCE)) references.add(value.slice(REFERENCE.length));
  } else if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) collectReferences(each, references);
  }
}

/** Operations in their order, except that those run earlier which others name. A circle stays in order, and fails. */
function inOrder(operations: readonly Operation[]): readonly number[] {
  const byId = new Map<string, number>();
  operations.forEach(({ bulkId, method }, at) => {
    if (bulkId !== null && method === 'POST') byId.set(bulkId, at);
  });
  const order: number[] = [];
  const seen = new Set<number>();
  const visit = (at: number): void => {
    if (seen.has(at)) return;
    seen.add(at);
    for (const reference of operations[at]!.references) {
      const referred = byId.get(reference);
      if (referred !== undefined) visit(referred);
    }
    order.push(at);
  };
  operations.forEach((_, at) => {
    visit(at);
  });
  return order;
}

/** A copy in which IDs are in place of references. Keys stay, and only own ones are read. */
function resolved(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    if (value.startsWith(REFERENCE)) return ids.get(value.slice(REFERENCE.length)) ?? value;
    if (!value.includes(`/${REFERENCE}`)) return value;
    return value
      .split('/')
      .map((part) => resolved(part, ids))
      .join('/');
  }
  if (Array.isArray(value)) return value.map((each) => resolved(each, ids));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each, ids)]));
}

function syntax(sentence: string): GatewayError {
  return scimError(SCIM_ERRORS.SCIM_SYNTAX_INVALID, sentence);
}
