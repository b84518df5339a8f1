import { expect, it } from 'vitest';
import { actorUrgency, shareUrgency } from './viewing-urgency.ts';

it.each([
  ['ALARM_MONITORING', 'alarm'],
  ['RAPIDSOS', 'alarm'],
  ['USER', 'viewer'],
  ['UNKNOWN', 'viewer'],
] as const)('a share for %s counts as %s', (streamType, urgency) => {
  expect(shareUrgency({ streamType })).toBe(urgency);
});

it('a partner with a key of its own counts as alarm, anyone else as viewer', () => {
  expect(actorUrgency({ scheme: 'partner-api' })).toBe('alarm');
  expect(actorUrgency({ scheme: 'api' })).toBe('viewer');
  expect(actorUrgency(null)).toBe('viewer');
});
