import type { InjectOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { GRANT_CHARS, Grants } from '../sharing/grant.ts';
import { ShareTokens } from '../sharing/share-token.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from './front-door-fixture.ts';

let door: FrontDoorFixture;
beforeEach(async () => {
  door = await openFrontDoorFixture();
});
afterEach(() => door.close());

const ROUTE_LINE = /^((?:[│ ] {3})*)[├└]── (\S*) \((.+)\)$/;

/** The router's own routes, from the tree it prints: `GET /path`. */
function routesOfRouter(): string[] {
  const above: string[] = [];
  return door.app
    .printRoutes({ commonPrefix: false })
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', segment = '', methods = ''] = ROUTE_LINE.exec(line) ?? [];
      const depth = indent.length / 4;
      above.length = depth;
      above.push(segment);
      return methods.split(', ').map((method) => `${method} ${above.join('')}`);
    });
}

// The compiler takes the names of what `decorate` adds for granted.
it('has what the metrics read', () => {
  const { mediaResponses, waitingRoom, pictureSockets, pastBudget, connectionTable } = door.app;
  expect(mediaResponses.size).toBe(0);
  for (const part of [waitingRoom, pictureSockets, pastBudget, connectionTable]) expect(part).toBeDefined();
});

describe('security.txt', () => {
  const PATH = '/.well-known/security.txt';

  it('names the contact until it expires (RFC 9116)', async () => {
    const securityText = {
      contact: ['mailto:security@example.com', 'https://example.com/report'],
      expiresEpochMs: Date.UTC(2026, 0, 2),
      policy: 'https://example.com/policy',
    };
    const own = await openFrontDoorFixture({ securityText });
    const found = await own.get(PATH);
    expect([found.statusCode, found.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(found.body.split('\n')).toEqual([
      'Contact: mailto:security@example.com',
      'Contact: https://example.com/report',
      'Expires: 2026-01-02T00:00:00Z',
      'Policy: https://example.com/policy',
      '',
    ]);
    own.sharing.clock.advance(86_400_000);
    expect((await own.get(PATH)).statusCode).toBe(404);
    await own.close();
  });

  it('does not exist unless it is configured', async () => {
    expect((await door.get(PATH)).statusCode).toBe(404);
  });
});

describe('routes', () => {
  it('all declare who may call them: the router knows no others', () => {
    // The router prints the route for all paths without its slash.
    const declared = door.app.declaredRoutes.map(
      ({ method, path }) => `${method} ${path.replace('/*', '*')}`,
    );
    expect(declared.length).toBeGreaterThan(20);
    expect(routesOfRouter().sort()).toEqual(declared.sort());
  });

  it('serve nothing from a share to the public', () => {
    const publicPaths = door.app.declaredRoutes.filter(({ access }) => access === 'public');
    expect([...new Set(publicPaths.map(({ path }) => path))].sort()).toEqual([
      '/*',
      '/.well-known/security.txt',
      '/assets/:name',
      '/clips/:token',
      '/healthz',
      '/preview',
      '/preview/wall',
      '/readyz',
      '/share/:token',
      '/wall/:token',
    ]);
  });

  it.each([
    ['garbage', 'x'],
    ['nothing', ''],
    ['of the right length', 'A'.repeat(GRANT_CHARS)],
    ['a grant of another gateway', new Grants(Buffer.alloc(32, 9)).issue(newRuuid(), 1, 4e9)],
    ['a link of another gateway', new ShareTokens(Buffer.alloc(32, 9)).tokenOf(newRuuid())],
    ['the path of the page', '..%2fshare'],
  ])('that have an access rule all refuse %s, whatever the method', async (_name, shown) => {
    door.camera.start();
    const ruled = door.app.declaredRoutes.filter(
      ({ access }) => access !== 'public' && access !== 'credentials',
    );
    expect(ruled.length).toBeGreaterThan(15);
    for (const { method, path, access } of ruled) {
      // A path that ended gets the same response as one that never existed.
      const reason = access === 'shared-path' ? 'not-found' : 'unknown';
      const url = path.replace(/:grant|:token|:signature/, shown).replace(':name', 'seg_0.0.m4v');
      const response = await door.inject({ method: method as 'GET', url });
      expect([method, path, response.statusCode]).toEqual([method, path, 404]);
      expect(response.headers['access-control-allow-origin']).toBe('*');
      if (method !== 'HEAD') expect(response.json()).toMatchObject({ error: true, reason });
    }
    expect(door.sharing.sessions.size).toBe(0);
  });

  it('that require credentials accept neither grants nor links', async () => {
    door.camera.start();
    const share = await door.share();
    const token = door.shareToken(share);
    const grant = (await door.openShare(share)).split('/')[2]!;
    const ruled = door.app.declaredRoutes.filter(({ access }) => access === 'credentials');
    expect(ruled.length).toBeGreaterThan(2);
    for (const [index, { method, path }] of ruled.entries()) {
      for (const shown of [token, grant]) {
        const url = path
          .replace(':device', door.sharing.camera.uuid)
          .replace(':region', 'local')
          .replace(':name', 'seg_0.m4v')
          .replace(':token', shown);
        const remoteAddress = `192.0.${index}.${shown === token ? 1 : 2}`;
        const response = await door.inject({ method: method as 'GET', url, remoteAddress });
        expect([method, path, response.statusCode]).toEqual([method, path, 401]);
      }
    }
    expect(door.sharing.sessions.size).toBe(0);
  });

  it('that require a grant accept no share link, except the playlist, the poster and what the manifest names', async () => {
    await door.close();
    door = await openFrontDoorFixture({ poster: Buffer.from('a picture') });
    door.camera.start();
    const token = door.shareToken(await door.share());
    for (const { method, path, access } of door.app.declaredRoutes) {
      if (access !== 'grant' && access !== 'link-or-grant') continue;
      const isDash = /(mpd|video|audio)/.test(path);
      const name = path.includes('/audio/') ? 'seg_0.m4a' : isDash ? 'seg_0.m4v' : 'seg_0.0.m4v';
      const url = path.replace(':grant', token).replace(':name', name);
      const { statusCode } = await door.inject({ method: method as 'GET', url });
      const allowed = isDash ? 302 : 200;
      expect([path, statusCode]).toEqual([path, access === 'grant' ? 404 : allowed]);
    }
  });

  it('that require a share link accept no grant', async () => {
    const folder = await door.openShare(await door.share());
    const grant = folder.split('/')[2]!;
    const response = await door.inject({ method: 'POST', url: `/share/${grant}/open`, payload: {} });
    expect([response.statusCode, response.json().reason]).toEqual([404, 'unknown']);
  });
});

describe('answers', () => {
  it.each(['/live/x/file.m3u8', '/share/x/open', '/assets/x.js', '/anything', '/'])(
    'to a preflight for %s allow every origin, because players are everywhere',
    async (url) => {
      const preflight = await door.inject({ method: 'OPTIONS', url });
      expect([preflight.statusCode, preflight.body]).toEqual([204, '']);
      expect(preflight.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
        'access-control-allow-headers':
          'Authorization, Content-Type, Range, If-None-Match, X-Auth-Scheme, X-Auth-Apikey, X-Auth-Ft, X-Auth-Access-Token, X-Auth-Org',
      });
    },
  );

  it.each([
    ['/live/x/file.m3u8', 404],
    ['/nowhere', 404],
    ['/', 404],
    ['/live', 404],
    ['/live/x/sub/sub/file.m3u8', 404],
    ['/healthz', 200],
    ['/live/%zz/file.m3u8', 400],
    [`/live/${'x'.repeat(300)}/file.m3u8`, 400],
  ])('of %s are JSON that other origins may read and no cache may keep', async (url, status) => {
    const response = await door.get(url);
    expect(response.statusCode).toBe(status);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Retry-After, Content-Range, Date',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    // The requested URL may hold a grant: it is never repeated.
    expect(response.body).not.toContain(url);
    if (status !== 200) expect(response.json()).toMatchObject({ error: true, errorMsg: expect.any(String) });
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'POST'] as const)(
    'to %s that does not exist are 404',
    async (method) => {
      const response = await door.inject({ method, url: '/live/x/file.m3u8', payload: {} });
      expect([response.statusCode, response.json().reason]).toEqual([404, 'not-found']);
    },
  );

  it('report health and readiness', async () => {
    expect((await door.get('/healthz')).json()).toEqual({ status: 'ok' });
    expect((await door.get('/readyz')).json()).toEqual({ ready: true, checks: { store: 'ok' } });
    await door.close();
    const checks = { store: 'down' };
    door = await openFrontDoorFixture({ readiness: async () => ({ ready: false, checks }) });
    const response = await door.get('/readyz');
    expect([response.statusCode, response.json()]).toEqual([503, { ready: false, checks }]);
  });

  it('after an internal failure say only that', async () => {
    await door.close();
    door = await openFrontDoorFixture({ readiness: () => Promise.reject(new Error('secret detail')) });
    const response = await door.get('/readyz');
    expect([response.statusCode, response.json()]).toEqual([
      500,
      { error: true, errorMsg: 'The gateway failed internally.', reason: 'internal' },
    ]);
  });
});

describe('the address of a caller', () => {
  /** How many of ten guesses, each with a different X-Forwarded-For, are checked. */
  async function guessesLookedAt(): Promise<number> {
    const url = `/share/${door.shareToken(await door.share({ password: 'Correct horse' }))}/open`;
    const guess = (i: number): InjectOptions => ({
      method: 'POST',
      url,
      payload: { password: 'x' },
      headers: { 'x-forwarded-for': `192.0.2.${i}` },
      remoteAddress: '127.0.0.1',
    });
    const responses = await Promise.all(Array.from({ length: 10 }, (_, i) => door.inject(guess(i))));
    return responses.filter(({ statusCode }) => statusCode === 401).length;
  }

  it('is that of the connection: a header does not change it', async () => {
    expect(await guessesLookedAt()).toBe(3);
  });

  it('comes from a trusted proxy’s header', async () => {
    await door.close();
    door = await openFrontDoorFixture({ trustProxy: ['127.0.0.1'] });
    expect(await guessesLookedAt()).toBe(10);
  });
});
