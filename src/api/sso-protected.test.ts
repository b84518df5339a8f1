import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';
import { ENDPOINTS } from './endpoints.ts';

/** Make links, or change them. */
const LINK_CALLS = ENDPOINTS.filter(({ path }) => /\/(?:create|update|bulkUpdate)\w*Shared/.test(path));
/** Calls about cameras' links. */
const CAN_PROTECT = [
  '/api/camera/createProtectedSharedLiveVideoStream',
  '/api/camera/createSharedLiveVideoStream',
  '/api/camera/updateSharedLiveVideoStream',
];

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await openApiFixture();
});
afterAll(() => fixture.close());

describe('ssoProtected', () => {
  it('is a field of every call that makes or changes links, so that none ignores it', () => {
    const silent = LINK_CALLS.filter(({ requestSchema }) => !('ssoProtected' in requestSchema.properties));
    expect(silent.map(({ path }) => path)).toEqual([]);
    expect(LINK_CALLS.length).toBeGreaterThanOrEqual(11);
  });

  it.each(LINK_CALLS.map(({ path }) => path).filter((path) => !CAN_PROTECT.includes(path)))(
    '%s refuses it before it makes or changes anything',
    async (path) => {
      const { example } = LINK_CALLS.find((endpoint) => endpoint.path === path)!;
      const refused = await fixture.call(path, { ...example.request, ssoProtected: true });
      expect(refused).toEqual({ error: true, errorMsg: expect.stringMatching(/^ssoProtected: /) });
      const { errorMsg } = await fixture.call(path, { ...example.request, ssoProtected: false });
      expect(errorMsg ?? '').not.toContain('ssoProtected');
    },
  );

  it('is a rule of calls about links: elsewhere it is unknown, like any other field', async () => {
    const response = await fixture.call('/api/location/getLocationsV2', { ssoProtected: true });
    expect(response).toMatchObject({
      error: false,
      warningMsg: 'Unknown fields are ignored: ssoProtected.',
    });
  });
});
