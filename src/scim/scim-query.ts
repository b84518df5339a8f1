/** What a client asks of a list or a resource: filter, order, page, and attributes (RFC 7644 §3.4.2, §3.9). */

import { SCIM_ERRORS } from './errors.ts';
import { scimError } from './scim-failure.ts';
import { matchesFilter, parseFilter, scopeOfType } from './scim-filter.ts';
import { findAttribute, type ScimResourceType, type ScimValues } from './scim-schema.ts';
import { isObject } from './scim-values.ts';

export const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
/** On one page; the default, too. */
export const MAX_RESULTS = 200;
const MAX_NAMES = 100;

export interface ScimQuery {
  readonly filter: string | null;
  readonly sortBy: string | null;
  readonly isDescending: boolean;
  readonly startIndex: number;
  readonly count: number;
  /** Null: those that are returned by default. */
  readonly attributes: readonly string[] | null;
  readonly excludedAttributes: readonly string[];
}

/** A resource with the type that says what its values mean. */
export interface TypedResource {
  readonly type: ScimResourceType;
  readonly values: ScimValues;
}

/** `given`: the query of a URL, or the body of a search. Fails SCIM_VALUE_INVALID, SCIM_SYNTAX_INVALID. */
export function readQuery(given: unknown): ScimQuery {
  const fields = isObject(given) ? given : {};
  const attributes = namesOf(fields.attributes);
  const sortOrder = textOf('sortOrder', fields.sortOrder)?.toLowerCase();
  if (sortOrder !== undefined && sortOrder !== 'ascending' && sortOrder !== 'descending') {
    throw invalid('sortOrder must be ascending or descending.');
  }
  return {
    filter: textOf('filter', fields.filter) ?? null,
    sortBy: textOf('sortBy', fields.sortBy) ?? null,
    isDescending: sortOrder === 'descending',
    // Below 1 is 1, below 0 is 0 (RFC 7644 §3.4.2.4).
    startIndex: Math.max(1, numberOf('startIndex', fields.startIndex) ?? 1),
    count: Math.min(MAX_RESULTS, Math.max(0, numberOf('count', fields.count) ?? MAX_RESULTS)),
    attributes: attributes.length === 0 ? null : attributes,
    excludedAttributes: namesOf(fields.excludedAttributes),
  };
}

function textOf(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalid(`${name} must be a text, once.`);
  return value;
}

function numberOf(name: string, value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : value;
  if (!Number.isSafeInteger(number)) throw invalid(`${name} must be an integer.`);
  return number as number;
}

function namesOf(value: unknown): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  const all = Array.isArray(value) ? value : String(value).split(',');
  if (all.length > MAX_NAMES) throw invalid(`At most ${MAX_NAMES} attributes can be named.`);
  return all.map((name) => String(name).trim().toLowerCase()).filter((name) => name !== '');
}

/** Those that match, in order. Fails SCIM_FILTER_INVALID, SCIM_PATH_INVALID. */
export function selected(
  resources: readonly TypedResource[],
  types: readonly ScimResourceType[],
  { filter: text, sortBy, isDescending }: ScimQuery,
): readonly TypedResource[] {
  const filters = text === null ? null : filtersOf(text, types);
  const matching = resources.filter(({ type, values }) => {
    if (filters === null) return true;
    const filter = filters.get(type);
    return filter !== undefined && matchesFilter(filter, values);
  });
  return sortBy === null ? matching : sorted(matching, types, sortBy, isDescending);
}

/** A search of several types looks at those that have the attributes of the filter. */
function filtersOf(text: string, types: readonly ScimResourceType[]) {
  const filters = new Map<ScimResourceType, ReturnType<typeof parseFilter>>();
  let failure: unknown;
  for (const type of types) {
    try {
      filters.set(type, parseFilter(text, scopeOfType(type)));
    } catch (thrown) {
      failure = thrown;
    }
  }
  if (filters.size === 0) throw failure;
  return filters;
}

