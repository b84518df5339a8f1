import { h, isValidElement } from 'preact';
import { expect, test } from 'vitest';
import { t, tIn, tRich } from './words.ts';

test('words English as it is written, with the plural form that fits the number', () => {
  expect(t('Save')).toBe('Save');
  const cameras = '{count, plural, one {# camera} other {# cameras}}';
  expect(t(cameras, { count: 1 })).toBe('1 camera');
  expect(t(cameras, { count: 1_200 })).toBe('1,200 cameras');
  expect(tIn('door', 'Open')).toBe('Open');
});

test('puts a name into a sentence as text', () => {
  expect(t('{name} is offline', { name: '<b>{count}</b>' })).toBe('<b>{count}</b> is offline');
});

test('makes elements where the sentence has tags', () => {
  const parts = tRich('See <link>the cameras</link> of {name}.', {
    link: (text) => h('a', {}, text),
    name: '<b>Site</b>',
  });
  expect(parts).toEqual(['See ', expect.objectContaining({ type: 'a' }), ' of <b>Site</b>.']);
  expect(isValidElement((parts as unknown[])[1])).toBe(true);
});
