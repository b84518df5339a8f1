import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
  for (const name of ['First', 'Second', 'Third']) {
    await fixture.call('/api/org/updateDetails', { name });
  }
});
afterEach(() => fixture.close());

const actionsOf = (response: Record<string, unknown>) =>
  (response.auditEvents as { action: string }[]).map(({ action }) => action);

describe.each([
  ['/api/report/getAuditFeedForPrincipal', 'principalUuid', () => fixture.own.key.uuid],
  ['/api/report/getAuditFeedForTarget', 'targetUuid', () => fixture.own.organization.uuid],
] as const)('%s', (path, field, uuid) => {
  it('lists the newest entries, and says if there are more', async () => {
    const all = await fixture.call(path, { [field]: uuid() });
    expect(actionsOf(all)).toHaveLength(3);
    expect(all.warningMsg).toBeUndefined();
    const some = await fixture.call(path, { [field]: uuid(), maxResults: 2 });
    expect(some.auditEvents).toEqual((all.auditEvents as object[]).slice(0, 2));
    expect(some.warningMsg).toContain('There are older entries');
  });

  it('lists nothing of others, of another organization, or to a viewer that it must not see', async () => {
    expect(actionsOf(await fixture.call(path, { [field]: newRuuid() }))).toEqual([]);
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect(actionsOf(await fixture.call(path, { [field]: uuid() }, foreign))).toEqual([]);
    const viewer = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'viewer' });
    const { auditEvents } = await fixture.call(path, { [field]: uuid() }, { 'x-auth-apikey': viewer });
    for (const event of auditEvents as object[]) expect(event).toMatchObject({ sourceIp: '', userAgent: '' });
    expect(await fixture.call(path, {})).toMatchObject({ errorMsg: `${field} is required.` });
  });
});
