import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { MIGRATIONS } from './migrations.ts';

it('keeps existing schedules when their table is created again', () => {
  const db = new DatabaseSync(':memory:');
  for (const { version, sql } of MIGRATIONS) if (version < 5) db.exec(sql);
  db.exec(`insert into organisations (uuid, name, created_at_ms) values ('o', 'Org', 1);
    insert into schedules values ('s', 'o', 'Day', 1, 0, 'ABSOLUTE_SECONDS', '[]', 2, 3)`);
  const before = { ...db.prepare('select * from schedules').get() };
  for (const { version, sql } of MIGRATIONS) if (version >= 5) db.exec(sql);
  expect({ ...db.prepare('select * from schedules').get() }).toEqual(before);
  db.exec(`insert into schedules values ('r', 'o', 'R', 0, 0, 'REALTIME_RELATIVE_SECONDS', '[60]', 2, 3)`);
  expect(() => {
    db.exec(`insert into schedules values ('x', 'o', 'X', 0, 0, 'NEVER', '[]', 2, 3)`);
  }).toThrow(/CHECK/);
  db.close();
});
