/** API callers that send what no normal client would, and that make the gateway call others. */

import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { FakeOnvifDevice } from '../../../../src/devices/onvif/fake-onvif-device.ts';
import { API_KEY, TestGateway } from '../../../../test/support/gateway.ts';
import { rawRequest } from '../../../../test/support/raw-http.ts';
import { type Abuse, deviations, few, type Ground } from '../abuse.ts';

const group = 'API';
const HEADERS = {
  'x-auth-apikey': API_KEY,
  'x-auth-scheme': 'api-token',
  'content-type': 'application/json',
};
const CREATE = '/api/camera/createSharedLiveVideoStream';
/** A call that takes longer blocks the thread. */
const MAX_CALL_MS = 5_000;

const BODIES: Readonly<Record<string, string>> = {
  'half a brace': '{',
  'an array': '[]',
  'a NUL': '\u0000',
  __proto__: '{"__proto__":{"admin":true},"cameraUuid":"x"}',
  constructor: '{"constructor":{"prototype":{"admin":true}}}',
  '__proto__, escaped': '{"\\u005f_proto__":{"admin":true}}',
  '50,000 nested arrays': `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  '20,000 nested objects': `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  'an array of a million': `{"deviceFilter":[${'1,'.repeat(999_999)}1]}`,
  '100,000 keys': `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
  'a text of 2 MB': `{"name":"${'x'.repeat(2_000_000)}"}`,
  'a number of 100,000 digits': `{"expirationTimeSecs":${'9'.repeat(100_000)}}`,
  'half a surrogate': '{"name":"\\ud800"}',
  '100 NULs': `{"name":"${'\\u0000'.repeat(100)}"}`,
};

const WRONG_TYPES: readonly unknown[] = [
  null,
  true,
  5,
  -1,
  1.5,
  1e308,
  '',
  'x',
  [],
  {},
  [[]],
  { toString: 1 },
];

/** Input that makes a backtracking pattern run forever: long runs that almost match. */
const LONG_RUNS = ['a', 'a@', '.', ' ', '-', '/', '%41', 'a.', '<', '&amp;', '\t', '1', '::', '()'].map(
  (piece) => `${piece.repeat(60_000)}!`,
);

const FIELDS = [
  'name',
  'password',
  'cameraUuid',
  'scheduleUuid',
  'streamType',
  'expirationTimeSecs',
  'vodEnabled',
];

async function post(gateway: TestGateway, path: string, body: string) {
  const startMs = performance.now();
  const response = await rawRequest(gateway.apiUrl, path, { method: 'POST', headers: HEADERS, body });
  return { ...response, ms: performance.now() - startMs };
}

async function bodies({ gateway }: Ground): Promise<string[]> {
  const bad: string[] = [];
  for (const [title, body] of Object.entries(BODIES)) {
    for (const path of [CREATE, '/api/report/getAuditFeed', '/api/schedule/createWeeklySchedule']) {
      const { status, ms } = await post(gateway, path, body);
      if (status >= 500 || ms > MAX_CALL_MS) bad.push(`${title}: ${status} after ${Math.round(ms)} ms`);
    }
  }
  return few(bad);
}

async function wrongTypes({ gateway, share }: Ground): Promise<string[]> {
  const bad: string[] = [];
  for (const field of FIELDS) {
    for (const value of WRONG_TYPES) {
      const fields = { cameraUuid: share.cameraUuid, streamType: 'USER', vodEnabled: false, [field]: value };
      const { status, body } = await post(gateway, CREATE, JSON.stringify(fields));
      const result = JSON.parse(body.toString()) as { error: boolean; sharedLiveVideoStreamUuid?: string };
      if (status >= 500) bad.push(`${field} ${JSON.stringify(value)}: ${status}`);
      if (!result.error)
        await gateway.call('camera/deleteSharedLiveVideoStream', {
          cameraUuid: share.cameraUuid,
          uuid: result.sharedLiveVideoStreamUuid,
        });
    }
  }
  return few(bad);
}

async function longRuns({ gateway, share }: Ground): Promise<string[]> {
  const bad: string[] = [];
  const paths: Readonly<Record<string, (text: string) => object>> = {
    [CREATE]: (name) => ({
      cameraUuid: share.cameraUuid,
      streamType: 'USER',
      vodEnabled: false,
      name,
      password: name,
    }),
    '/api/relay/addThirdPartyCameraViaOnvif': (ipAddress) => ({ ipAddress }),
    '/api/relay/manualDiscoverCamera': (rtspUrl) => ({ rtspUrl }),
    '/api/integrations/webhooks/updateWebhookIntegrationV2': (webhookUrl) => ({ webhookUrl }),
    '/api/location/createLocation': (tz) => ({ location: { name: 'x', tz } }),
  };
  for (const [path, body] of Object.entries(paths)) {
    for (const text of LONG_RUNS) {
      const { status, ms } = await post(gateway, path, JSON.stringify(body(text)));
      if (status >= 500 || ms > MAX_CALL_MS)
        bad.push(`${path} ${text.slice(0, 6)}…: ${status} after ${Math.round(ms)} ms`);
    }
  }
  return few(bad);
}

async function credentials({ gateway }: Ground): Promise<string[]> {
  const bad: string[] = [];
  const tries = [
    {},
    { 'x-auth-apikey': '' },
    { 'x-auth-apikey': API_KEY.slice(0, -1) },
    { 'x-auth-apikey': `${API_KEY}x` },
    { 'x-auth-apikey': API_KEY.toUpperCase() },
    { 'x-auth-apikey': `${API_KEY}, ${API_KEY}` },
    { 'x-auth-apikey': API_KEY, 'x-auth-scheme': 'nonsense' },
    { 'x-auth-apikey': API_KEY, 'x-auth-scheme': 'partner-api-token' },
    { authorization: `Bearer ${API_KEY}` },
    { cookie: `x-auth-apikey=${API_KEY}` },
    { 'x-auth-apikey': 'k'.repeat(8_000) },
  ];
  for (const given of tries) {
    const headers = { 'x-auth-scheme': 'api-token', 'content-type': 'application/json', ...given };
    const { status } = await rawRequest(gateway.apiUrl, CREATE, { method: 'POST', headers, body: '{}' });
    if (status !== 401) bad.push(`${JSON.stringify(given).slice(0, 60)}: ${status}`);
  }
  return few(bad);
}

/** A service on this machine that outsiders must not reach through the gateway. */
async function withInnerService(
  act: (port: number, hits: () => number) => Promise<string[]>,
): Promise<string[]> {
  let hits = 0;
  const server = net.createServer((socket) => {
    hits += 1;
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bad = await act((server.address() as AddressInfo).port, () => hits);
  server.close();
  return bad;
}

/** Spellings of this machine and its link-local address. */
const INNER_HOSTS = [
  '127.0.0.1',
  'localhost',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0.0.0.0',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::]',
  'localhost.',
  '127.0.0.1.',
  '169.254.169.254',
  '[fe80::1]',
  '[64:ff9b::7f00:1]',
];

/** An alert that webhooks are notified of. */
async function webhooks({ gateway }: Ground): Promise<string[]> {
  return withInnerService(async (port, hits) => {
    const location = { name: `Inner ${Date.now()}`, tz: 'UTC' };
    const { uuid: locationUuid } = await gateway.call('location/createLocation', { location });
    for (const host of INNER_HOSTS) {
      const webhookUrl = `http://${host}:${port}/`;
      await gateway.call('integrations/webhooks/updateWebhookIntegrationV2', { webhookUrl });
      const rule = {
        locationUuid,
        ruleName: host,
        triggerActivity: 'PANIC_BUTTON',
        action: { webhookActions: [{ webhookUrl }] },
      };
      await gateway.call('accesscontrol/lockdownPlan/createLockdownRuleForLocation', { rule });
    }
    const row = { uuid: 'AAAAAAAAAAAAAAAAAAAAAA', deviceUuid: 'BAAAAAAAAAAAAAAAAAAAAA', locationUuid };
    const rows = [{ ...row, policyAlertTriggers: ['PANIC_BUTTON'], timestampMs: Date.now() }];
    await gateway.call('ingest/policyAlerts', { rows });
    await delay(4_000);
    return deviations([[`${hits()} calls reached this machine`, hits() === 0]]);
  });
}

