/** Operations of RFC 7644 §3.5.2, and request bodies as Entra ID and Okta send them. */

import { describe, expect, it } from 'vitest';
import type { SCIM_ERRORS } from './errors.ts';
import { patched, readPatch } from './scim-patch.ts';
import { ENTERPRISE_SCHEMA, GROUP_TYPE, type ScimValues, USER_TYPE } from './scim-schema.ts';

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const ENTERPRISE = ENTERPRISE_SCHEMA.id;
const ADA: ScimValues = {
  userName: 'ada@example.com',
  displayName: 'Ada',
  active: true,
  name: { givenName: 'Ada', familyName: 'King' },
  emails: [
    { value: 'ada@example.com', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
};
const GUARDS: ScimValues = {
  displayName: 'Guards',
  members: [
    { value: 'a', $ref: 'x/Users/a', type: 'User' },
    { value: 'b', $ref: 'x/Users/b', type: 'User' },
  ],
};

const apply = (type: typeof USER_TYPE, values: ScimValues, ...operations: readonly object[]) =>
  patched(type, values, readPatch({ schemas: [PATCH], Operations: operations }));
const user = (...operations: readonly object[]) => apply(USER_TYPE, ADA, ...operations);
const membersAfter = (...operations: readonly object[]) =>
  ((apply(GROUP_TYPE, GUARDS, ...operations).members ?? []) as { value: string }[]).map(({ value }) => value);
const work = (value: string) => [{ value, type: 'work', primary: true }, (ADA.emails as object[])[1]];

describe('users, as Entra ID changes them', () => {
  it.each<[string, readonly object[], object]>([
    ['disables by a text', [{ op: 'Replace', path: 'active', value: 'False' }], { active: false }],
    ['disables by a flag', [{ op: 'replace', path: 'active', value: false }], { active: false }],
    [
      'replaces a value by its type',
      [
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@example.com' },
        { op: 'Replace', path: 'name.familyName', value: 'Lovelace' },
      ],
      { emails: work('new@example.com'), name: { givenName: 'Ada', familyName: 'Lovelace' } },
    ],
    [
      'adds a value by a type that is not there',
      [{ op: 'Add', path: 'emails[type eq "other"].value', value: 'o@example.com' }],
      { emails: [...(ADA.emails as object[]), { type: 'other', value: 'o@example.com' }] },
    ],
    [
      'replaces a value by a type that is not there',
      [{ op: 'Replace', path: 'emails[type eq "other"].value', value: 'o@example.com' }],
      { emails: [...(ADA.emails as object[]), { type: 'other', value: 'o@example.com' }] },
    ],
    [
      'names paths in a value without a path',
      [{ op: 'Add', value: { 'name.givenName': 'Augusta', displayName: 'Augusta', active: 'True' } }],
      { displayName: 'Augusta', active: true, name: { givenName: 'Augusta', familyName: 'King' } },
    ],
    [
      'sets an attribute of the extension',
      [{ op: 'Add', path: `${ENTERPRISE}:department`, value: 'Analysis' }],
      { [ENTERPRISE]: { department: 'Analysis' } },
    ],
    [
      'sets the manager by a text',
      [{ op: 'Add', path: `${ENTERPRISE}:manager`, value: 'b' }],
      { [ENTERPRISE]: { manager: { value: 'b' } } },
    ],
    [
      'sets a role that is primary',
      [{ op: 'Add', path: 'roles[primary eq "True"].value', value: 'guard' }],
      { roles: [{ primary: true, value: 'guard' }] },
    ],
    [
      'sets a role by a text',
      [{ op: 'Add', path: 'roles', value: [{ value: 'guard' }] }],
      { roles: [{ value: 'guard' }] },
    ],
    [
      'sends what is not stored',
      [{ op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '1' }],
      {},
    ],
  ])('%s', (_name, operations, changes) => {
    expect(user(...operations)).toEqual({ ...ADA, ...changes });
  });
});

describe('users, as Okta changes them', () => {
  it.each<[string, readonly object[], object]>([
    ['disables without a path', [{ op: 'replace', value: { active: false } }], { active: false }],
    [
      'replaces several without a path',
      [{ op: 'replace', value: { id: 'x', displayName: 'Countess', unknown: 1, schemas: ['x'] } }],
      { displayName: 'Countess' },
    ],
  ])('%s', (_name, operations, changes) => {
    expect(user(...operations)).toEqual({ ...ADA, ...changes });
  });
});

describe('groups', () => {
  it.each<[string, readonly object[], readonly string[]]>([
    [
      'Entra ID adds members',
      [{ op: 'Add', path: 'members', value: [{ $ref: null, value: 'c' }] }],
      ['a', 'b', 'c'],
    ],
    [
      'a member is added once',
      [{ op: 'add', path: 'members', value: [{ value: 'a', type: 'User' }] }],
      ['b', 'a'],
    ],
    [
      'Entra ID removes members by value',
      [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: 'a' }] }],
      ['b'],
    ],
    ['Okta removes a member by a filter', [{ op: 'remove', path: 'members[value eq "a"]' }], ['b']],
    ['a member who is not there is removed', [{ op: 'remove', path: 'members[value eq "z"]' }], ['a', 'b']],
    ['an empty list removes no one', [{ op: 'remove', path: 'members', value: [] }], ['a', 'b']],
    ['all members are removed', [{ op: 'remove', path: 'members' }], []],
    ['Okta replaces all members', [{ op: 'replace', path: 'members', value: [{ value: 'c' }] }], ['c']],
    ['Okta pushes an empty group by its path', [{ op: 'replace', path: 'members', value: [] }], []],
    ['Okta pushes an empty group without a path', [{ op: 'replace', value: { members: [], id: 'g' } }], []],
    [
      'a value without a path adds members',
      [{ op: 'add', value: { members: [{ value: 'c' }] } }],
      ['a', 'b', 'c'],
    ],
  ])('%s', (_name, operations, expected) => {
    expect(membersAfter(...operations).toSorted()).toEqual([...expected].toSorted());
  });

  it('Okta renames a group without a path', () => {
    const renamed = apply(GROUP_TYPE, GUARDS, { op: 'replace', value: { id: 'g', displayName: 'Watch' } });
    expect(renamed).toEqual({ ...GUARDS, displayName: 'Watch' });
  });
});

