import { expect, it } from 'vitest';
import { upShare } from './uptime.ts';

it('the share of uptime counts only what is known', () => {
  const span = (startMs: number, endMs: number, state: 'up' | 'down' | 'not-running' | 'unknown') => ({
    startMs,
    endMs,
    state,
  });
  expect(upShare([])).toBeNull();
  expect(upShare([span(0, 50, 'unknown'), span(50, 70, 'not-running')])).toBeNull();
  expect(upShare([span(0, 50, 'unknown'), span(50, 70, 'down'), span(70, 130, 'up')])).toBe(0.75);
});
