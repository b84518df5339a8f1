/** The console behind TLS, in Chromium: the names of its cookies, and what a sibling domain can do about them. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { PASSWORD, PERSON_NAME, signOut } from './console-person.ts';

const PEM = readFileSync(join(import.meta.dirname, '../../src/sources/direct/fixtures/self-signed.pem'));
const CERTIFICATE = { cert: PEM, key: PEM };
const PLANTED = [
  'sluice_console=planted; Domain=sluice.test; Path=/',
  'sluice_console=planted; Domain=sluice.test; Path=/api; Secure',
  '__Host-sluice_console=planted; Domain=sluice.test; Path=/; Secure',
  '__Host-sluice_known=planted; Domain=sluice.test; Path=/; Secure',
  '__Host-sluice_passkey=planted; Domain=sluice.test; Path=/; Secure',
];

let gateway: TestGateway;
let proxy: TlsServer;
let sibling: HttpsServer;
let browser: TestBrowser;
let page: Page;
let consoleUrl: string;
let siblingUrl: string;

beforeAll(async () => {
  gateway = await TestGateway.start({ demo: false });
  const { port, hostname } = new URL(gateway.apiUrl);
  proxy = createTlsServer(CERTIFICATE, (client) => {
    const server = connect(Number(port), hostname);
    for (const socket of [client, server]) {
      socket.on('error', () => undefined);
      socket.on('close', () => [client, server].map((each) => each.destroy()));
    }
    client.pipe(server).pipe(client);
  });
  sibling = createHttpsServer(CERTIFICATE, (_request, response) => {
    response.setHeader('set-cookie', PLANTED).end('planted');
  });
  const urls = [];
  for (const [name, server] of [
    ['api', proxy],
    ['evil', sibling],
  ] as const) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    urls.push(`https://${name}.sluice.test:${(server.address() as AddressInfo).port}`);
  }
  [consoleUrl, siblingUrl] = urls as [string, string];
  await gateway.configure({ demo: false, public: { apiUrl: consoleUrl } });
  await gateway.restart();
  browser = await startBrowser([
    '--host-resolver-rules=MAP *.sluice.test 127.0.0.1',
    '--ignore-certificate-errors',
  ]);
  ({ page } = await openPage(browser));
});
afterAll(async () => {
  await browser?.close();
  sibling?.close();
  proxy?.close();
  await gateway?.dispose();
});

const cameras = () => page.getByRole('heading', { name: 'Cameras', level: 1 });
const namesAt = async (url: string) =>
  (await page.context().cookies(url))
    .map(({ name, value }) => (value === 'planted' ? `${name} planted` : name))
    .toSorted();

test('a sibling domain cannot take the place of the session, nor sign anyone out', async () => {
  const { inviteUrl } = await gateway.call('console/invitePerson', {
    name: PERSON_NAME,
    email: 'ada@example.com',
    role: 'operator',
  });
  await page.goto(inviteUrl);
  await page.getByLabel('Your name').fill(PERSON_NAME);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await cameras().waitFor();
  expect(await namesAt(consoleUrl)).toEqual(['__Host-sluice_console', '__Host-sluice_known']);

  await page.goto(siblingUrl);
  expect(await namesAt(`${consoleUrl}/api/console/getSession`)).toEqual([
    '__Host-sluice_console',
    '__Host-sluice_known',
    'sluice_console planted',
    'sluice_console planted',
  ]);
  // The stream of changes has the cookie alone.
  const isFollowing = new Promise<void>((resolve) => {
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => String(payload).startsWith('CONNECTED') && resolve()),
    );
  });
  await page.goto(`${consoleUrl}/console/`);
  await cameras().waitFor();
  await isFollowing;
  await signOut(page);
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  // The page for signing in may have asked for a passkey's challenge by now, which is a cookie, too.
  const ofSessions = (await namesAt(consoleUrl)).filter((name) => name.includes('sluice_console'));
  expect(ofSessions).toEqual(['sluice_console planted']);
});
