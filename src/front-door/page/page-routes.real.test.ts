import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';

let door: FrontDoorFixture;
beforeAll(async () => {
  door = await openFrontDoorFixture();
});
afterAll(() => door.close());

describe('assets', () => {
  it.each([
    '/assets/share.js',
    '/assets/share.0000000000.js',
    '/assets/share.ts',
    '/assets/share.html',
    '/assets/',
    '/assets',
    '/assets/..',
    '/assets/../share.html',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e%2fpackage.json',
    '/assets/..%5cpackage.json',
    '/assets//etc/passwd',
    '/assets/%2fetc%2fpasswd',
    '/assets/constructor',
    '/assets/__proto__',
    '/assets/share.css%00.js',
  ])('named %s do not exist', async (path) => {
    const client = await listening();
    const response = await client.get(path);
    expect([response.statusCode, JSON.parse(String(response.body)).reason]).toEqual([404, 'not-found']);
    expect(response.headers['cache-control']).toBe('no-store');
  });

  let client: ReturnType<FrontDoorFixture['listen']> | null = null;
  const listening = () => (client ??= door.listen());
});
