import { describe, expect, it } from 'vitest';
import { ACCOUNT_ERRORS } from '../accounts/errors.ts';
import { defineErrors, GatewayError } from '../core/errors.ts';
import { errorHeaders } from './error-fields.ts';
import { API_ERRORS } from './errors.ts';

describe('the headers of a refusal', () => {
  it('are its code, and the values that its sentence names', () => {
    const short = new GatewayError(ACCOUNT_ERRORS.PERSON_PASSWORD_TOO_SHORT, { limit: 10, hash: 'secret' });
    expect(errorHeaders(short)).toEqual({
      'x-error-code': 'PERSON_PASSWORD_TOO_SHORT',
      'x-error-fields': encodeURIComponent('{"limit":10}'),
    });
    expect(errorHeaders(new GatewayError(ACCOUNT_ERRORS.PASSWORD_WRONG, { person: 'Zoë' }))).toEqual({
      'x-error-code': 'PASSWORD_WRONG',
    });
  });

  it('have text of any alphabet', () => {
    const { 'x-error-fields': fields = '' } = errorHeaders(
      new GatewayError(ACCOUNT_ERRORS.ACCESS_SCOPE_UNKNOWN, { uuid: 'Käse\n' }),
    );
    expect(fields).toMatch(/^[\x21-\x7e]+$/);
    expect(JSON.parse(decodeURIComponent(fields))).toEqual({ uuid: 'Käse\n' });
  });

  it('leave out values that are too long, and whole sentences', () => {
    const long = new GatewayError(ACCOUNT_ERRORS.ACCESS_SCOPE_UNKNOWN, { uuid: 'x'.repeat(2_000) });
    expect(errorHeaders(long)).toEqual({ 'x-error-code': 'ACCESS_SCOPE_UNKNOWN' });
    const own = new GatewayError(API_ERRORS.INVALID_FIELD, { sentence: 'name must not be blank.' });
    expect(errorHeaders(own)).toEqual({ 'x-error-code': 'INVALID_FIELD' });
  });

  it('say nothing about a bug', () => {
    const { BUG } = defineErrors({ BUG: { kind: 'internal', message: 'A bug.' } });
    expect(errorHeaders(new GatewayError(BUG, { table: 'people' }))).toEqual({ 'x-error-code': 'INTERNAL' });
  });
});
