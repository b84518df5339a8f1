import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { MIGRATIONS } from './migrations.ts';

it('gives earlier audit rows the names that are used now', () => {
  const db = new DatabaseSync(':memory:');
  for (const { version, sql } of MIGRATIONS) if (version < 12) db.exec(sql);
  db.exec(`insert into organisations (uuid, name, created_at_ms) values ('o', 'Org', 1);
    insert into api_keys (uuid, org_uuid, name, scheme, key_hash, created_at_ms, revoked_at_ms) values
      ('ended', 'o', 'Ended', 'api', 'h1', 1, 50), ('used', 'o', 'Used', 'api', 'h2', 1, null)`);
  const insert = db.prepare(`insert into audit_events (uuid, org_uuid, at_ms, action, principal_type,
    principal_name, target_uuid, target_name) values (?, 'o', ?, ?, 'API_TOKEN', 'Wall', ?, '')`);
  const rows: readonly (readonly [action: string, atMs: number, target: string, now: string])[] = [
    ['SHARE_VIEW', 1, 's', 'VIEW_SHARE_STREAM'],
    ['SHARE_VIEW_END', 2, 's', 'VIEW_SHARE_STREAM_END'],
    ['SHARE_CREATE', 3, 's', 'SHARED_LIVE_VIDEO_STREAM_CREATE'],
    ['SHARE_DELETE', 4, 's', 'SHARED_LIVE_VIDEO_STREAM_DELETE'],
    ['CAMERA_DELETE', 5, 'c', 'DELETE_CAMERA'],
    ['LOCATION_UPDATE', 6, 'l', 'LOCATION_UPDATED'],
    ['SCHEDULE_UPDATE', 7, 't', 'SCHEDULE_UPDATE'],
    ['BADGE_VENDOR_A_INTEGRATION_CREATE', 8, 'b', 'BADGE_VENDOR_A_INTEGRATION_CREATE'],
    ['API_KEY_CREATE', 9, 'ended', 'API_TOKEN_REQUEST'],
    ['API_KEY_UPDATE', 49, 'ended', 'API_TOKEN_UPDATE'],
    ['API_KEY_UPDATE', 51, 'ended', 'API_TOKEN_REVOKE'],
    ['API_KEY_UPDATE', 60, 'used', 'API_TOKEN_UPDATE'],
  ];
  for (const [index, [action, atMs, target]] of rows.entries())
    insert.run(`row-${index}`, atMs, action, target);
  for (const { version, sql } of MIGRATIONS) if (version >= 12) db.exec(sql);
  const found = db.prepare('select action from audit_events order by at_ms').all();
  expect(found.map(({ action }) => action)).toEqual(rows.map(([, , , now]) => now));
  db.close();
});
