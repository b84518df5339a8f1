import { fastify } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { PUBLIC_URL_MARK } from '../../system/public-url-request.ts';
import { PublicUrlVisits } from '../../system/public-url-visits.ts';
import { registerCheckRoutes } from './check-routes.ts';
import { loadWebAssets } from './web-assets.ts';

const assets = loadWebAssets({ publicMediaUrl: 'https://media.example/video' });
const apps: ReturnType<typeof fastify>[] = [];
afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())));

async function door(trustProxy: string[] = []) {
  const visits = new PublicUrlVisits(new FakeClock());
  const app = fastify({ trustProxy: trustProxy.length === 0 ? false : trustProxy });
  apps.push(app);
  registerCheckRoutes(app, () => assets, visits);
  const { checkId } = visits.open();
  const open = (headers: Record<string, string> = {}, id = checkId) =>
    app.inject({ url: `/reach/${id}`, headers, remoteAddress: '127.0.0.1' });
  return { open, visit: () => visits.visitsOf(checkId)![0] };
}

describe('the page of a check', () => {
  it('is recognized by the gateway, and remembers who opened it', async () => {
    const { open, visit } = await door();
    const response = await open();
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain(PUBLIC_URL_MARK);
    expect(response.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(response.headers['cache-control']).toBe('no-store');
    expect(visit()).toMatchObject({ address: '127.0.0.1', peerAddress: '127.0.0.1', proxyHeaders: [] });
  });

  it('believes trusted proxies alone', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.7', via: '1.1 proxy' };
    const trusting = await door(['127.0.0.1']);
    await trusting.open(headers);
    expect(trusting.visit()).toMatchObject({
      address: '198.51.100.7',
      peerAddress: '127.0.0.1',
      proxyHeaders: ['x-forwarded-for', 'via'],
    });
    const wary = await door();
    await wary.open(headers);
    expect(wary.visit()).toMatchObject({ address: '127.0.0.1', proxyHeaders: ['x-forwarded-for', 'via'] });
  });

  it('is not there for another check', async () => {
    const { open, visit } = await door();
    const response = await open({}, 'AAAAAAAAAAAAAAAAAAAAAA');
    expect(response.statusCode).toBe(404);
    expect(response.body).not.toContain(PUBLIC_URL_MARK);
    expect(visit()).toBeUndefined();
  });
});
