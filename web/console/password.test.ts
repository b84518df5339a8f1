import { expect, test } from 'vitest';
import { newPassword, strengthOf } from './password.ts';

test.each([
  ['', 'none'],
  ['   ', 'none'],
  ['camera', 'weak'],
  ['Password1!', 'weak'],
  ['12345678901', 'weak'],
  ['aaaaaaaaaaaa', 'weak'],
  ['4711', 'weak'],
  ['abcdefghijk', 'weak'],
  ['blue42door', 'strong'],
  ['gatehouse', 'fair'],
  ['correct horse battery staple', 'strong'],
  ['密码密码密码', 'fair'],
])('%j is %s', (password, strength) => {
  expect(strengthOf(password)).toBe(strength);
});

test('a new password is strong, easy to read out, and another each time', () => {
  const made = Array.from({ length: 200 }, () => newPassword());
  expect(new Set(made).size).toBe(made.length);
  for (const password of made) {
    expect(password).toMatch(/^[a-hjkmnp-z2-9]{4}-[a-hjkmnp-z2-9]{4}-[a-hjkmnp-z2-9]{4}$/);
    expect(strengthOf(password)).not.toBe('weak');
  }
});

test('no character of a new password comes more often than another', () => {
  let next = 0;
  const fill = (bytes: Uint8Array) => {
    bytes[0] = next++ % 256;
  };
  const seen = new Map<string, number>();
  // 31 passwords of 12 characters each: the 248 bytes that count, once and a half.
  for (let i = 0; i < 62; i++) {
    for (const char of newPassword(fill).replaceAll('-', '')) seen.set(char, (seen.get(char) ?? 0) + 1);
  }
  expect(new Set(seen.values())).toEqual(new Set([24]));
  expect(seen.size).toBe(31);
});
