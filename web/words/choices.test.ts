import { expect, test } from 'vitest';
import { inThisLanguage, languageFor, zoneFor } from './choices.ts';

test('takes the choice, then the first language of the browser that has a catalog, then English', () => {
  expect(languageFor(['es'], ['de-DE'])).toBe('es');
  expect(languageFor([null], ['fr-CA', 'de-AT', 'en'])).toBe('de');
  expect(languageFor([null], ['fr', 'en-GB', 'es'])).toBe('en');
  expect(languageFor([null], ['fr'])).toBe('en');
  expect(languageFor(['klingon'], [])).toBe('en');
  expect(languageFor(['de', 'es'], ['en'])).toBe('de');
  expect(languageFor(['klingon', 'es'], ['en'])).toBe('es');
  expect(languageFor(['toString'], ['constructor'])).toBe('en');
});

test('takes only a time zone that the browser knows', () => {
  expect(zoneFor('America/Bogota')).toBe('America/Bogota');
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(zoneFor('Mars/Olympus')).toBe(own);
  expect(zoneFor(null)).toBe(own);
});

test('names its language in the address of a frame', () => {
  expect(inThisLanguage('https://media.example/preview?steered=#grant')).toBe(
    'https://media.example/preview?steered=&lang=en#grant',
  );
});
