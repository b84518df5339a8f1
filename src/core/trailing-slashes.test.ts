import { describe, expect, it } from 'vitest';
import { withoutTrailingSlashes } from './trailing-slashes.ts';

describe('withoutTrailingSlashes', () => {
  it.each([
    ['', ''],
    ['/', ''],
    ['/a//b/', '/a//b'],
    ['/a///', '/a'],
    ['rtsp://host', 'rtsp://host'],
  ])('of %j is %j', (text, expected) => {
    expect(withoutTrailingSlashes(text)).toBe(expected);
  });
});
