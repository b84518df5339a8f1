import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { AuditEvent } from '../store/audit.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { AUDIT_PAGE_EVENTS, AuditFeed, displayText } from './audit-feed.ts';

const everything = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, includeActions: null, excludeActions: [] };

let store: Store;
let orgUuid: Ruuid;

beforeEach(async () => {
  store = await openTestStore(new FakeClock());
  const organization = sampleOrganization();
  await store.organizations.save(organization);
  orgUuid = organization.uuid;
});
afterEach(() => store.close());

const updateAt = (atMs: number): AuditEvent => ({
  uuid: newRuuid(),
  orgUuid,
  atMs,
  action: 'DEVICE_UPDATE',
  principal: { type: 'UNKNOWN', uuid: null, name: '', sourceIp: null, userAgent: null },
  targetUuid: newRuuid(),
  targetName: 'Dock',
});

async function write(events: readonly AuditEvent[]): Promise<void> {
  for (let i = 0; i < events.length; i += 1_000) await store.audit.add(events.slice(i, i + 1_000));
}

describe('AuditFeed', () => {
  it('waits for what is still being written', async () => {
    const event = updateAt(5);
    const feed = new AuditFeed({ store, audit: { settled: () => write([event]) } });
    expect(await feed.page(orgUuid, everything)).toMatchObject({
      events: [{ uuid: event.uuid }],
      isMore: false,
    });
  });

  it('ends a page before a millisecond that does not fit, and returns a single one whole', async () => {
    const fits = AUDIT_PAGE_EVENTS - 1;
    await write([
      ...Array.from({ length: fits }, (_, index) => updateAt(10 + index)),
      ...Array.from({ length: AUDIT_PAGE_EVENTS + 2 }, () => updateAt(9)),
      updateAt(8),
    ]);
    const feed = new AuditFeed({ store, audit: { settled: () => Promise.resolve() } });
    const first = await feed.page(orgUuid, everything);
    expect([first.events.length, first.isMore]).toEqual([fits, true]);
    const second = await feed.page(orgUuid, { ...everything, toMs: first.events.at(-1)!.atMs });
    expect([second.events.length, second.isMore]).toEqual([AUDIT_PAGE_EVENTS + 2, true]);
    const last = await feed.page(orgUuid, { ...everything, toMs: 9 });
    expect([last.events.length, last.isMore]).toEqual([1, false]);
  });

  it('describes an action in words, with the name of its target', () => {
    expect(displayText({ action: 'DEVICE_UPDATE', targetName: 'Front desk' })).toBe(
      'Device update: Front desk',
    );
    expect(displayText({ action: 'ORG_UPDATE', targetName: '' })).toBe('Org update');
  });
});
