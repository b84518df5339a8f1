import './page-address-fixture.ts';
import { describe, expect, it } from 'vitest';
import type { Setting } from './gateway-state.ts';
import { editOf, editsOf, groupOf, isRisky, ownAddressWarning, titleOf } from './settings-edit.ts';

const SETTING: Setting = {
  path: 'hls.window',
  value: '16s',
  isSecret: false,
  isSet: true,
  expected: 'a duration',
  choices: [],
  meaning: 'How much video a playlist lists.',
  defaultValue: '16s',
  source: 'default',
  appliesOn: 'restart',
  isPending: false,
  isInConsole: false,
  isOfNode: false,
};
const of = (changes: Partial<Setting>): Setting => ({ ...SETTING, ...changes });
const text = (value: string) => ({ kind: 'text', text: value }) as const;

describe('an edit', () => {
  it('sets what was typed, and nothing if that is what there was', () => {
    expect(editOf(SETTING, text(' 30s '))).toEqual({ path: 'hls.window', action: 'SET', value: '30s' });
    expect(editOf(SETTING, text('16s'))).toBeNull();
    const pending = of({ isPending: true, nextValue: '30s', isInConsole: true });
    expect(editOf(pending, text('30s'))).toBeNull();
    expect(editOf(pending, text('16s'))).toMatchObject({ action: 'SET', value: '16s' });
  });

  it('takes a value away if the field is empty, and gives up what only the console had', () => {
    const optional = { defaultValue: undefined, whenAbsent: 'no TLS' } as unknown as Partial<Setting>;
    expect(editOf(of({ ...optional, value: '/a.pem', source: 'file' }), text(''))).toMatchObject({
      action: 'UNSET',
    });
    const own = of({ ...optional, value: '/a.pem', source: 'console', isInConsole: true });
    expect(editOf(own, text(''))).toMatchObject({ action: 'RESET' });
  });

  it('empties a list', () => {
    const list = of({ expected: 'a list; each item is text', value: 'a,b', source: 'file' });
    expect(editOf(list, text(''))).toEqual({ path: 'hls.window', action: 'SET', value: '' });
  });

  it('leaves a secret alone that no one typed', () => {
    const secret = of({ isSecret: true, isSet: true });
    expect(editOf(secret, text(''))).toBeNull();
    expect(editOf(secret, text('new'))).toMatchObject({ action: 'SET', value: 'new' });
  });

  it('returns to the file only if the console has something', () => {
    expect(editOf(SETTING, { kind: 'file' })).toBeNull();
    expect(editOf(of({ isInConsole: true }), { kind: 'file' })).toEqual({
      path: 'hls.window',
      action: 'RESET',
    });
    expect(editsOf([SETTING], { 'hls.window': text('1m'), other: text('x') })).toHaveLength(1);
  });
});

it('is risky if it could keep people out', () => {
  expect(['listen.media', 'tls.api.cert', 'public.apiUrl', 'oidc.issuer', 'trustProxy'].every(isRisky)).toBe(
    true,
  );
  expect(['log.level', 'publicity', 'retention.audit'].some(isRisky)).toBe(false);
  expect(ownAddressWarning([{ path: 'listen.api', action: 'RESET' }])).toMatch(/address you are using now/);
  expect(ownAddressWarning([{ path: 'listen.media', action: 'RESET' }])).toBeNull();
});

it('has a group and a title for each key', () => {
  expect(groupOf('public.mediaUrl').title).toBe('Public addresses');
  expect(groupOf('cors').title).toBe('Public addresses');
  expect(groupOf('database').title).toBe('Gateway');
  expect(['public.mediaUrl', 'tls.acme.termsAgreed', 'cors', 's3.accessKeyId'].map(titleOf)).toEqual([
    'Media URL',
    'ACME: Terms agreed',
    'CORS',
    'Access key ID',
  ]);
});
