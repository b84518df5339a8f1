import { expect, test } from 'vitest';
import { isDraftField } from './camera-draft.ts';
import { FAULT_TITLES, type FaultReason, repairOf } from './fault-words.ts';

test('a refused password is repaired by another sign-in, and names the password', () => {
  expect(repairOf('wrong-password')).toEqual({ text: 'Change sign-in…', field: 'password' });
  expect(FAULT_TITLES['wrong-password']).toContain('password');
});

test('what only the camera can repair has no button', () => {
  for (const reason of ['busy', 'silent', 'frozen', 'gateway'] as const) expect(repairOf(reason)).toBeNull();
  expect(repairOf(undefined)).toBeNull();
});

test('a repair leads to a field of the form', () => {
  const fields = (Object.keys(FAULT_TITLES) as FaultReason[]).flatMap((each) => repairOf(each)?.field ?? []);
  expect(fields.length).toBeGreaterThan(0);
  for (const field of fields) expect(isDraftField(field)).toBe(true);
  expect(isDraftField('__proto__')).toBe(false);
});
