import { describe, expect, it } from 'vitest';
import { acceptedStillFormat, stillWidthOf } from './still-query.ts';

describe('acceptedStillFormat', () => {
  it.each([
    [undefined, 'jpeg'],
    ['', 'jpeg'],
    ['*/*', 'jpeg'],
    ['image/*', 'jpeg'],
    ['image/jpeg', 'jpeg'],
    ['image/webp', 'webp'],
    ['image/avif', 'avif'],
    // Chromium's and Firefox's <img>: WebP takes a fraction of AVIF's CPU time.
    ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'webp'],
    ['image/avif,image/*;q=0.8', 'avif'],
    ['image/avif;q=0.9,image/webp;q=0.5,*/*;q=0.1', 'avif'],
    ['image/webp;q=0.4, image/jpeg', 'jpeg'],
    ['IMAGE/WEBP ; Q=1', 'webp'],
    ['image/webp;q=0', 'jpeg'],
    ['image/webp;q=x,image/jpeg;q=0.1', 'jpeg'],
    ['text/html', 'jpeg'],
    [`${'image/x,'.repeat(10_000)}image/webp`, 'jpeg'],
  ])('reads %s as %s', (accept, format) => {
    expect(acceptedStillFormat(accept)).toBe(format);
  });
});

describe('stillWidthOf', () => {
  it.each([
    ['', null],
    ['x=1', null],
    ['width=1', 1],
    ['a=b&width=640', 640],
    ['width=3840', 3_840],
  ])('reads %s as %s', (query, widthPx) => {
    expect(stillWidthOf(query)).toBe(widthPx);
  });

  it.each([
    'width=',
    'width=0',
    'width=3841',
    'width=-1',
    'width=1.5',
    'width=640px',
    'width=1e3',
    'width=%00',
  ])('refuses %s', (query) => {
    expect(() => stillWidthOf(query)).toThrow(expect.objectContaining({ code: 'STILL_WIDTH_INVALID' }));
  });
});