/** The API must not reveal which services listen on this machine. */
async function portScans({ gateway }: Ground): Promise<string[]> {
  return withInnerService(async (port, hits) => {
    const bad: string[] = [];
    for (const host of INNER_HOSTS) {
      const responses: string[] = [];
      for (const tried of [port, 9]) {
        const startMs = performance.now();
        const onvif = await gateway.call('relay/addThirdPartyCameraViaOnvif', {
          ipAddress: `${host}:${tried}`,
        });
        const rtsp = await gateway.call('relay/manualDiscoverCamera', {
          rtspUrl: `rtsp://${host}:${tried}/x`,
        });
        const said = JSON.stringify([onvif.assignmentMsg, onvif.errorMsg, rtsp.rtspUrlStatus, rtsp.errorMsg]);
        responses.push(said.replaceAll(`:${tried}`, ':PORT'));
        if (performance.now() - startMs > 25_000) bad.push(`${host}:${tried} took too long`);
      }
      if (responses[0] !== responses[1]) bad.push(`${host}: ${responses.join(' against ')}`);
    }
    if (hits() > 0) bad.push(`${hits()} connections to this machine`);
    return few(bad);
  });
}

const ENVELOPE = (inner: string) => `<e:Envelope xmlns:e="e"><e:Body>${inner}</e:Body></e:Envelope>`;