/** Without a value: last when ascending, first when descending (RFC 7644 §3.4.2.3). */
function sorted(
  resources: readonly TypedResource[],
  types: readonly ScimResourceType[],
  sortBy: string,
  isDescending: boolean,
): readonly TypedResource[] {
  if (types.every((type) => findAttribute(type, sortBy)?.attribute == null)) {
    throw scimError(
      SCIM_ERRORS.SCIM_PATH_INVALID,
      'sortBy names an attribute that the resource does not have.',
    );
  }
  const keyed = resources.map((resource) => ({ resource, key: sortKey(resource, sortBy) }));
  const direction = isDescending ? -1 : 1;
  return keyed
    .toSorted(({ key: a }, { key: b }) => {
      if (a === null || b === null) return a === b ? 0 : (a === null ? 1 : -1) * direction;
      return (a < b ? -1 : a > b ? 1 : 0) * direction;
    })
    .map(({ resource }) => resource);
}

function sortKey({ type, values }: TypedResource, sortBy: string): string | null {
  const path = findAttribute(type, sortBy);
  if (path?.attribute == null) return null;
  const { extension, attribute, sub } = path;
  const holder = extension === null ? values : ((values[extension] as ScimValues | undefined) ?? {});
  const value = holder[attribute.name];
  const one = Array.isArray(value) ? (value.find((each) => each.primary === true) ?? value[0]) : value;
  const field = isObject(one) ? one[sub?.name ?? 'value'] : one;
  if (field === undefined || field === null) return null;
  const isExact = (sub ?? attribute).caseExact === true;
  return isExact ? String(field) : String(field).toLowerCase();
}

/** The page of a list, as its response. `resources`: all that match. */
export function listResponse(resources: readonly TypedResource[], query: ScimQuery): object {
  const from = query.startIndex - 1;
  const page = resources.slice(from, from + query.count).map((each) => projected(each, query));
  return {
    schemas: [LIST_SCHEMA],
    totalResults: resources.length,
    startIndex: query.startIndex,
    itemsPerPage: page.length,
    Resources: page,
  };
}

/** The resource with the attributes that the client wants. */
export function projected(
  { type, values }: TypedResource,
  { attributes, excludedAttributes }: Pick<ScimQuery, 'attributes' | 'excludedAttributes'>,
): ScimValues {
  if (attributes === null && excludedAttributes.length === 0) return values;
  const isAlways = (name: string) => name === 'schemas' || name === 'id';
  const wanted = attributes?.map((name) => shortName(type, name)) ?? null;
  const excluded = excludedAttributes.map((name) => shortName(type, name));
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const part = isAlways(name) ? value : partOf(name.toLowerCase(), value, wanted, excluded);
    if (part !== undefined) kept[name] = part;
  }
  return kept;
}

/** In lower case, without the schema of the resource itself. */
function shortName({ schema }: ScimResourceType, name: string): string {
  const prefix = `${schema.id.toLowerCase()}:`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function partOf(
  key: string,
  value: unknown,
  wanted: readonly string[] | null,
  excluded: readonly string[],
): unknown {
  const isWhole = (names: readonly string[]) => names.includes(key);
  const subNames = (names: readonly string[]) => {
    // Those of an extension follow its ID, sub-attributes a dot.
    const separators = key.startsWith('urn:') ? [':', '.'] : ['.'];
    return names.flatMap((name) =>
      separators.some((separator) => name.startsWith(`${key}${separator}`))
        ? [name.slice(key.length + 1)]
        : [],
    );
  };
  if (wanted !== null) {
    if (isWhole(wanted)) return value;
    const names = subNames(wanted);
    return names.length === 0 ? undefined : withFields(value, (name) => names.includes(name));
  }
  if (isWhole(excluded)) return undefined;
  const names = subNames(excluded);
  return names.length === 0 ? value : withFields(value, (name) => !names.includes(name));
}

function withFields(value: unknown, isKept: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => withFields(each, isKept));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => isKept(name.toLowerCase()));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function invalid(sentence: string) {
  return scimError(SCIM_ERRORS.SCIM_VALUE_INVALID, sentence);
}
