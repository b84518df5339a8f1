import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';

const DOCUMENT = '/api/openapi/public.json';

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await openApiFixture();
});
afterAll(() => fixture.close());

const get = (url: string, headers: Record<string, string> = {}) =>
  fixture.api.inject({ method: 'GET', url, headers });

describe('the document', () => {
  it('can be cached, and read by pages of any origin', async () => {
    const response = await get(DOCUMENT);
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      vary: 'accept-encoding',
      'access-control-allow-origin': '*',
    });
    expect(response.headers).not.toHaveProperty('content-encoding');
    expect(response.json()).toMatchObject({ openapi: '3.1.0' });
  });

  it('is compressed for clients that accept gzip, and then reads the same', async () => {
    const [plain, compressed] = [await get(DOCUMENT), await get(DOCUMENT, { 'accept-encoding': 'gzip, br' })];
    expect(compressed.headers['content-encoding']).toBe('gzip');
    expect(compressed.headers.etag).not.toBe(plain.headers.etag);
    expect(gunzipSync(compressed.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(compressed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
    const refused = await get(DOCUMENT, { 'accept-encoding': 'gzip;q=0' });
    expect(refused.headers).not.toHaveProperty('content-encoding');
  });

  it('is not sent again to clients that have it', async () => {
    for (const encoding of ['identity', 'gzip']) {
      const etag = String((await get(DOCUMENT, { 'accept-encoding': encoding })).headers.etag);
      for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const response = await get(DOCUMENT, { 'accept-encoding': encoding, 'if-none-match': header });
        expect([header, response.statusCode, response.body]).toEqual([header, 304, '']);
        expect(response.headers).toMatchObject({ etag, 'cache-control': 'public, max-age=3600' });
      }
      const other = await get(DOCUMENT, { 'accept-encoding': encoding, 'if-none-match': '"other"' });
      expect(other.statusCode).toBe(200);
    }
  });

  it('in one encoding does not count as the document in another', async () => {
    const etag = String((await get(DOCUMENT)).headers.etag);
    const response = await get(DOCUMENT, { 'accept-encoding': 'gzip', 'if-none-match': etag });
    expect(response.statusCode).toBe(200);
  });

  it('responds to HEAD with the headers of GET', async () => {
    const response = await fixture.api.inject({ method: 'HEAD', url: DOCUMENT });
    expect([response.statusCode, response.body]).toEqual([200, '']);
    expect(response.headers.etag).toBe((await get(DOCUMENT)).headers.etag);
  });
});

describe('the page', () => {
  it('has our name and our icon', async () => {
    const page = await get('/api/openapi/');
    expect(page.body).toContain('<title>Sluice management API</title>');
    expect(page.body).not.toMatch(/swagger\.io|favicon-32x32/);
    const icon = await get('/api/openapi/static/theme/favicon.svg');
    expect([icon.statusCode, icon.headers['content-type']]).toEqual([200, 'image/svg+xml']);
    const script = (await get('/api/openapi/static/swagger-initializer.js')).body;
    const [, logo = ''] = /data:image\/svg\+xml;base64,([\w+/=]+)/.exec(script) ?? [];
    expect(Buffer.from(logo, 'base64').toString()).toContain('<title>Sluice</title>');
  });

  it('has a filter and loads the document from the cache', async () => {
    const script = (await get('/api/openapi/static/swagger-initializer.js')).body;
    expect(script).toMatch(/"filter":\s*true/);
    expect(script).toContain("resolveUrl('./json')");
    const [document, ofPage] = [await get(DOCUMENT), await get('/api/openapi/json')];
    expect(ofPage.headers.etag).toBe(document.headers.etag);
    expect(ofPage.rawPayload.equals(document.rawPayload)).toBe(true);
  });
});
