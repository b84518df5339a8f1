import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

describe('/api/org/getOrgV2', () => {
  it('tells the organisation of the key', async () => {
    const { uuid, name, createdAtMs } = fixture.own.organisation;
    expect(await fixture.call('/api/org/getOrgV2')).toEqual({
      error: false,
      errorMsg: null,
      warningMsg: null,
      org: { uuid, name, createdAtMillis: createdAtMs },
      featureFlags: {},
      cameraConfigDefaults: {},
      cameraConfigOptions: {},
    });
  });

  it('refuses when the organisation is gone', async () => {
    fixture.store.organisations.find = async () => null;
    expect(await fixture.call('/api/org/getOrgV2')).toMatchObject({ error: true });
  });
});
