/**
 * Changes by PATCH (RFC 7644 §3.5.2), and what Entra ID and Okta send beyond it: operations in capitals, names with dots in place of paths,
 * texts in place of flags, a filter without a match that describes the value to add, and `remove` with the values to remove.
 */

import { SCIM_ERRORS } from './errors.ts';
import { scimError } from './scim-failure.ts';
import { matchesFilter, parseFilter, type ScimFilter, scopeOfAttribute } from './scim-filter.ts';
import {
  type AttributePath,
  findAttribute,
  type ScimAttribute,
  type ScimResourceType,
  type ScimValues,
} from './scim-schema.ts';
import { isObject, readOne, readResource, readValue } from './scim-values.ts';

const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const MAX_PATCH_OPERATIONS = 500;
const MAX_PATH_CHARS = 1_024;

/** Read-only attributes of what is patched. */
const COMPUTED = ['schemas', 'id', 'meta', 'groups'] as const;

type Operation = 'add' | 'replace' | 'remove';
type Fields = Record<string, unknown>;

export interface PatchOperation {
  readonly op: Operation;
  readonly path: string | null;
  readonly value: unknown;
}

/** The operations of a request. Fails SCIM_SYNTAX_INVALID, SCIM_TOO_LARGE, SCIM_NO_TARGET. */
export function readPatch(body: unknown): readonly PatchOperation[] {
  if (!isObject(body)) throw syntax('The request must be a JSON object.');
  const schemas = fieldOf(body, 'schemas');
  // Some of Okta's requests have none.
  if (schemas !== undefined && (!Array.isArray(schemas) || !schemas.includes(PATCH_SCHEMA))) {
    throw syntax(`schemas must contain ${PATCH_SCHEMA}.`);
  }
  const operations = fieldOf(body, 'operations');
  if (!Array.isArray(operations) || operations.length === 0) throw syntax('Operations must be a list.');
  if (operations.length > MAX_PATCH_OPERATIONS) {
    throw scimError(
      SCIM_ERRORS.SCIM_TOO_LARGE,
      `A PATCH must have at most ${MAX_PATCH_OPERATIONS} operations.`,
    );
  }
  return operations.map(readOperation);
}

function readOperation(given: unknown): PatchOperation {
  if (!isObject(given)) throw syntax('Each operation must be a JSON object.');
  const [op, path, value] = ['op', 'path', 'value'].map((name) => fieldOf(given, name));
  const word = typeof op === 'string' ? op.toLowerCase() : '';
  if (word !== 'add' && word !== 'replace' && word !== 'remove') {
    throw syntax('op must be add, replace, or remove.');
  }
  if (path !== undefined && path !== null && typeof path !== 'string') {
    throw scimError(SCIM_ERRORS.SCIM_PATH_INVALID, 'path must be a text.');
  }
  const isWhole = typeof path !== 'string' || path.trim() === '';
  if (isWhole && word === 'remove') {
    throw scimError(SCIM_ERRORS.SCIM_NO_TARGET, 'remove requires a path.');
  }
  if (isWhole && !isObject(value)) {
    throw scimError(SCIM_ERRORS.SCIM_VALUE_INVALID, 'Without a path, value must be a JSON object.');
  }
  return { op: word, path: isWhole ? null : path.trim(), value };
}

/** A field by its name in any case; only the object's own. `name`: in lower case. */
function fieldOf(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  const key = Object.keys(fields).find((each) => each.toLowerCase() === name);
  return key === undefined ? undefined : fields[key];
}

/**
 * The values after the operations; `values` stays as it is. Fails SCIM_PATH_INVALID, SCIM_NO_TARGET, SCIM_READ_ONLY, SCIM_VALUE_INVALID,
 * SCIM_FILTER_INVALID.
 */
export function patched(
  type: ScimResourceType,
  values: ScimValues,
  operations: readonly PatchOperation[],
): ScimValues {
  const next = structuredClone(values) as Fields;
  for (const operation of operations) applyOperation(type, next, operation);
  // Reads the whole once more: many small additions must not exceed the limits of one.
  const { schemas: _, ...given } = next;
  const read = readResource(type, given);
  const computed = COMPUTED.filter((name) => Object.hasOwn(next, name)).map((name) => [name, next[name]]);
  return { ...Object.fromEntries(computed), ...read };
}

function applyOperation(type: ScimResourceType, next: Fields, { op, path, value }: PatchOperation): void {
  if (path !== null) {
    const target = targetOf(type, path);
    if (target !== 'not stored') applyTo(next, op, target, value);
    return;
  }
  // Each name is a path; unknown and read-only ones are ignored, as in a new resource.
  for (const [name, each] of Object.entries(value as Fields)) {
    const target = optionalTarget(type, name);
    if (target !== null && target.path.attribute?.mutability !== 'readOnly') {
      applyTo(next, op, target, each);
    }
  }
}

interface Target {
  readonly path: AttributePath;
  /** Null: all values of the attribute. */
  readonly filter: ScimFilter | null;
  /** What the filter says of a value, if it says nothing but that: what a value is added with. */
  readonly described: Fields | null;
}

