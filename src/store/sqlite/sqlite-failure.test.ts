import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { storeErrorOf, wireFailureOf } from './sqlite-failure.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-sqlite-failure-'));
afterAll(() => rmSync(folder, { recursive: true }));

function failureOf(act: () => void) {
  try {
    act();
  } catch (error) {
    return wireFailureOf(error);
  }
  throw new Error('nothing failed');
}

describe('wireFailureOf', () => {
  it('recognizes a full disk', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table t (body text); pragma max_page_count = 2');
    const failure = failureOf(() => db.exec('insert into t values (zeroblob(100000))'));
    expect(failure.code).toBe('STORE_DISK_FULL');
  });

  it('recognizes a read-only database', () => {
    const path = join(folder, 'read-only.db');
    new DatabaseSync(path).exec('create table t (body text)');
    const db = new DatabaseSync(path, { readOnly: true });
    expect(failureOf(() => db.exec("insert into t values ('x')")).code).toBe('STORE_READ_ONLY');
  });

  it('recognizes broken uniqueness and broken references', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table a (id text primary key) strict; create table b (a text references a (id))');
    db.exec("insert into a values ('1')");
    expect(failureOf(() => db.exec("insert into a values ('1')")).code).toBe('STORE_DUPLICATE');
    expect(failureOf(() => db.exec("insert into b values ('2')")).code).toBe('STORE_REFERENCE');
  });

  it.each([
    ['ENOSPC', 'STORE_DISK_FULL'],
    ['EROFS', 'STORE_READ_ONLY'],
    ['EACCES', 'STORE_CANNOT_OPEN'],
    ['EIO', 'STORE_IO'],
  ])('recognizes the system error %s', (systemError, code) => {
    const error = Object.assign(new Error(systemError), { code: systemError, syscall: 'open' });
    expect(wireFailureOf(error)).toMatchObject({ code, context: { systemError } });
  });

  it('reports anything else as a refused statement with its cause', () => {
    const db = new DatabaseSync(':memory:');
    const failure = failureOf(() => db.exec('select nonsense'));
    const error = storeErrorOf(failure, '/data/sluice.db');
    expect(error).toMatchObject({ code: 'STORE_QUERY', context: { path: '/data/sluice.db', resultCode: 1 } });
    expect(error.cause).toMatchObject({ message: expect.stringContaining('nonsense') });
  });
});
