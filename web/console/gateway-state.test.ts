import { expect, it, vi } from 'vitest';

// The module's imports read the address of the document.
vi.stubGlobal('document', { baseURI: 'http://localhost/console/' });
const { countersOf } = await import('./gateway-state.ts');

it('reads the columns of counters, of which the API says only that they are a map', () => {
  const counters = { viewers: [1, null, 2], openStreams: [], other: 'text', odd: ['3'] };
  expect(countersOf({ timesMs: [10, 20, 30], counters })).toEqual({
    timesMs: [10, 20, 30],
    counters: { viewers: [1, null, 2], openStreams: [], other: [], odd: [null] },
  });
});