function optionalTarget(type: ScimResourceType, name: string): Target | null {
  try {
    const target = targetOf(type, name);
    return target === 'not stored' ? null : target;
  } catch {
    // An unknown name: ignored, as in a new resource.
    return null;
  }
}

/** Fails SCIM_PATH_INVALID, SCIM_FILTER_INVALID. */
function targetOf(type: ScimResourceType, text: string): Target | 'not stored' {
  const open = text.indexOf('[');
  const close = text.lastIndexOf(']');
  const name = open < 0 ? text : text.slice(0, open);
  if (text.length > MAX_PATH_CHARS || open < 0 !== close < 0 || close < open) throw noPath(text);
  const rest = open < 0 ? '' : text.slice(close + 1);
  const found = findAttribute(type, open < 0 ? name : `${name}${rest}`);
  if (found === null || (rest !== '' && !rest.startsWith('.'))) {
    if (type.notStored.has(plainName(type, name))) return 'not stored';
    throw noPath(text);
  }
  if (open < 0) return { path: found, filter: null, described: null };
  if (found.attribute === null || !found.attribute.multiValued) throw noPath(text);
  const filterText = text.slice(open + 1, close);
  const filter = parseFilter(filterText, scopeOfAttribute(found.attribute));
  return { path: found, filter, described: describedBy(filter) };
}

/** The attribute in lower case, without its schema and sub-attributes. */
function plainName(type: ScimResourceType, name: string): string {
  const key = name.toLowerCase();
  const prefix = `${type.schema.id.toLowerCase()}:`;
  return (key.startsWith(prefix) ? key.slice(prefix.length) : key).split('.', 1)[0]!;
}

/** `type eq "work"` describes a value of that type; anything else than equality describes none. */
function describedBy(filter: ScimFilter): Fields | null {
  const parts = filter.kind === 'and' ? filter.parts : [filter];
  const fields: Fields = {};
  for (const part of parts) {
    if (part.kind !== 'term' || part.operator !== 'eq' || part.attribute === null) return null;
    fields[part.attribute.name] = part.value;
  }
  return fields;
}

function applyTo(next: Fields, op: Operation, target: Target, value: unknown): void {
  const { extension, attribute, sub } = target.path;
  if (attribute === null) {
    applyToExtension(next, op, extension!, value);
    return;
  }
  if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly') {
    throw scimError(SCIM_ERRORS.SCIM_READ_ONLY, `${attribute.name} is read-only.`);
  }
  const holder = holderOf(next, extension);
  if (attribute.multiValued) {
    applyToValues(holder, op, { ...target, attribute }, value);
  } else if (sub !== null) {
    const fields = isObject(holder[attribute.name]) ? { ...(holder[attribute.name] as Fields) } : {};
    setField(fields, sub, op === 'remove' ? undefined : value);
    setOrRemove(holder, attribute, fields);
  } else if (op === 'remove') {
    if (attribute.required) {
      throw scimError(SCIM_ERRORS.SCIM_READ_ONLY, `${attribute.name} is required.`);
    }
    delete holder[attribute.name];
  } else {
    const read = readValue(attribute, value);
    const isMerged = attribute.type === 'complex' && isObject(holder[attribute.name]) && isObject(read);
    setOrRemove(holder, attribute, isMerged ? { ...(holder[attribute.name] as Fields), ...read } : read);
  }
  if (extension !== null && Object.keys(holder).length === 0) delete next[extension];
}

function holderOf(next: Fields, extension: string | null): Fields {
  if (extension === null) return next;
  next[extension] ??= {};
  return next[extension] as Fields;
}

function applyToExtension(next: Fields, op: Operation, extension: string, value: unknown): void {
  if (op === 'remove') {
    delete next[extension];
    return;
  }
  if (!isObject(value)) throw scimError(SCIM_ERRORS.SCIM_VALUE_INVALID, 'value must be a JSON object.');
  next[extension] = { ...(next[extension] as Fields | undefined), ...value };
}

function setField(fields: Fields, attribute: ScimAttribute, value: unknown): void {
  const read = readOneOrNone(attribute, value);
  if (read === undefined) delete fields[attribute.name];
  else fields[attribute.name] = read;
}

function readOneOrNone(attribute: ScimAttribute, value: unknown): unknown {
  return value === undefined || value === '' ? undefined : readOne(attribute, value);
}

function setOrRemove(holder: Fields, attribute: ScimAttribute, value: unknown): void {
  const isEmpty = value === undefined || (isObject(value) && Object.keys(value).length === 0);
  if (isEmpty && attribute.required) {
    throw scimError(SCIM_ERRORS.SCIM_VALUE_INVALID, `${attribute.name} is required.`);
  }
  if (isEmpty) delete holder[attribute.name];
  else holder[attribute.name] = value;
}

type ValuesTarget = Target & { readonly attribute: ScimAttribute };

