import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Migration } from '../migrations/migration.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { APPLICATION_ID, migrate } from './open-database.ts';

const NEWEST = MIGRATIONS.at(-1)!.version;

const NEXT: Migration = {
  version: NEWEST + 1,
  name: 'flags',
  sql: 'alter table nvrs add column flags integer not null default 0',
};

function versionOf(db: DatabaseSync): unknown {
  return db.prepare('pragma user_version').get()?.user_version;
}

describe('migrate', () => {
  it('numbers migrations from 1 without gaps', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, i) => i + 1));
  });

  it('marks a new database as ours and records what it did', () => {
    const db = new DatabaseSync(':memory:');
    migrate(db, MIGRATIONS, 1_234);
    expect(versionOf(db)).toBe(NEWEST);
    expect(db.prepare('pragma application_id').get()?.application_id).toBe(APPLICATION_ID);
    expect({ ...db.prepare('select * from schema_history').get() }).toEqual({
      version: 1,
      name: 'initial schema',
      applied_at_ms: 1_234,
    });
  });

  it.each(MIGRATIONS.map(({ version }) => version))(
    'upgrades a database of version %i with its rows',
    (version) => {
      const db = new DatabaseSync(':memory:');
      migrate(
        db,
        MIGRATIONS.filter((each) => each.version <= version),
        1,
      );
      db.exec(
        "insert into organisations (uuid, name, partner_uuid, created_at_ms) values ('org', 'Harbour', null, 1)",
      );
      db.exec(
        "insert into nvrs (uuid, org_uuid, name, created_at_ms, mummified) values ('nvr', 'org', 'Core', 1, 0)",
      );
      migrate(db, [...MIGRATIONS, NEXT], 2);
      expect(versionOf(db)).toBe(NEXT.version);
      expect(db.prepare('select name, flags from nvrs').get()).toMatchObject({ name: 'Core', flags: 0 });
    },
  );

  it('does nothing the second time', () => {
    const db = new DatabaseSync(':memory:');
    migrate(db, MIGRATIONS, 1);
    migrate(db, MIGRATIONS, 2);
    expect(db.prepare('select count(*) as n from schema_history').get()?.n).toBe(MIGRATIONS.length);
  });

  it('leaves nothing of a migration that fails halfway', () => {
    const db = new DatabaseSync(':memory:');
    migrate(db, MIGRATIONS, 1);
    const broken = { ...NEXT, sql: `${NEXT.sql}; create table cameras (uuid text)` };
    expect(() => migrate(db, [...MIGRATIONS, broken], 2)).toThrow(/already exists/);
    expect(versionOf(db)).toBe(NEWEST);
    expect(() => db.prepare('select flags from nvrs')).toThrow(/no such column/);
    migrate(db, [...MIGRATIONS, NEXT], 3);
    expect(versionOf(db)).toBe(NEXT.version);
  });

  it('refuses a database newer than the code', () => {
    const db = new DatabaseSync(':memory:');
    migrate(db, [...MIGRATIONS, NEXT], 1);
    expect(() => migrate(db, MIGRATIONS, 2)).toThrow(
      expect.objectContaining({
        code: 'STORE_TOO_NEW',
        context: { databaseVersion: NEXT.version, supportedVersion: NEWEST },
      }),
    );
  });
});
