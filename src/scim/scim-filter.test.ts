import { describe, expect, it } from 'vitest';
import { SCIM_ERRORS } from './errors.ts';
import { MAX_FILTER_CHARS, matchesFilter, parseFilter, scopeOfType } from './scim-filter.ts';
import { ENTERPRISE_SCHEMA, USER_TYPE } from './scim-schema.ts';

const SCOPE = scopeOfType(USER_TYPE);
const ADA = {
  id: 'AdA',
  externalId: 'Ext-1',
  userName: 'Ada@Example.com',
  displayName: 'Ada "the first"',
  title: '',
  active: true,
  name: { familyName: 'Lovelace' },
  emails: [
    { value: 'ada@example.com', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
  [ENTERPRISE_SCHEMA.id]: { department: 'Analysis' },
  meta: { lastModified: '2026-11-30T08:00:00.000Z' },
};

const matches = (filter: string) => matchesFilter(parseFilter(filter, SCOPE), ADA);

describe('RFC 7644 §3.4.2.2', () => {
  it.each([
    ['userName eq "ada@example.com"', true],
    ['USERNAME Eq "ADA@EXAMPLE.COM"', true],
    ['userName ne "bob@example.com"', true],
    ['userName sw "ada" and userName ew ".COM"', true],
    ['userName co "@exam"', true],
    ['id eq "ada"', false],
    ['id eq "AdA"', true],
    ['externalId eq "ext-1"', false],
    ['active eq true', true],
    ['active eq "True"', true],
    ['active eq False', false],
    ['title pr', false],
    ['name.familyName pr', true],
    ['nickName pr or userName pr', null],
    ['displayName eq "Ada \\"the first\\""', true],
    ['emails eq "ada@home.example"', true],
    ['emails.type eq "home"', true],
    ['emails[type eq "work" and value co "@example"]', true],
    ['emails[type eq "work" and value co "@home"]', false],
    ['emails[type eq "work"].value eq "ada@example.com"', true],
    ['emails[type eq "home"].value eq "ada@example.com"', false],
    ['not (userName eq "bob")', true],
    ['userName eq "bob" or (active eq true and not (emails pr))', false],
    ['userName eq "bob" or active eq true and emails pr', true],
    ['meta.lastModified gt "2026-11-30T07:59:59Z"', true],
    ['meta.lastModified gt "2026-11-30T09:30:00+01:00"', false],
    ['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "analysis"', true],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "ADA"', true],
    ['title eq null', false],
    ['externalId eq null', false],
    ['name.givenName eq null', true],
  ])('%s', (filter, expected) => {
    if (expected === null) expect(() => matches(filter)).toThrow();
    else expect(matches(filter)).toBe(expected);
  });
});

describe('hostile filters', () => {
  const started = '(a+)+$'.repeat(200);
  it.each([
    ['10,000 terms', Array.from({ length: 10_000 }, (_, i) => `userName eq "${i}"`).join(' or ')],
    ['101 short terms', Array.from({ length: 101 }, () => 'id pr').join(' or ')],
    ['deep nesting', `${'('.repeat(17)}id pr${')'.repeat(17)}`],
    ['parentheses that never close', '('.repeat(MAX_FILTER_CHARS)],
    ['nested values', `${'emails['.repeat(100)}`],
    ['an unclosed text', 'userName eq "ada'],
    ['a text that ends with an escape', 'userName eq "ada\\'],
    ['a bad escape', 'userName eq "\\x41"'],
    ['an unknown attribute', 'password eq "x"'],
    ['a prototype', '__proto__ pr'],
    ['constructor', 'constructor.name pr'],
    ['no operator', 'userName'],
    ['an unknown operator', 'userName re "a"'],
    ['no value', 'userName eq'],
    ['text behind the end', 'userName pr pr'],
    ['a flag that is ordered', 'active gt true'],
    ['nothing', ''],
    ['only spaces', ' '.repeat(4_000)],
  ])('%s are refused', (_name, filter) => {
    expect(() => parseFilter(filter, SCOPE)).toThrow(
      expect.objectContaining({ code: SCIM_ERRORS.SCIM_FILTER_INVALID.code }),
    );
  });

  it('text that would be expensive as a pattern is only text', () => {
    expect(matches(`displayName co ${JSON.stringify(started)}`)).toBe(false);
  });
});