const XML_BOMBS: Readonly<Record<string, string>> = {
  'a billion laughs':
    '<!DOCTYPE l [<!ENTITY a "ha">' +
    Array.from(
      { length: 9 },
      (_, index) => `<!ENTITY ${'abcdefghij'[index + 1]} "${`&${'abcdefghij'[index]};`.repeat(10)}">`,
    ).join('') +
    ']><l>&j;</l>',
  'an entity of a file': '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><l>&a;</l>',
  '100,000 nested elements': ENVELOPE(`${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`),
  'open elements': ENVELOPE('<a>'.repeat(200_000)),
  'a name of 1 MB': ENVELOPE(`<${'a'.repeat(1_000_000)}/>`),
  attributes: ENVELOPE(`<a ${Array.from({ length: 50_000 }, (_, index) => `b${index}="c"`).join(' ')}/>`),
  'quotes that do not end': ENVELOPE(`<a b="${'c'.repeat(500_000)}`),
  blanks: `<${' '.repeat(1_000_000)}`,
  comments: '<!--'.repeat(200_000),
};

/** A gateway whose callers may name cameras on this machine, where the responses come from. */
async function bombs({ isShort }: Ground): Promise<string[]> {
  const gateway = await TestGateway.start({ api: { rateLimit: 1_000_000 } });
  const bad: string[] = [];
  try {
    const chosen = Object.entries(XML_BOMBS).slice(0, isShort ? 2 : undefined);
    for (const [title, rawResponse] of chosen) {
      const device = await FakeOnvifDevice.open({ rawResponse });
      const asking = gateway.call('relay/addThirdPartyCameraViaOnvif', {
        ipAddress: `127.0.0.1:${device.port}`,
      });
      let longestMs = 0;
      let isDone = false;
      void asking.finally(() => {
        isDone = true;
      });
      while (!isDone) {
        const startMs = performance.now();
        await gateway.call('camera/getMinimalCameraStateList');
        longestMs = Math.max(longestMs, performance.now() - startMs);
      }
      const { found } = await asking;
      if (found === true) bad.push(`${title}: found`);
      if (longestMs > MAX_CALL_MS) bad.push(`${title}: the API was held for ${Math.round(longestMs)} ms`);
      await device.close();
    }
    return [...bad, ...(await compressed(gateway))];
  } finally {
    await gateway.dispose();
  }
}

/** A compressed response of a gigabyte of spaces, and an endless response. */
async function compressed(gateway: TestGateway): Promise<string[]> {
  const zeros = Buffer.alloc(1_048_576, ' ');
  const server = http.createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/soap+xml' });
    const pump = (): void => {
      while (!response.destroyed && response.write(zeros)) {
        // Until the reader stops reading; 'drain' continues.
      }
    };
    response.on('drain', pump);
    pump();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const startMs = performance.now();
  const { found } = await gateway.call('relay/addThirdPartyCameraViaOnvif', {
    ipAddress: `127.0.0.1:${port}`,
  });
  const ms = performance.now() - startMs;
  server.closeAllConnections();
  server.close();
  return deviations([
    ['an endless response is a camera', found !== true],
    [`an endless response took ${Math.round(ms)} ms`, ms < 25_000],
  ]);
}

export const abuses: readonly Abuse[] = [
  { group, name: 'bodies that are not requests', attack: bodies },
  { group, name: 'fields of the wrong type', attack: wrongTypes },
  { group, name: 'texts that make patterns run forever', attack: longRuns },
  { group, name: 'credentials that are almost right', attack: credentials },
  { group, name: 'webhooks to this machine and its link', attack: webhooks },
  { group, name: 'probes as a port scanner', attack: portScans },
  { group, name: 'bombs in the responses of ONVIF devices', attack: bombs },
];
