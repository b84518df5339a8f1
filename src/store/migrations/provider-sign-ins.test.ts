import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { MIGRATIONS } from './migrations.ts';

it('ends console sessions that began at the provider, and keeps the others', () => {
  const db = new DatabaseSync(':memory:');
  for (const { version, sql } of MIGRATIONS) if (version < 24) db.exec(sql);
  db.exec(`insert into organisations (uuid, name, created_at_ms) values ('o', 'Org', 1);
    insert into people (uuid, org_uuid, name, role, disabled, created_at_ms) values ('p', 'o', 'Ada', 'admin', 0, 1)`);
  const insert = db.prepare(`insert into console_sessions
    (uuid, org_uuid, person_uuid, token_hash, address, created_at_ms, last_seen_at_ms, method)
    values (?, 'o', 'p', ?, '192.0.2.1', 1, 2, ?)`);
  for (const method of ['password', 'oidc', 'passkey']) insert.run(method, method, method);
  for (const { version, sql } of MIGRATIONS) if (version >= 24) db.exec(sql);
  expect(db.prepare('select uuid, provider_session_uuid as provider from console_sessions').all()).toEqual([
    { uuid: 'password', provider: null },
    { uuid: 'passkey', provider: null },
  ]);
  db.close();
});
