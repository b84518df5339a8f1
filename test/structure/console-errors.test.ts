/** The console's own sentences for refusals name codes that the gateway has, and values that its responses contain. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { errorHeaders } from '../../src/http/error-fields.ts';
import '../../web/console/page-address-fixture.ts';
import { MAIL_ERRORS } from '../../src/mail/errors.ts';
import { WEBHOOK_ERRORS } from '../../src/webhooks/errors.ts';
import { DELIVERY_FAULTS, deliveryFault } from '../../web/console/delivery-words.ts';
import { ERROR_SENTENCES, errorSentence } from '../../web/console/error-words.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CODES = new Set(
  [...readFileSync(`${ROOT}/docs/reference/errors.md`, 'utf8').matchAll(/^\| `(\w+)`/gm)].map(
    ([, code]) => code!,
  ),
);

it('are for codes of the gateway', () => {
  const unknown = Object.keys(ERROR_SENTENCES).filter((code) => !CODES.has(code) && code !== 'INTERNAL');
  expect(unknown).toEqual([]);
});

it('use only values that the response has', () => {
  for (const [code, sentence] of Object.entries(ERROR_SENTENCES)) {
    const used: string[] = [];
    const get = (_all: object, name: string | symbol) => {
      used.push(String(name));
      return '7';
    };
    const values = new Proxy<Record<string, string>>({}, { get });
    sentence(values);
    const context = Object.fromEntries(used.map((name) => [name, 7]));
    const error = { code, context, message: '', kind: 'invalid-input' } as Parameters<typeof errorHeaders>[0];
    const sent = JSON.parse(decodeURIComponent(errorHeaders(error)['x-error-fields'] ?? '%7B%7D')) as object;
    expect(Object.keys(sent), code).toEqual(expect.arrayContaining(used));
  }
});

it('are none for other codes, and for names of every object', () => {
  expect(errorSentence('PERSON_PASSWORD_TOO_SHORT', { limit: 10 })).toContain('10');
  for (const code of ['NOT_LISTED', 'toString', null]) expect(errorSentence(code, {})).toBeNull();
});

/** They refuse a call of the API, and are in no log of deliveries. */
const OF_CALLS =
  /_UNKNOWN$|^(?:LINK_MAILS_LIMITED|WEBHOOK_URL_INVALID|WEBHOOK_HEADERS_INVALID)$|^(?:ALARM_|TOO_MANY_)/;

it('say why a mail or a call did not get through, for each reason', () => {
  const reasons = [...Object.keys(MAIL_ERRORS), ...Object.keys(WEBHOOK_ERRORS)].filter(
    (code) => !OF_CALLS.test(code) || code.endsWith('_HOST_UNKNOWN'),
  );
  expect(Object.keys(DELIVERY_FAULTS).toSorted()).toEqual(reasons.toSorted());
  expect(deliveryFault('MAIL_NOT_SET_UP')).not.toContain('_');
  for (const code of ['NOT_LISTED', 'toString', undefined]) {
    expect(deliveryFault(code)).toBe('The cause is not known');
  }
});
