import './page-address-fixture.ts';
import { expect, it } from 'vitest';
import { alertTitle, triggerText } from './alert-list.ts';

const ALERT = { uuid: 'a', deviceUuid: 'd', timestampMs: 1, saved: false };

it('names what the gateway reports in words, and other kinds as their program does', () => {
  expect(triggerText('MOTION_HUMAN')).toBe('Person');
  expect(triggerText('SPILL_FOUND')).toBe('Spill found');
  expect(triggerText('toString')).toBe('Tostring');
});

it('is titled by its text, or by its kinds', () => {
  const titled = (fields: object) => alertTitle({ ...ALERT, ...fields } as Parameters<typeof alertTitle>[0]);
  expect(titled({ textDescription: 'At the gate', policyAlertTriggers: ['MOTION'] })).toBe('At the gate');
  expect(titled({ policyAlertTriggers: ['MOTION_CAR', 'PANIC_BUTTON'] })).toBe('Vehicle, Panic button');
  expect(titled({})).toBe('Alert');
});
