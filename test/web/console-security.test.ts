/** What others can do to the console and to who is signed in: from other origins, by frames, by names, by stolen cookies. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@stomp/stompjs';
import type { Cookie, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PAGES } from '../../web/console/pages.ts';
import type { Json } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { untilSettled } from './console-checks.ts';
import { type ConsoleOrganization, startConsoleOrganization } from './console-organization.ts';
import { tooWide } from './console-page.ts';
import { invite, PASSWORD, signInAs } from './console-person.ts';

const COOKIE = 'sluice_console';
/** What names can do to a page that does not take them as text. Some end with what they were called. */
const ATTACKS: readonly ((plain: string) => string)[] = [
  (plain) => `<img src=x onerror="window.hacked=1">${plain}`,
  (plain) => `"><script>window.hacked=1</script>${plain}`,
  (plain) => `javascript:window.hacked=1//${plain}`,
  (plain) => `' onmouseover=window.hacked=1 autofocus onfocus=window.hacked=1 x='${plain}`,
  (plain) => `\u202Egpj.${plain}`,
  (plain) => `${plain} ${'W'.repeat(255 - plain.length)}`,
  (plain) => `</title></textarea><svg onload=window.hacked=1>${plain}`,
];

let organization: ConsoleOrganization;
let apiUrl: string;
let browser: TestBrowser;
let elsewhere: Server;
let elsewhereUrl: string;
/** The page that the other origin serves. */
let elsewherePage = '';
const records: PageRecord[] = [];

beforeAll(async () => {
  const attacked = new Map<string, string>();
  organization = await startConsoleOrganization((plain) => {
    if (!attacked.has(plain)) attacked.set(plain, ATTACKS[attacked.size % ATTACKS.length]!(plain));
    return attacked.get(plain)!;
  });
  ({ apiUrl } = organization.gateway);
  browser = await startBrowser();
  elsewhere = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(elsewherePage);
  });
  await new Promise<void>((listening) => elsewhere.listen(0, '127.0.0.1', listening));
  // The same site, but another origin: SameSite cookies go along.
  elsewhereUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await browser?.close();
  elsewhere?.close();
  await organization?.close();
});

afterEach(async () => {
  for (const { page } of records.splice(0)) await page.close();
});

async function newPage(role: 'viewer' | 'admin' | null = 'admin'): Promise<Page> {
  const record = await openPage(browser);
  records.push(record);
  await record.page.context().clearCookies();
  if (role !== null) await signInAs(record.page, organization.gateway, role);
  return record.page;
}

const openConsole = async (page: Page, path = ''): Promise<void> => {
  await page.goto(`${apiUrl}/console/${path}`);
  await page.locator('h1').first().waitFor();
};
const cookieOf = async (page: Page): Promise<Cookie> =>
  (await page.context().cookies()).find(({ name }) => name === COOKIE)!;

