import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import { PAGE_POLICY } from './page-routes.ts';

let door: FrontDoorFixture;
beforeAll(async () => {
  door = await openFrontDoorFixture();
});
afterAll(() => door.close());

/** Paths of the assets named in the page, without the path of the front door. */
async function assetPaths(): Promise<string[]> {
  const { body } = await door.get('/share/x');
  return [...new Set(body.match(/(?<="\/video)\/assets\/[^"]+/g))];
}

describe('the viewer page', () => {
  it('is the same for every share, even for none, and reveals nothing about it', async () => {
    const share = await door.share({ name: 'Secret dock', password: 'Correct horse' });
    const token = door.shareToken(share);
    const [ofShare, ofNone] = [await door.get(`/share/${token}`), await door.get('/share/none')];
    expect([ofShare.statusCode, ofShare.body]).toEqual([200, ofNone.body]);
    expect(ofShare.body).not.toContain(token);
    expect(ofShare.body).not.toContain('Secret dock');
  });

  it('under a link that this gateway did not make is 404; for a deleted share it reveals nothing', async () => {
    const share = await door.share();
    const token = door.shareToken(share);
    await door.sharing.shares.remove(door.sharing.orgUuid, share.uuid);
    expect((await door.get(`/share/${token}`)).statusCode).toBe(200);
    const cut = token.slice(0, -1);
    for (const wrong of ['x', cut, `${token}A`, `${cut}${token.endsWith('A') ? 'B' : 'A'}`, 'A'.repeat(38)]) {
      const page = await door.get(`/share/${wrong}`);
      expect([wrong, page.statusCode, page.headers['content-type']]).toEqual([
        wrong,
        404,
        'text/html; charset=utf-8',
      ]);
      const opened = await door.inject({ method: 'POST', url: `/share/${wrong}/open`, payload: {} });
      expect([wrong, opened.statusCode, opened.json().reason]).toEqual([wrong, 404, 'unknown']);
    }
  });

  it('may run and load its own files, and be embedded by anyone', async () => {
    const page = await door.get('/share/x');
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PAGE_POLICY,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
    });
    expect(page.headers['x-frame-options']).toBeUndefined();
    const directives = new Map(PAGE_POLICY.split('; ').map((text) => [text.split(' ')[0], text]));
    expect(directives.get('default-src')).toBe("default-src 'none'");
    expect(directives.get('script-src')).toBe("script-src 'self'");
    expect(PAGE_POLICY).not.toMatch(/unsafe|https?:/);
  });

  it('follows its policy: no inline script or style, nothing from other origins', async () => {
    const { body } = await door.get('/share/x');
    expect(body).not.toMatch(/<script(?![^>]*\ssrc=)/);
    expect(body).not.toMatch(/<style|\sstyle=|\son\w+=/);
    expect(body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(body).not.toContain('{{');
  });

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br; q=0.000, gzip;q=0', undefined],
    ['BR', 'br'],
    ['br;q=0.1', 'br'],
    ['brotli', undefined],
  ])('for Accept-Encoding %j is sent as %j', async (acceptEncoding, coding) => {
    const plain = (await door.get('/share/x')).rawPayload;
    const page = await door.get(
      '/share/x',
      acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
    );
    expect(page.headers['content-encoding']).toBe(coding);
    const decoders = { br: brotliDecompressSync, gzip: gunzipSync, none: (bytes: Buffer) => bytes };
    const decode = decoders[(coding ?? 'none') as keyof typeof decoders];
    expect(decode(page.rawPayload)).toEqual(plain);
  });
});

describe('assets', () => {
  it('that the page names exist, and are cacheable forever', async () => {
    const paths = await assetPaths();
    expect(paths.length).toBeGreaterThan(8);
    for (const path of paths) {
      const asset = await door.get(path);
      expect([path, asset.statusCode]).toEqual([path, 200]);
      expect(asset.headers).toMatchObject({
        'content-type': path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
      });
    }
  });
});
