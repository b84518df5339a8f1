/**
 * The schemas of users and groups (RFC 7643 §4, §7): the attributes that the gateway stores, from scimmy's tables. scimmy's own schemas,
 * resources, and configuration are objects of the whole process, so nothing here declares or changes them: organizations share only
 * constants.
 */

import scimmy from 'scimmy';

export interface ScimAttribute {
  readonly name: string;
  readonly type:
    | 'string'
    | 'boolean'
    | 'complex'
    | 'reference'
    | 'dateTime'
    | 'integer'
    | 'decimal'
    | 'binary';
  readonly multiValued: boolean;
  readonly required: boolean;
  readonly caseExact?: boolean;
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
  readonly returned: 'always' | 'never' | 'default' | 'request';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly ScimAttribute[];
}

/** As `/Schemas` returns it, without `meta`. */
export interface ScimSchema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly ScimAttribute[];
}

/** What `/ResourceTypes` says of a kind of resource. */
export interface ScimResourceType {
  readonly name: 'User' | 'Group';
  /** Below the base address. */
  readonly endpoint: '/Users' | '/Groups';
  readonly schema: ScimSchema;
  readonly extensions: readonly ScimSchema[];
  /** In lower case: attributes of RFC 7643 that the gateway does not store. Requests can name them, without effect. */
  readonly notStored: ReadonlySet<string>;
}

/** The values of a resource by attribute; those of an extension by its schema's ID. Plain JSON. */
export type ScimValues = Readonly<Record<string, unknown>>;

type Definition = { describe(): object };

/** A copy, so that no one else's change of scimmy's tables arrives here. */
function schemaOf(definition: Definition, stored?: readonly string[]): ScimSchema {
  const { id, name, description, attributes } = JSON.parse(
    JSON.stringify(definition.describe()),
  ) as ScimSchema;
  const kept = attributes.filter((each) => stored?.includes(each.name) ?? true);
  return { id, name, description, attributes: kept };
}

const { User, Group, EnterpriseUser, ServiceProviderConfig, ResourceType } = scimmy.Schemas;

const USER_ATTRIBUTES = [
  'userName',
  'name',
  'displayName',
  'title',
  'active',
  'emails',
  'groups',
  'roles',
] as const;

const USER_SCHEMA = schemaOf(User.definition, USER_ATTRIBUTES);
export const ENTERPRISE_SCHEMA = schemaOf(EnterpriseUser.definition);
const ALL_OF_USER = schemaOf(User.definition).attributes.map(({ name }) => name.toLowerCase());

/** Members are users, without a name of their own: a group must not reveal more of a person than their ID. */
function withUsersAsMembers(schema: ScimSchema): ScimSchema {
  return {
    ...schema,
    attributes: schema.attributes.map((each) =>
      each.name === 'members'
        ? {
            ...each,
            subAttributes: each
              .subAttributes!.filter(({ name }) => name !== 'display')
              .map((sub) => ({
                ...sub,
                ...(sub.canonicalValues === undefined ? {} : { canonicalValues: ['User'] }),
                ...(sub.referenceTypes === undefined ? {} : { referenceTypes: ['User'] }),
              })),
          }
        : each,
    ),
  };
}

export const USER_TYPE: ScimResourceType = {
  name: 'User',
  endpoint: '/Users',
  schema: USER_SCHEMA,
  extensions: [ENTERPRISE_SCHEMA],
  notStored: new Set(
    ALL_OF_USER.filter((name) => !USER_ATTRIBUTES.some((each) => each.toLowerCase() === name)),
  ),
};

export const GROUP_TYPE: ScimResourceType = {
  name: 'Group',
  endpoint: '/Groups',
  schema: withUsersAsMembers(schemaOf(Group.definition)),
  extensions: [],
  notStored: new Set(),
};

export const RESOURCE_TYPES: readonly ScimResourceType[] = [USER_TYPE, GROUP_TYPE];

const text = (name: string, more: Partial<ScimAttribute> = {}): ScimAttribute => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readOnly',
  returned: 'default',
  ...more,
});

