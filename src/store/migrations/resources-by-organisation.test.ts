import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { MIGRATIONS } from './migrations.ts';

it('keeps existing resources, and lets two organizations choose one uuid', () => {
  const db = new DatabaseSync(':memory:');
  for (const { version, sql } of MIGRATIONS) if (version < 9) db.exec(sql);
  db.exec(`insert into organisations (uuid, name, created_at_ms) values ('o', 'Org', 1), ('p', 'Other', 1);
    insert into resources values ('r', 'o', 'door', 'Dock', 'nvr', '{"unlockTimeSec":5}', 'sealed', 2, 3)`);
  const before = { ...db.prepare('select * from resources').get() };
  for (const { version, sql } of MIGRATIONS) if (version >= 9) db.exec(sql);
  expect({ ...db.prepare('select * from resources').get() }).toEqual({ ...before, sealed_encrypted: null });
  const again = (orgUuid: string) => () =>
    db.exec(`insert into resources values ('r', '${orgUuid}', 'door', 'Gate', null, '{}', null, 2, 3, null)`);
  expect(again('o')).toThrow(/UNIQUE/);
  expect(again('p')).not.toThrow();
  db.close();
});
