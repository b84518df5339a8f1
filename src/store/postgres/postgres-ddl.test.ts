import { expect, it } from 'vitest';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { postgresDdl } from './postgres-ddl.ts';

it.each([
  ['at_ms integer not null', 'at_ms bigint not null'],
  ['latitude real', 'latitude double precision'],
  ['uuid text primary key', 'uuid text collate "C" primary key'],
  ["check (kind in ('text', 'it''s integer'))", "check (kind in ('text', 'it''s integer'))"],
  ['create table t (a integer) strict;', 'create table t (a bigint);'],
  ['create table t (a integer) strict, without rowid;', 'create table t (a bigint);'],
  ['context_text_id integer', 'context_text_id bigint'],
])('%s', (sqlite, postgres) => {
  expect(postgresDdl(sqlite)).toBe(postgres);
});

it('leaves nothing of SQLite in any migration', () => {
  for (const { sql } of MIGRATIONS) expect(postgresDdl(sql)).not.toMatch(/\b(strict|rowid|integer|real)\b/);
});