/** A call with a cookie, as its page makes it. */
async function callWith(cookie: string, path: string, body: Json = {}): Promise<{ status: number } & Json> {
  const response = await fetch(`${apiUrl}/api/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-auth-scheme': 'console',
      origin: apiUrl,
      cookie: `${COOKIE}=${cookie}`,
    },
    body: JSON.stringify(body),
  });
  return { ...((await response.json()) as Json), status: response.status };
}

describe('a page of another origin, to whose requests the browser adds the cookie', () => {
  const locationNames = async (): Promise<string[]> =>
    (await organization.gateway.call('location/getLocationsV2')).locations.map(({ name }: Json) => name);
  const FORGED = { location: { name: 'Forged', tz: 'UTC' } };

  /** Opens the other origin's page, where someone is signed in to the console. */
  async function visitElsewhere(html: string): Promise<Page> {
    const page = await newPage('admin');
    elsewherePage = html;
    await page.goto(elsewhereUrl);
    return page;
  }

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
    'changes nothing with a form of type %s',
    async (enctype) => {
      const before = await locationNames();
      const body = JSON.stringify(FORGED).replace(/\}$/, ',"x":"').replaceAll('"', '&quot;');
      const page = await visitElsewhere(
        `<form method="post" enctype="${enctype}" action="${apiUrl}/api/location/createLocation">
         <input name="${body}" value="&quot;}"></form>`,
      );
      const [response] = await Promise.all([
        page.waitForResponse(`${apiUrl}/api/location/createLocation`),
        page.evaluate(() => document.forms[0]!.submit()),
      ]);
      expect(response.status()).toBeGreaterThanOrEqual(400);
      // Same site: the cookie went along, so that it is the gateway that refuses.
      expect((await response.request().allHeaders()).cookie).toContain(COOKIE);
      expect(await locationNames()).toEqual(before);
    },
  );

  test.each([
    ['text/plain', {}],
    ['application/json', {}],
    ['application/json', { 'x-auth-scheme': 'console' }],
  ])('changes nothing, and reads nothing, with fetch of %s and %j', async (type, headers) => {
    const before = await locationNames();
    const page = await visitElsewhere('<title>Elsewhere</title>');
    for (const mode of ['cors', 'no-cors'] as const) {
      const outcome = await page.evaluate(
        async ([url, contentType, others, requestMode, forged]) => {
          const request = { method: 'POST', mode: requestMode, credentials: 'include' } as const;
          const ask = (path: string, body: object) =>
            fetch(`${url}/api/${path}`, {
              ...request,
              headers: { 'content-type': contentType, ...others },
              body: JSON.stringify(body),
            }).then(
              async (response) => ({ isReadable: response.type !== 'opaque', text: await response.text() }),
              () => ({ isReadable: false, text: '' }),
            );
          await ask('location/createLocation', forged);
          return ask('camera/getMinimalCameraStateList', {});
        },
        [apiUrl, type, headers, mode, FORGED] as const,
      );
      expect(outcome.text).not.toContain('cameraStates');
    }
    expect(await locationNames()).toEqual(before);
  });

  test('cannot sign anyone in or out', async () => {
    const page = await visitElsewhere('<title>Elsewhere</title>');
    const cookie = await cookieOf(page);
    await page.evaluate(
      (url) =>
        fetch(`${url}/api/console/signOut`, {
          method: 'POST',
          mode: 'no-cors',
          credentials: 'include',
        }).catch(() => undefined),
      apiUrl,
    );
    expect(await cookieOf(page)).toEqual(cookie);
    expect((await callWith(cookie.value, 'console/getSession')).person).toBeDefined();
  });

  test('gets no real-time stream by its WebSocket', async () => {
    const page = await visitElsewhere('<title>Elsewhere</title>');
    const frames = await page.evaluate(
      (url) =>
        new Promise<string[]>((resolve) => {
          const got: string[] = [];
          const socket = new WebSocket(`${url.replace('http', 'ws')}/websocket`, 'v12.stomp');
          socket.onopen = () => {
            socket.send(`CONNECT\naccept-version:1.2\nx-auth-scheme:console\n\n\0`);
          };
          socket.onmessage = ({ data }) => got.push(String(data));
          socket.onclose = () => resolve(got);
        }),
      apiUrl,
    );
    expect(frames).toEqual([expect.stringMatching(/^ERROR\n[\s\S]*AUTHENTICATION_FAILED/)]);
  });

  test('cannot frame the console or its API documents; the media listener’s pages cannot either', async () => {
    const page = await visitElsewhere(`<iframe src="${apiUrl}/console/"></iframe>`);
    await expectRefusedFrames(page);
    const { mediaUrl } = organization.gateway;
    await page.goto(`${mediaUrl}/healthz`);
    await page.evaluate((url) => {
      const frame = document.createElement('iframe');
      frame.src = `${url}/console/`;
      document.documentElement.append(frame);
    }, apiUrl);
    await expectRefusedFrames(page);
    for (const path of ['console/', 'console/shares', 'console/account']) {
      const { headers } = await fetch(`${apiUrl}/${path}`);
      expect(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'");
    }
  });

  test('can frame a shared camera’s page: that is the only one', async () => {
    const share = await organization.gateway.call('camera/findAllSharedLiveVideoStreams');
    const shared = share.sharedLiveVideoStreams.find(({ passwordProtected }: Json) => !passwordProtected);
    const page = await visitElsewhere(`<iframe src="${shared.sharedLiveVideoStreamUrl}"></iframe>`);
    await page.frameLocator('iframe').locator('video').waitFor({ state: 'attached' });
  });
});

/** A browser shows its own page instead, of an opaque origin. */
async function expectRefusedFrames(page: Page): Promise<void> {
  await until('the frame to be refused', () =>
    page.frames().some((frame) => frame !== page.mainFrame() && frame.url().startsWith('chrome-error:')),
  );
  expect(page.frames().filter((frame) => frame.url().startsWith(apiUrl))).toEqual([]);
}

describe('a name', () => {
  /** What the open page contains that no name may bring in. */
  const intruders = (page: Page): Promise<string[]> =>
    page.evaluate(() =>
      [...document.querySelectorAll('*')]
        .filter(
          (element) =>
            [...element.attributes].some(
              ({ name, value }) =>
                /^on|^srcdoc$|^formaction$/i.test(name) ||
                (/^\s*javascript:/i.test(value) && /^(?:href|src|action|data)$/i.test(name)),
            ) ||
            (element instanceof HTMLScriptElement &&
              !element.src.startsWith(`${location.origin}/console/assets/`)) ||
            (element instanceof HTMLImageElement && element.getAttribute('src') === 'x'),
        )
        .map(({ outerHTML }) => outerHTML.slice(0, 200)),
    );

  test.each(PAGES.map(({ path }) => path))(
    'is text on the page "%s", on a desktop and on a phone',
    async (path) => {
      const page = await newPage('admin');
      await page.addInitScript(() => {
        const broken: string[] = [];
        document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
          broken.push(`${violatedDirective}: ${blockedURI}`),
        );
        Object.assign(globalThis, { broken });
      });
      for (const size of [
        { width: 1_440, height: 900 },
        { width: 390, height: 844 },
      ]) {
        await page.setViewportSize(size);
        await openConsole(page, organization.addressOf(path));
        await untilSettled(page);
        expect(await intruders(page)).toEqual([]);
        expect(await tooWide(page), `${size.width} px`).toEqual([]);
        const seen = await page.evaluate(() => ({
          hacked: 'hacked' in globalThis,
          broken: Reflect.get(globalThis, 'broken'),
        }));
        expect(seen).toEqual({ hacked: false, broken: [] });
      }
      expect(records[0]!.problems).toEqual([]);
    },
  );

  test('is shown as it is: every page shows those that belong on it', async () => {
    const page = await newPage('admin');
    // Rows that are far below are not in the document.
    await page.setViewportSize({ width: 1_440, height: 6_000 });
    const read: string[] = [];
    for (const { path } of PAGES) {
      await openConsole(page, organization.addressOf(path));
      await untilSettled(page);
      read.push(
        await page.evaluate(() =>
          [
            document.body.textContent,
            ...[...document.querySelectorAll('input, option')].map(
              (each) => (each as HTMLInputElement).value,
            ),
          ].join('\n'),
        ),
      );
    }
    const all = read.join('\n');
    // The clip's title and note, and who an application is for, are on no page.
    expect(all).not.toContain('\u202E');
    const unseen = organization.names
      .map((name) => name.replaceAll('\u202E', ''))
      .filter((name) => !all.includes(name) && !all.includes(encodeURIComponent(name)));
    expect(
      unseen
        .map((name) => name.replace(/W{9,}/, '').trim())
        .filter((name) => !/Delivery|The usual van|Signs visitors in|Core/.test(name)),
    ).toEqual([]);
  });

  test('that is written from right to left turns neither itself nor what is beside it', async () => {
    const page = await newPage('admin');
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of ['activity', 'keys', 'doors', 'people']) {
      await openConsole(page, path);
      await untilSettled(page);
      const turned = await page.evaluate(() => {
        const texts = document.createTreeWalker(document.querySelector('main')!, NodeFilter.SHOW_TEXT);
        const found: string[] = [];
        while (texts.nextNode()) {
          const node = texts.currentNode as Text;
          if (node.length < 3 || node.parentElement!.getClientRects().length === 0) continue;
          const rectAt = (index: number) => {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + 1);
            return range.getBoundingClientRect();
          };
          const [first, second] = [rectAt(0), rectAt(1)];
          if (first.top === second.top && first.width > 0 && second.left < first.left) found.push(node.data);
        }
        return found;
      });
      expect(turned, path).toEqual([]);
    }
  });

  test('of a log record is text on the page of the system', async () => {
    const page = await newPage('admin');
    await page.setViewportSize({ width: 1_440, height: 6_000 });
    // Cameras are opened for it, and their names are in the log.
    const { cameraStates } = await organization.gateway.call('camera/getMinimalCameraStateList');
    for (const { uuid } of cameraStates)
      await organization.gateway.call('camera/getSnapshot', { cameraUuid: uuid });
    await openConsole(page, 'system');
    await page.locator('.log .row', { hasText: 'window.hacked' }).first().waitFor();
    expect(await intruders(page)).toEqual([]);
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
  });
});

describe('a session', () => {
  test('is new for each sign-in: a cookie that was planted before is not taken over', async () => {
    const page = await newPage(null);
    const planted = `slc_${'a'.repeat(43)}`;
    await page.context().addCookies([{ name: COOKIE, value: planted, url: apiUrl }]);
    const { inviteUrl } = await invite(organization.gateway, 'viewer');
    await page.goto(inviteUrl);
    await page.getByLabel('Your name').fill('Grace Hopper');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: 'Cameras', level: 1 }).waitFor();
    const cookie = await cookieOf(page);
    expect(cookie.value).not.toBe(planted);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', secure: false, path: '/' });
    expect((await callWith(planted, 'console/getSession')).person).toBeUndefined();
    expect(await page.evaluate(() => document.cookie)).toBe('');
  });

  test('of someone else that was planted is ended by the sign-in, and not shared with who planted it', async () => {
    const attacker = await cookieOf(await newPage('viewer'));
    const page = await newPage(null);
    await page.context().addCookies([{ name: COOKIE, value: attacker.value, url: apiUrl }]);
    const { inviteUrl, email } = await invite(organization.gateway, 'admin');
    const token = inviteUrl.split('#invite=')[1];
    const response = await page.request.post(`${apiUrl}/api/console/acceptInvite`, {
      headers: { origin: apiUrl, 'x-auth-scheme': 'console' },
      data: { inviteToken: token, password: PASSWORD },
    });
    expect(response.status()).toBe(200);
    const own = await cookieOf(page);
    expect(own.value).not.toBe(attacker.value);
    expect((await callWith(own.value, 'console/getSession')).person.email).toBe(email);
    expect((await callWith(attacker.value, 'console/getSession')).person?.email).not.toBe(email);
  });

  test('that was stolen is listed and ended: at once, with its real-time stream and its previews', async () => {
    const page = await newPage('viewer');
    const { value: stolen } = await cookieOf(page);
    const { email } = (await callWith(stolen, 'console/getSession')).person;
    // Their own, from another browser: from there they end the other one.
    await page.context().clearCookies();
    const own = await signInAgain(page, email);
    const thief = new Client({
      brokerURL: `${apiUrl.replace('http', 'ws')}/websocket`,
      connectHeaders: { 'x-auth-scheme': 'console' },
      reconnectDelay: 0,
      webSocketFactory: () =>
        new WebSocket(`${apiUrl.replace('http', 'ws')}/websocket`, {
          protocols: ['v12.stomp'],
          headers: { cookie: `${COOKIE}=${stolen}`, origin: apiUrl },
        } as never),
    });
    const connected = new Promise<void>((resolve) => {
      thief.onConnect = () => resolve();
    });
    const cutOff = new Promise<void>((resolve) => {
      thief.onWebSocketClose = () => resolve();
    });
    thief.activate();
    await connected;
    const preview = await callWith(stolen, 'camera/createPreviewGrant', {
      cameraUuid: organization.addressOf(':cameraUuid'),
    });
    expect(preview.status).toBe(200);
    const { sessions } = await callWith(own, 'console/getSessions');
    expect(sessions).toHaveLength(2);
    const other = sessions.find(({ isCurrent, current }: Json) => !(isCurrent ?? current));
    expect((await callWith(own, 'console/endSession', { sessionUuid: other.sessionUuid })).status).toBe(200);
    await cutOff;
    expect((await callWith(stolen, 'camera/getMinimalCameraStateList')).status).toBe(401);
    expect(
      (
        await callWith(stolen, 'camera/createPreviewGrant', {
          cameraUuid: organization.addressOf(':cameraUuid'),
        })
      ).status,
    ).toBe(401);
    const url = Object.values(preview).find((each) => typeof each === 'string' && each.includes('.m3u8'));
    expect(url, JSON.stringify(Object.keys(preview))).toBeDefined();
    expect((await fetch(url as string)).status).toBeGreaterThanOrEqual(400);
    expect((await callWith(own, 'console/getSession')).person.email).toBe(email);
    await thief.deactivate();
  });

  test('of someone else cannot be ended, or listed, by a viewer', async () => {
    const { value: victim } = await cookieOf(await newPage('admin'));
    const [{ sessionUuid }] = (await callWith(victim, 'console/getSessions')).sessions;
    const { personUuid } = (await callWith(victim, 'console/getSession')).person;
    const { value: viewer } = await cookieOf(await newPage('viewer'));
    expect(await callWith(viewer, 'console/endSession', { sessionUuid })).toMatchObject({ error: true });
    expect((await callWith(viewer, 'console/getSessions', { personUuid })).sessions ?? []).not.toContainEqual(
      expect.objectContaining({ sessionUuid }),
    );
    expect((await callWith(victim, 'console/getSession')).person.personUuid).toBe(personUuid);
  });
});

/** The cookie of another sign-in of the same person. */
async function signInAgain(page: Page, email: string): Promise<string> {
  const response = await page.request.post(`${apiUrl}/api/console/signIn`, {
    headers: { origin: apiUrl, 'x-auth-scheme': 'console' },
    data: { email, password: PASSWORD },
  });
  expect(response.status()).toBe(200);
  return (await cookieOf(page)).value;
}
