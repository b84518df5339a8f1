import { beforeEach, expect, it } from 'vitest';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { AuditEvent } from '../store/audit.ts';
import { AuditedTalks } from './audited-talks.ts';

const [OWN, OTHER] = [newRuuid(), newRuuid()];

let isAway: boolean;
let written: unknown[];
let nowMs: number;
let ends: number;
let room: Pool<typeof LIMITS.auditWaiting>;
let talks: AuditedTalks;
beforeEach(() => {
  [isAway, written, nowMs, ends] = [false, [], 1_000, 0];
  room = new Pool(LIMITS.auditWaiting, 8);
  const store = async (rows: readonly object[]) => {
    if (isAway) throw new Error('away');
    written.push(...rows);
  };
  talks = new AuditedTalks({
    rows: { add: store, repeat: store },
    room,
    nowEpochMs: () => nowMs,
    log: silentLog,
    onEnd: () => void ends++,
  });
});

const talk = (orgUuid: Ruuid): AuditEvent => ({
  uuid: newRuuid(),
  orgUuid,
  atMs: nowMs,
  action: 'TALK_CAMERA',
  principal: { type: 'USER', uuid: newRuuid(), name: 'Ann', sourceIp: null, userAgent: null },
  targetUuid: newRuuid(),
  targetName: 'Gate',
});

it('stores each talk as one row, with its end', async () => {
  const row = talk(OWN);
  const stored = await talks.begin(row);
  expect([written, room.used]).toEqual([[row], 1]);
  nowMs = 9_000;
  stored!.end();
  expect([ends, talks.waiting]).toEqual([1, 1]);
  await Promise.all([talks.writeEnds(), talks.writeEnds()]);
  expect(written.slice(1)).toEqual([{ uuid: row.uuid, occurrences: 1, lastAtMs: 9_000 }]);
  expect([talks.waiting, room.used]).toEqual([0, 0]);
});

it('lets no one talk while the store takes no row', async () => {
  isAway = true;
  expect([await talks.begin(talk(OWN)), room.used]).toEqual([null, 0]);
});

it('keeps an end that cannot be written, with its time', async () => {
  const stored = await talks.begin(talk(OWN));
  isAway = true;
  nowMs = 9_000;
  stored!.end();
  await talks.writeEnds();
  expect([talks.waiting, room.used]).toEqual([1, 1]);
  [isAway, nowMs] = [false, 50_000];
  await talks.writeEnds();
  expect(written.at(-1)).toMatchObject({ lastAtMs: 9_000 });
  expect(room.used).toBe(0);
});

it('leaves room for talks of other organizations, whatever ends one organization waits to write', async () => {
  const begin = (orgUuid: Ruuid) => talks.begin(talk(orgUuid));
  const own = [];
  for (let at = 0; at < 6; at++) own.push(await begin(OWN));
  expect(own.filter((stored) => stored === null).length).toBeGreaterThan(0);
  expect(await begin(OTHER)).not.toBeNull();
});