/** RFC 7643 §3.1. */
export const COMMON_ATTRIBUTES: readonly ScimAttribute[] = [
  text('id', { caseExact: true, returned: 'always' }),
  text('externalId', { caseExact: true, mutability: 'readWrite' }),
  text('schemas', { multiValued: true, caseExact: true, returned: 'always' }),
  text('meta', {
    type: 'complex',
    subAttributes: [
      text('resourceType', { caseExact: true }),
      text('created', { type: 'dateTime' }),
      text('lastModified', { type: 'dateTime' }),
      text('location', { caseExact: true }),
      text('version', { caseExact: true }),
    ],
  }),
];

/** RFC 7643 §8.7.2 has the schema of schemas, which scimmy does not. */
const ATTRIBUTE_FIELDS: readonly ScimAttribute[] = [
  text('name', { required: true, caseExact: true }),
  text('type', { required: true }),
  text('multiValued', { type: 'boolean', required: true }),
  text('description'),
  text('required', { type: 'boolean' }),
  text('canonicalValues', { multiValued: true, caseExact: true }),
  text('caseExact', { type: 'boolean' }),
  text('mutability', { caseExact: true }),
  text('returned', { caseExact: true }),
  text('uniqueness', { caseExact: true }),
  text('referenceTypes', { multiValued: true, caseExact: true }),
];
const SCHEMA_OF_SCHEMAS: ScimSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Schema',
  name: 'Schema',
  description: 'Specifies the schema that describes a SCIM schema',
  attributes: [
    text('name', { required: true }),
    text('description'),
    text('attributes', {
      type: 'complex',
      multiValued: true,
      required: true,
      subAttributes: [
        ...ATTRIBUTE_FIELDS,
        text('subAttributes', { type: 'complex', multiValued: true, subAttributes: ATTRIBUTE_FIELDS }),
      ],
    }),
  ],
};

/** All that `/Schemas` lists. */
export const SCHEMAS: readonly ScimSchema[] = [
  USER_TYPE.schema,
  ENTERPRISE_SCHEMA,
  GROUP_TYPE.schema,
  schemaOf(ServiceProviderConfig.definition),
  schemaOf(ResourceType.definition),
  SCHEMA_OF_SCHEMAS,
];

/** An attribute of a resource, or one of its sub-attributes. */
export interface AttributePath {
  /** The schema of an extension; null: the resource's own. */
  readonly extension: string | null;
  /** Null: the whole extension. */
  readonly attribute: ScimAttribute | null;
  readonly sub: ScimAttribute | null;
}

/** Names count in any case. Null: the type has no such attribute. */
export function findAttribute(type: ScimResourceType, path: string): AttributePath | null {
  const key = path.toLowerCase();
  if (!key.startsWith('urn:')) {
    return pathIn(null, [...COMMON_ATTRIBUTES, ...type.schema.attributes], key);
  }
  for (const schema of [type.schema, ...type.extensions]) {
    const id = schema.id.toLowerCase();
    const isOwn = schema === type.schema;
    if (key === id) return isOwn ? null : { extension: schema.id, attribute: null, sub: null };
    if (!key.startsWith(`${id}:`)) continue;
    const attributes = isOwn ? [...COMMON_ATTRIBUTES, ...schema.attributes] : schema.attributes;
    return pathIn(isOwn ? null : schema.id, attributes, key.slice(id.length + 1));
  }
  return null;
}

function pathIn(
  extension: string | null,
  attributes: readonly ScimAttribute[],
  key: string,
): AttributePath | null {
  const [name, subName, ...deeper] = key.split('.');
  const attribute = attributeNamed(attributes, name!);
  if (attribute === undefined || deeper.length > 0) return null;
  if (subName === undefined) return { extension, attribute, sub: null };
  const sub = attributeNamed(attribute.subAttributes ?? [], subName);
  return sub === undefined ? null : { extension, attribute, sub };
}

/** `key`: in lower case. */
export function attributeNamed(attributes: readonly ScimAttribute[], key: string): ScimAttribute | undefined {
  return attributes.find(({ name }) => name.toLowerCase() === key);
}
