import { inspect } from 'node:util';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { STORE_ERRORS } from '../errors.ts';
import { databaseNameOf } from './database-name.ts';
import { isConnectionLost, isContention, storeErrorOf } from './postgres-failure.ts';

const DATABASE = 'postgres://db:5432/x';

function serverError(code: string, message: string, severity = 'ERROR'): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code, severity });
}

describe('storeErrorOf', () => {
  it.each([
    ['23505', 'STORE_DUPLICATE'],
    ['23503', 'STORE_REFERENCE'],
    ['40001', 'STORE_CONTENDED'],
    ['40P01', 'STORE_CONTENDED'],
    ['57014', 'STORE_TIMEOUT'],
    ['57P01', 'STORE_UNREACHABLE'],
    ['08006', 'STORE_UNREACHABLE'],
    ['53300', 'STORE_UNREACHABLE'],
    ['28P01', 'STORE_REFUSED'],
    ['3D000', 'STORE_REFUSED'],
    ['53100', 'STORE_DISK_FULL'],
    ['25006', 'STORE_READ_ONLY'],
    ['58030', 'STORE_IO'],
    ['XX001', 'STORE_CORRUPT'],
    ['42P01', 'STORE_QUERY'],
  ])('makes %s a %s', (sqlState, code) => {
    const error = storeErrorOf(serverError(sqlState, 'why'), DATABASE);
    expect(error).toMatchObject({ code, context: { database: DATABASE, sqlState } });
  });

  it('says what is wrong with the connection', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED ::1:5432'), { code: 'ECONNREFUSED' });
    expect(storeErrorOf(refused, DATABASE)).toMatchObject({
      code: 'STORE_UNREACHABLE',
      context: { reason: 'connect ECONNREFUSED ::1:5432' },
    });
    const each = new AggregateError([refused, new Error('connect ECONNREFUSED 127.0.0.1:5432')]);
    expect(storeErrorOf(each, DATABASE).context.reason).toBe(
      'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432',
    );
  });

  it('does not repeat values of a row', () => {
    const thrown = serverError('22P02', 'invalid input syntax for type bigint: "hush"');
    thrown.detail = 'Key (key_hash)=(hush) already exists.';
    expect(inspect(storeErrorOf(thrown, DATABASE), { depth: 10 })).not.toContain('hush');
  });

  it('passes on our own errors', () => {
    const error = new GatewayError(STORE_ERRORS.STORE_BUSY);
    expect(storeErrorOf(error, DATABASE)).toBe(error);
  });
});

describe('what to do about a failure', () => {
  it('recognizes a lost connection', () => {
    expect(isConnectionLost(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isConnectionLost(serverError('57P01', 'terminating connection', 'FATAL'))).toBe(true);
    expect(isConnectionLost(serverError('0A000', 'cached plan must not change result type'))).toBe(true);
    expect(isConnectionLost(serverError('23505', 'duplicate key'))).toBe(false);
  });

  it('recognizes what is worth another attempt', () => {
    expect(['40001', '40P01', '23505'].map((code) => isContention(serverError(code, '')))).toEqual([
      true,
      true,
      false,
    ]);
    expect(isContention(new Error('40001'))).toBe(false);
  });
});

it('names the database without user, password and options', () => {
  const url = new CredentialUrl('postgres://user:hush@db:5433/x?sslmode=verify-full&password=hush');
  expect(databaseNameOf(url)).toBe('postgres://db:5433/x');
});
