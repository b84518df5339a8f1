/** What every store must do with the audit trail: merge views, and limit its total size. */

import { describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { AuditEvent } from './audit.ts';
import type { Store } from './store.ts';

interface Context {
  store(): Store;
  org(): Ruuid;
  otherOrg(): Ruuid;
}

const EVERYTHING = {
  fromMs: 0,
  toMs: Number.MAX_SAFE_INTEGER,
  includeActions: null,
  excludeActions: [],
  limit: 1_000,
};

export function describeAudit(context: Context): void {
  const row = (action: string, atMs: number, orgUuid = context.org()): AuditEvent => ({
    uuid: newRuuid(),
    orgUuid,
    atMs,
    action,
    principal: { type: 'UNKNOWN', uuid: null, name: 'Sluice', sourceIp: '192.0.2.1', userAgent: null },
    targetUuid: newRuuid(),
    targetName: 'Gate',
  });
  const list = (orgUuid = context.org()) => context.store().audit.list(orgUuid, EVERYTHING);

  describe('the audit trail', () => {
    it('keeps what a row covers, as it grows', async () => {
      const { audit } = context.store();
      const [one, many] = [row('VIEW_SHARE_STREAM', 1_000), row('VIEW_SHARE_STREAM', 2_000)];
      await audit.add([one, many]);
      await audit.repeat([]);
      await audit.repeat([{ uuid: many.uuid, occurrences: 2, lastAtMs: 2_500 }]);
      await audit.repeat([
        { uuid: many.uuid, occurrences: 97_000, lastAtMs: 12_000 },
        { uuid: newRuuid(), occurrences: 5, lastAtMs: 1 },
      ]);
      expect(await list()).toEqual([{ ...many, repeated: { occurrences: 97_000, lastAtMs: 12_000 } }, one]);
    });

    it('is trimmed to its limit: the oldest views first, then the oldest changes', async () => {
      const { audit } = context.store();
      const rows: AuditEvent[] = [];
      for (let i = 0; i < 10; i++) {
        rows.push(
          row('CAMERA_UPDATE', i),
          row('VIEW_SHARE_STREAM', 100 + i),
          row('VIEW_SHARE_STREAM_END', 100 + i),
        );
      }
      await audit.add(rows, 'vital');
      await audit.add([row('VIEW_SHARE_STREAM', 1, context.otherOrg())]);
      const { org } = context;
      expect(await audit.removeExcess(org(), 30, 100)).toBe(0);
      expect(await audit.removeExcess(org(), 24, 4)).toBe(4);
      expect(await audit.removeExcess(org(), 24, 4)).toBe(2);
      expect(await audit.removeExcess(org(), 24, 4)).toBe(0);
      const left = await list();
      expect(left.filter(({ action }) => action === 'CAMERA_UPDATE')).toHaveLength(10);
      expect(left.filter(({ action, atMs }) => action !== 'CAMERA_UPDATE' && atMs < 103)).toEqual([]);
      expect(await audit.removeExcess(org(), 4, 100)).toBe(20);
      expect((await list()).map(({ action, atMs }) => [action, atMs])).toEqual(
        [9, 8, 7, 6].map((atMs) => ['CAMERA_UPDATE', atMs]),
      );
      expect(await list(context.otherOrg())).toHaveLength(1);
    });
  });
}