describe('RFC 7644 §3.5.2', () => {
  it('one value is primary', () => {
    const op = {
      op: 'add',
      path: 'emails',
      value: [{ value: 'p@example.com', type: 'other', primary: true }],
    };
    const { emails } = user(op) as { emails: { primary?: boolean }[] };
    expect(emails.map(({ primary }) => primary === true)).toEqual([false, false, true]);
  });

  it('removes a value, a sub-attribute, an attribute, and an extension', () => {
    expect(user({ op: 'remove', path: 'emails[type eq "home"]' }).emails).toEqual([
      { value: 'ada@example.com', type: 'work', primary: true },
    ]);
    expect(user({ op: 'remove', path: 'name.familyName' }).name).toEqual({ givenName: 'Ada' });
    expect(user({ op: 'remove', path: 'displayName' })).not.toHaveProperty('displayName');
    const extended = { ...ADA, [ENTERPRISE]: { department: 'Analysis' } };
    for (const path of [ENTERPRISE, `${ENTERPRISE}:department`]) {
      expect(apply(USER_TYPE, extended, { op: 'remove', path })).toEqual(ADA);
    }
  });

  it('does not change the values that it was given', () => {
    const before = structuredClone(ADA);
    user({ op: 'replace', path: 'name.familyName', value: 'x' }, { op: 'remove', path: 'emails' });
    expect(ADA).toEqual(before);
  });

  it.each<[string, object, keyof typeof SCIM_ERRORS]>([
    ['an unknown attribute', { op: 'add', path: 'shoeSize', value: 1 }, 'SCIM_PATH_INVALID'],
    ['an unknown sub-attribute', { op: 'add', path: 'name.pet', value: 'x' }, 'SCIM_PATH_INVALID'],
    ['an unknown schema', { op: 'add', path: 'urn:x:y:z', value: 'x' }, 'SCIM_PATH_INVALID'],
    ['a path to a prototype', { op: 'add', path: '__proto__.polluted', value: 'x' }, 'SCIM_PATH_INVALID'],
    ['a constructor', { op: 'add', path: 'constructor', value: 'x' }, 'SCIM_PATH_INVALID'],
    ['an open bracket', { op: 'add', path: 'emails[type eq "work"', value: 'x' }, 'SCIM_PATH_INVALID'],
    ['a filter of one value', { op: 'add', path: 'userName[value eq "x"]', value: 'x' }, 'SCIM_PATH_INVALID'],
    ['a bad filter', { op: 'add', path: 'emails[type].value', value: 'x' }, 'SCIM_FILTER_INVALID'],
    ['no match', { op: 'replace', path: 'emails[type eq "other"]', value: { value: 'x' } }, 'SCIM_NO_TARGET'],
    ['remove without a path', { op: 'remove' }, 'SCIM_NO_TARGET'],
    ['a read-only attribute', { op: 'replace', path: 'id', value: 'x' }, 'SCIM_READ_ONLY'],
    ['groups of a user', { op: 'add', path: 'groups', value: [{ value: 'g' }] }, 'SCIM_READ_ONLY'],
    ['a required attribute', { op: 'remove', path: 'userName' }, 'SCIM_READ_ONLY'],
    ['a value of another type', { op: 'replace', path: 'active', value: 'perhaps' }, 'SCIM_VALUE_INVALID'],
    ['an object as a text', { op: 'replace', path: 'displayName', value: {} }, 'SCIM_VALUE_INVALID'],
    ['a long text', { op: 'replace', path: 'displayName', value: 'x'.repeat(2_000) }, 'SCIM_VALUE_INVALID'],
    ['an unknown operation', { op: 'move', path: 'displayName' }, 'SCIM_SYNTAX_INVALID'],
    ['text without a path', { op: 'replace', value: 'x' }, 'SCIM_VALUE_INVALID'],
  ])('refuses %s', (_name, operation, code) => {
    expect(() => user(operation)).toThrow(expect.objectContaining({ code }));
  });

  it('refuses many values that were added one by one', () => {
    const operations = Array.from({ length: 60 }, (_, i) => ({
      op: 'add',
      path: 'emails',
      value: [{ value: `${i}@example.com` }],
    }));
    expect(() => user(...operations)).toThrow(expect.objectContaining({ code: 'SCIM_VALUE_INVALID' }));
  });

  it('refuses too many operations', () => {
    const operations = Array.from({ length: 501 }, () => ({ op: 'replace', path: 'active', value: true }));
    expect(() => user(...operations)).toThrow(expect.objectContaining({ code: 'SCIM_TOO_LARGE' }));
  });

  it('takes nothing from keys that are no attributes', () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"constructor":{},"displayName":"x"}') as object;
    expect(user({ op: 'add', value })).toEqual({ ...ADA, displayName: 'x' });
    expect({}).not.toHaveProperty('polluted');
  });
});
