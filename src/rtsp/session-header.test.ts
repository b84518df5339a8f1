import { describe, expect, it } from 'vitest';
import { parseSessionHeader } from './session-header.ts';

describe('parseSessionHeader', () => {
  it.each([
    ['1234', { id: '1234', timeoutSec: null }],
    ['1234;timeout=30', { id: '1234', timeoutSec: 30 }],
    [' 1234 ; Timeout = 30 ', { id: '1234', timeoutSec: 30 }],
    ['1234;timeout=60s', { id: '1234', timeoutSec: 60 }],
    ['1234;timeout=0', { id: '1234', timeoutSec: null }],
    ['1234;timeout=-5', { id: '1234', timeoutSec: null }],
    ['', null],
    [';timeout=60', null],
    ['a b', null],
    ['x'.repeat(257), null],
  ])('%j', (header, expected) => {
    expect(parseSessionHeader(header)).toEqual(expected);
  });
});
