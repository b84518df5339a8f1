/** A person of the organization as a SCIM user, and what a directory's values say of the person. Pure. */

import { createHash } from 'node:crypto';
import type { Ruuid } from '../core/ruuid.ts';
import type { Person } from '../store/person.ts';
import { type Resource, resourceKind } from '../store/resource.ts';
import { ENTERPRISE_SCHEMA, type ScimValues, USER_TYPE } from './scim-schema.ts';
import { isObject } from './scim-values.ts';

/** What the directory said of a person. Its UUID is the person's, with whom it is removed. */
export interface ScimUserBody {
  /** Without `id`, `meta`, `groups`, and `active`, which the person has. */
  readonly values: ScimValues;
  /** The directory removed `active`. */
  readonly hasNoActive?: true;
  /** Incremented by each change, so that each has another version. */
  readonly revision: number;
}

export const SCIM_USERS = resourceKind<ScimUserBody>('scimUser');
export type ScimUserRecord = Resource<ScimUserBody>;

/** A group that has the person as a member. */
export interface GroupOfUser {
  readonly uuid: Ruuid;
  readonly name: string;
}

const MAX_NAME_CHARS = 256;
const MAX_EMAIL_CHARS = 254;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Attributes that the gateway computes. */
const COMPUTED = ['id', 'meta', 'schemas', 'groups'] as const;

/** `record`: null for a person whom no directory has changed. `baseUrl`: of `/scim/v2`. */
export function userResource(
  person: Person,
  record: ScimUserRecord | null,
  groups: readonly GroupOfUser[],
  baseUrl: string,
): ScimValues {
  const values: Record<string, unknown> = { ...(record?.body.values ?? valuesOfPerson(person)) };
  if (record?.body.hasNoActive !== true) values.active = !person.disabled;
  const hasExtension = values[ENTERPRISE_SCHEMA.id] !== undefined;
  const version = versionOf([values, record?.body.revision ?? 0]);
  return {
    schemas: [USER_TYPE.schema.id, ...(hasExtension ? [ENTERPRISE_SCHEMA.id] : [])],
    id: person.uuid,
    ...values,
    ...(groups.length === 0
      ? {}
      : {
          groups: groups.map(({ uuid, name }) => ({
            value: uuid,
            $ref: `${baseUrl}/Groups/${uuid}`,
            display: name,
            type: 'direct',
          })),
        }),
    meta: {
      resourceType: USER_TYPE.name,
      created: new Date(person.createdAtMs).toISOString(),
      lastModified: new Date(record?.updatedAtMs ?? person.createdAtMs).toISOString(),
      location: `${baseUrl}/Users/${person.uuid}`,
      version,
    },
  };
}

/** A weak ETag of a value. */
export function versionOf(value: unknown): string {
  return `W/"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)}"`;
}

function valuesOfPerson({ uuid, name, email }: Person): ScimValues {
  return {
    userName: email ?? uuid,
    displayName: name,
    ...(email === null ? {} : { emails: [{ value: email, type: 'work', primary: true }] }),
  };
}

/** The values that are stored. */
export function storedValues(values: ScimValues): ScimValues {
  const stored = { ...values };
  for (const name of [...COMPUTED, 'active']) delete (stored as Record<string, unknown>)[name];
  return stored;
}

/** The values that a change of one version to another is judged by. */
export function comparedValues(values: ScimValues): ScimValues {
  const compared = { ...values };
  for (const name of COMPUTED) delete (compared as Record<string, unknown>)[name];
  return compared;
}

/** The facts of a person in the directory's values. */
export interface PersonFacts {
  readonly name: string;
  /** The user name if it is an address, or the primary one; null: there is none. */
  readonly email: string | null;
  /** Undefined: not said. */
  readonly isActive: boolean | undefined;
}

export function factsOf(values: ScimValues): PersonFacts {
  const userName = String(values.userName);
  const { active } = values;
  return {
    name: nameOf(values, userName),
    email: [userName, ...emailsOf(values)].find(isEmail) ?? null,
    isActive: typeof active === 'boolean' ? active : undefined,
  };
}

function nameOf({ displayName, name }: ScimValues, userName: string): string {
  const { formatted, givenName, familyName } = isObject(name) ? name : {};
  const parts = [givenName, familyName].filter((part) => typeof part === 'string').join(' ');
  const named = [displayName, formatted, parts].find(
    (each): each is string => typeof each === 'string' && each.trim() !== '',
  );
  return (named ?? userName).trim().slice(0, MAX_NAME_CHARS);
}

/** The primary one first. */
function emailsOf({ emails }: ScimValues): readonly string[] {
  const all = Array.isArray(emails) ? emails.filter(isObject) : [];
  const inOrder = [...all.filter(({ primary }) => primary === true), ...all];
  return inOrder.map(({ value }) => value).filter((value) => typeof value === 'string');
}

function isEmail(text: string): boolean {
  return text.length <= MAX_EMAIL_CHARS && EMAIL.test(text);
}
