import { describe, expect, it } from 'vitest';
import { nextTryText } from './next-try-text.ts';

describe('the words for the next try', () => {
  it.each([
    [31_000, 'Next try in 31 s'],
    [360_000, 'Next try in 6 min'],
    [1_000, 'Next try in 1 s'],
    [999, 'Trying now'],
    [0, 'Trying now'],
    [-9_000, 'Trying now'],
    [-30_000, null],
    [-86_400_000, null],
  ])('%d ms from now: %s', (leftMs, text) => {
    expect(nextTryText(5_000_000 + leftMs, 5_000_000)).toBe(text);
  });
});