function applyToValues(holder: Fields, op: Operation, target: ValuesTarget, value: unknown): void {
  const { attribute, filter } = target;
  const { sub } = target.path;
  const known = (holder[attribute.name] as readonly unknown[] | undefined) ?? [];
  let values: readonly unknown[];
  if (op === 'remove') values = withoutValues(known, target, value);
  else if (filter !== null || sub !== null) values = withChanged(known, op, target, value);
  else {
    const read = (readValue(attribute, value) as readonly unknown[] | undefined) ?? [];
    values = op === 'replace' ? distinct(read) : added(known, read);
  }
  if (values.length === 0) delete holder[attribute.name];
  else holder[attribute.name] = values;
}

/** `value`: Entra ID names the values to remove there. Without it, all go that the path selects. */
function withoutValues(
  known: readonly unknown[],
  { attribute, filter, path }: ValuesTarget,
  value: unknown,
): readonly unknown[] {
  const isSelected = (each: unknown) => filter === null || matchesFilter(filter, each as object);
  if (path.sub !== null) {
    const { name } = path.sub;
    return known.flatMap((each) => {
      if (!isSelected(each)) return [each];
      const { [name]: _, ...rest } = each as Fields;
      return Object.keys(rest).length === 0 ? [] : [rest];
    });
  }
  if (value === undefined || value === null || filter !== null) {
    return known.filter((each) => !isSelected(each));
  }
  const gone = (readValue(attribute, value) as readonly unknown[] | undefined) ?? [];
  return known.filter((each) => !gone.some((other) => isSameValue(each, other)));
}

function withChanged(
  known: readonly unknown[],
  op: Operation,
  { attribute, filter, described, path }: ValuesTarget,
  value: unknown,
): readonly unknown[] {
  const { sub } = path;
  const changed = (each: Fields): Fields => {
    const fields = { ...each };
    if (sub !== null) setField(fields, sub, value);
    else if (op === 'replace') return { ...described, ...(readOne(attribute, value) as Fields) };
    else Object.assign(fields, readOne(attribute, value));
    return fields;
  };
  const isSelected = (each: unknown) => filter === null || matchesFilter(filter, each as object);
  if (known.some(isSelected)) {
    if (sub?.mutability === 'immutable') {
      throw scimError(SCIM_ERRORS.SCIM_READ_ONLY, `${attribute.name}.${sub.name} cannot be changed.`);
    }
    const next = known.map((each) => (isSelected(each) ? changed(each as Fields) : each));
    return withOnePrimary(
      next,
      next.findLast((each, at) => isSelected(known[at]) && isPrimary(each)),
    );
  }
  const canDescribe = sub !== null && (filter === null || described !== null);
  if (!canDescribe) throw scimError(SCIM_ERRORS.SCIM_NO_TARGET, `No value of ${attribute.name} matches.`);
  return added(known, [changed({ ...described })]);
}

function added(known: readonly unknown[], more: readonly unknown[]): readonly unknown[] {
  const values = distinct([...known, ...more]);
  return withOnePrimary(values, more.findLast(isPrimary));
}

/** Values of which none equals an earlier one. By the key, because groups have hundreds of members. */
function distinct(values: readonly unknown[]): readonly unknown[] {
  const byKey = new Map<string, unknown>();
  for (const value of values) byKey.set(keyOf(value), value);
  return [...byKey.values()];
}

/** Values of one attribute that mean the same: the same value of the same type. */
function keyOf(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value);
  const { type, value: text } = value;
  if (text === undefined) return JSON.stringify(value);
  return isReference(value) ? JSON.stringify([text]) : JSON.stringify([text, type]);
}

/** A member of a group, which its ID identifies. */
function isReference(value: Fields | Readonly<Record<string, unknown>>): boolean {
  return value.$ref !== undefined || value.type === 'User' || value.type === 'Group';
}

function isSameValue(known: unknown, given: unknown): boolean {
  if (!isObject(known) || !isObject(given)) return known === given;
  if (given.value === undefined) {
    return Object.entries(given).every(([name, each]) => known[name] === each);
  }
  return (
    known.value === given.value &&
    (given.type === undefined || known.type === undefined || known.type === given.type)
  );
}

function isPrimary(value: unknown): boolean {
  return isObject(value) && value.primary === true;
}

/** At most one value is primary (RFC 7643 §2.4): the one that was set last. */
function withOnePrimary(values: readonly unknown[], primary: unknown): readonly unknown[] {
  if (primary === undefined) return values;
  return values.map((each) =>
    each !== primary && isPrimary(each) ? { ...(each as Fields), primary: false } : each,
  );
}

function syntax(sentence: string) {
  return scimError(SCIM_ERRORS.SCIM_SYNTAX_INVALID, sentence);
}

/** Repeats the beginning of the path, as it may be very long. */
function noPath(text: string) {
  return scimError(
    SCIM_ERRORS.SCIM_PATH_INVALID,
    `The resource has no attribute at the path ${JSON.stringify(text.slice(0, 64))}.`,
  );
}
