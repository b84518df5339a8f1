/** The audit trail's contract for every store: merge views, and limit its total size. */

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

    it('is listed by who did what to which target, from where, and from a row on', async () => {
      const { audit } = context.store();
      const key = newRuuid();
      const by = (event: AuditEvent, sourceIp: string): AuditEvent => ({
        ...event,
        principal: { ...event.principal, type: 'API_TOKEN', uuid: key, sourceIp },
      });
      const rows = [1, 1, 1, 2].map((atMs) => row('DEVICE_UPDATE', atMs));
      const mine = by(row('DEVICE_UPDATE', 3), '192.0.2.7');
      await audit.add([...rows, mine, by(row('DEVICE_UPDATE', 4, context.otherOrg()), '192.0.2.7')]);
      const { org } = context;
      const listed = (wanted: object) => audit.list(org(), { ...EVERYTHING, ...wanted });
      expect(await listed({ principalUuid: key })).toEqual([mine]);
      expect(await listed({ sourceIp: '192.0.2.7' })).toEqual([mine]);
      expect(await listed({ targetUuid: rows[3]!.targetUuid })).toEqual([rows[3]]);
      expect(await listed({ targetUuid: mine.targetUuid, sourceIp: '192.0.2.1' })).toEqual([]);
      const all = await listed({});
      expect(all).toHaveLength(5);
      for (const [index, { atMs, uuid }] of all.entries()) {
        expect(await listed({ after: { atMs, uuid } })).toEqual(all.slice(index + 1));
      }
    });

    it('removes what devices reported before what people did, whichever is older', async () => {
      const { audit } = context.store();
      const reported = [5, 6, 7].map((atMs): AuditEvent => {
        const event = row('POLICY_ALERT_CREATE', atMs);
        return { ...event, principal: { ...event.principal, type: 'DEVICE' } };
      });
      const changed = [1, 2].map((atMs) => row('DEVICE_UPDATE', atMs));
      await audit.add([...reported, ...changed]);
      expect(await audit.removeExcess(context.org(), 3, 100)).toBe(2);
      expect((await list()).map(({ atMs }) => atMs)).toEqual([7, 2, 1]);
      expect(await audit.removeExcess(context.org(), 1, 100)).toBe(2);
      expect((await list()).map(({ atMs }) => atMs)).toEqual([2]);
    });

    it('says when shares were last viewed', async () => {
      const { audit } = context.store();
      const { org } = context;
      const of = (targetUuid: Ruuid, action: string, atMs: number): AuditEvent => ({
        ...row(action, atMs),
        targetUuid,
      });
      const [left, grown, changed, many, never] = [0, 1, 2, 3, 4].map(() => newRuuid()) as Ruuid[];
      const older = of(grown!, 'VIEW_SHARE_VIDEOWALL', 1_000);
      await audit.add([
        of(left!, 'VIEW_SHARE_STREAM', 1_000),
        of(left!, 'VIEW_SHARE_STREAM_END', 3_000),
        older,
        of(grown!, 'VIEW_SHARE_VIDEOWALL', 2_000),
        of(changed!, 'VIEW_SHARE_CLIP', 5_000),
        of(changed!, 'SHARED_LIVE_VIDEO_STREAM_UPDATE', 6_000),
        ...Array.from({ length: 30 }, (_, i) => of(many!, 'VIEW_SHARE_STREAM', i)),
        { ...of(left!, 'VIEW_SHARE_STREAM', 9_000), orgUuid: context.otherOrg() },
      ]);
      await audit.repeat([{ uuid: older.uuid, occurrences: 9, lastAtMs: 4_000 }]);
      const others = Array.from({ length: 120 }, () => newRuuid());
      const requested = [left!, ...others, grown!, changed!, many!, never!];
      expect(await audit.lastViewed(org(), requested)).toEqual(
        new Map([
          [left, 3_000],
          [grown, 4_000],
          [changed, 5_000],
          [many, 29],
        ]),
      );
      expect(await audit.lastViewed(org(), [])).toEqual(new Map());
    });

    it('says who created which link, as far as it remembers', async () => {
      const { audit } = context.store();
      const [ada, bob] = [
        { uuid: newRuuid(), name: 'Ada' },
        { uuid: newRuuid(), name: 'Bob' },
      ];
      const by = (event: AuditEvent, { uuid, name }: { uuid: Ruuid; name: string }): AuditEvent => ({
        ...event,
        principal: { ...event.principal, uuid, name },
      });
      const created = by(row('SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE', 1), ada);
      const made: AuditEvent = { ...created, principal: { ...created.principal, type: 'USER' } };
      const wall = by(row('SHARED_VIDEOWALL_WITH_PASSWORD_CREATE', 2), bob);
      const changed = by(row('SHARED_LIVE_VIDEO_STREAM_UPDATE', 3), bob);
      const nobodys = row('SHARED_CLIP_CREATE', 4);
      const unknown = { ...nobodys, principal: { ...nobodys.principal, uuid: null } };
      const foreign = by(row('SHARED_CLIP_CREATE', 5, context.otherOrg()), ada);
      await audit.add([made, wall, changed, unknown, foreign]);
      const targets = [made, wall, changed, unknown, foreign].map(({ targetUuid }) => targetUuid);
      expect(await audit.creatorsOf(context.org(), targets)).toEqual(
        new Map([
          [made.targetUuid, { ...ada, isPerson: true }],
          [wall.targetUuid, { ...bob, isPerson: false }],
        ]),
      );
      expect(await audit.creators(context.org())).toEqual([ada, bob]);
      expect(await audit.createdBy(context.org(), ada.uuid)).toEqual(new Set([made.targetUuid]));
      expect(await audit.createdBy(context.org(), newRuuid())).toEqual(new Set());
    });

    it('knows the camera of a view by a link, whether or not the link is still there', async () => {
      const { audit } = context.store();
      const [camera, other] = [newRuuid(), newRuuid()];
      const viewed = { ...row('VIEW_SHARE_STREAM', 3), deviceUuid: camera };
      const elsewhere = { ...row('VIEW_SHARE_STREAM', 2), deviceUuid: other };
      const foreign = { ...row('VIEW_SHARE_STREAM', 1, context.otherOrg()), deviceUuid: camera };
      await audit.add([viewed, elsewhere, foreign, row('CAMERA_UPDATE', 4)]);
      const of = (deviceUuids: Ruuid[]) =>
        audit.list(context.org(), { ...EVERYTHING, targets: { deviceUuids, uuids: [] } });
      expect(await of([camera])).toEqual([viewed]);
      expect(await of([camera, other])).toEqual([viewed, elsewhere]);
      expect(await of([])).toEqual([]);
    });

    it('knows what a wall or a clip showed, after others of its rows do not say so', async () => {
      const { audit } = context.store();
      const [camera, other] = [newRuuid(), newRuuid()];
      const footage = [
        { deviceUuid: camera, time: { fromMs: 10, toMs: 20 } },
        { deviceUuid: other, time: null },
      ];
      const shown = { ...row('VIEW_SHARE_VIDEOWALL', 1), footage };
      const gone = { ...row('SHARED_CLIP_DELETE', 2), targetUuid: shown.targetUuid };
      const foreign = { ...row('VIEW_SHARE_VIDEOWALL', 3, context.otherOrg()), footage };
      await audit.add([shown, gone, foreign]);
      expect(await audit.lastFootageOf(context.org(), shown.targetUuid)).toEqual(footage);
      expect(await audit.lastFootageOf(context.org(), foreign.targetUuid)).toBeNull();
      const showing = (cameras: Ruuid[]) => audit.list(context.org(), { ...EVERYTHING, showing: cameras });
      expect(await showing([other])).toEqual([shown]);
      expect(await showing([camera, newRuuid()])).toEqual([shown]);
      expect(await showing([newRuuid()])).toEqual([]);
      expect(await showing([])).toEqual([]);
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
