import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { MIGRATIONS } from './migrations.ts';

it('records in earlier crossings when their object last crossed', () => {
  const db = new DatabaseSync(':memory:');
  for (const { version, sql } of MIGRATIONS) if (version < 7) db.exec(sql);
  db.exec(`insert into organisations (uuid, name, created_at_ms) values ('o', 'Org', 1);
    insert into reporting_devices values (1, 'o', 'd', ''), (2, 'o', 'e', '');
    insert into crossings (device_key, event_id, at_ms, object_type, direction, object_id) values
      (1, 'late', 30, 0, 0, 7), (1, 'first', 10, 0, 0, 7), (1, 'second', 20, 0, 0, 7), (1, 'twin', 20, 0, 0, 7),
      (1, 'out', 25, 0, 1, 7), (1, 'car', 25, 1, 0, 7), (2, 'elsewhere', 25, 0, 0, 7)`);
  for (const { version, sql } of MIGRATIONS) if (version >= 7) db.exec(sql);
  const rows = db
    .prepare('select event_id, previous_at_ms from crossings order by device_key, event_id')
    .all();
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { event_id: 'car', previous_at_ms: -1 },
    { event_id: 'first', previous_at_ms: -1 },
    { event_id: 'late', previous_at_ms: 20 },
    { event_id: 'out', previous_at_ms: -1 },
    { event_id: 'second', previous_at_ms: 10 },
    { event_id: 'twin', previous_at_ms: 20 },
    { event_id: 'elsewhere', previous_at_ms: -1 },
  ]);
  db.close();
});
