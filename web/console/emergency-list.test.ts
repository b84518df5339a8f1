import './page-address-fixture.ts';
import { expect, it } from 'vitest';
import { isNotified } from './emergency-list.ts';

const MAILED = { mailAddresses: ['dispatch@county.example'] };
const CALLED = { mailAddresses: [], webhookUrl: 'https://county.example/hook' };

it('is notified by mail only if the gateway has a mail server, and by a webhook in any case', () => {
  expect(isNotified(MAILED, true)).toBe(true);
  expect(isNotified(MAILED, false)).toBe(false);
  expect(isNotified(CALLED, false)).toBe(true);
  expect(isNotified({ ...MAILED, ...CALLED }, false)).toBe(true);
  expect(isNotified({ mailAddresses: [] }, true)).toBe(false);
});
