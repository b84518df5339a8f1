/** Certificates from an ACME server that others wrote, at the listeners of a whole gateway. */

import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestAcmeServer } from '../support/acme-server.ts';
import { CertificateFolder } from '../support/certificates.ts';
import { API_KEY, TestGateway } from '../support/gateway.ts';
import { ask, openHttp2 } from '../support/http2-viewer.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';

const DOMAINS = ['video.example.com', 'api.example.com'];
const LONG_SEC = 90 * 86_400;
/** Renewed after 20 s. */
const SHORT_SEC = 30;

let folder: CertificateFolder;
beforeAll(() => {
  folder = new CertificateFolder();
});
afterAll(() => folder?.remove());

function configOf(server: TestAcmeServer, httpPort: number, domains = DOMAINS) {
  return {
    demo: false,
    tls: {
      media: { acme: true },
      api: { acme: true },
      acme: {
        domains,
        termsAgreed: true,
        email: 'admin@example.com',
        ca: server.ca,
        directory: server.directory,
        http: `127.0.0.1:${httpPort}`,
      },
    },
  };
}

/** Of the certificate that `url` has now for `servername`; it must lead to `rootPem`. */
async function provenSerial(url: string, servername: string, rootPem: string): Promise<string> {
  const { port } = new URL(url);
  const socket: TLSSocket = connect({ host: '127.0.0.1', port: Number(port), servername, ca: rootPem });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerCertificate().serialNumber;
  } finally {
    socket.destroy();
  }
}

async function metricsOf(gateway: TestGateway): Promise<string> {
  const session = await openHttp2(gateway.apiUrl);
  const { body } = await ask(session, `${gateway.apiUrl}/metrics`);
  session.close();
  return body.toString();
}

async function supportBundleOf({ apiUrl }: TestGateway): Promise<string> {
  const session = await openHttp2(apiUrl);
  const headers = { 'x-auth-apikey': API_KEY, 'x-auth-scheme': 'api-token', ':method': 'POST' };
  const json = { 'content-type': 'application/json' };
  const url = `${apiUrl}/api/console/createSupportBundle`;
  const { body } = await ask(session, url, { ...headers, ...json }, '{}');
  session.close();
  return gunzipSync(Buffer.from(JSON.parse(body.toString()).contentBase64, 'base64')).toString();
}

function storedFiles(gateway: TestGateway): string[] {
  const acme = join(gateway.folder, 'data', 'acme');
  return readdirSync(acme, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Lines of the keys in the files. */
function secretsOf(gateway: TestGateway): string[] {
  return storedFiles(gateway).flatMap((file) =>
    [...readFileSync(file, 'latin1').matchAll(/BEGIN PRIVATE KEY-----\n([^-]*)/g)].flatMap(([, body]) =>
      body!.trim().split('\n'),
    ),
  );
}

describe.each([0, 2])('a gateway with %i viewer threads', (viewers) => {
  let server: TestAcmeServer;
  let gateway: TestGateway;
  let rootPem: string;

  beforeAll(async () => {
    const httpPort = await freePort();
    server = await TestAcmeServer.start({ folder, httpPort, lifetimeSec: LONG_SEC });
    rootPem = await server.rootPem();
    gateway = await TestGateway.start({ ...configOf(server, httpPort), threads: { viewers, cameras: 0 } });
  });
  afterAll(async () => {
    await gateway?.dispose();
    await server?.stop();
  });

  it('serves both listeners with the issued chain, for each of the domains', async () => {
    await gateway.child.line(/certificate renewed/);
    const serials = await Promise.all(
      [gateway.mediaUrl, gateway.apiUrl].flatMap((url) =>
        DOMAINS.map((domain) => until(domain, () => provenSerial(url, domain, rootPem))),
      ),
    );
    expect([new Set(serials).size, server.issued]).toEqual([1, 1]);
    const metrics = await metricsOf(gateway);
    expect(metrics).toContain('sluice_tls_certificate_stale{listener="media"} 0');
  });

  it('keeps its keys to itself: they are not in the log, the metrics, nor a support bundle', async () => {
    const secrets = secretsOf(gateway);
    expect(secrets.length).toBeGreaterThan(3);
    const bundle = await supportBundleOf(gateway);
    expect(bundle).toContain('certificate renewed');
    const said = [...gateway.child.lines, bundle, await metricsOf(gateway)].join('\n');
    expect(secrets.filter((secret) => said.includes(secret))).toEqual([]);
    expect(storedFiles(gateway).map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  });

  it('uses the stored one after a restart, without an order', async () => {
    const before = await provenSerial(gateway.mediaUrl, DOMAINS[0]!, rootPem);
    await gateway.restart('SIGKILL');
    expect(await provenSerial(gateway.mediaUrl, DOMAINS[0]!, rootPem)).toBe(before);
    await server.stop();
    await gateway.restart();
    expect(await provenSerial(gateway.apiUrl, DOMAINS[1]!, rootPem)).toBe(before);
    expect([server.orders, server.issued]).toEqual([1, 1]);
  });
});

describe('a certificate that ends soon', () => {
  let server: TestAcmeServer;
  let gateway: TestGateway;
  let rootPem: string;

  beforeAll(async () => {
    const httpPort = await freePort();
    server = await TestAcmeServer.start({ folder, httpPort, lifetimeSec: SHORT_SEC });
    rootPem = await server.rootPem();
    gateway = await TestGateway.start(configOf(server, httpPort));
    await gateway.child.line(/certificate renewed/);
  });
  afterAll(async () => {
    await gateway?.dispose();
    await server?.stop();
  });

  it('is renewed, and an open connection stays', async () => {
    const first = await until('the first', () => provenSerial(gateway.mediaUrl, DOMAINS[0]!, rootPem));
    const kept = connectHttp2(gateway.mediaUrl, { ca: rootPem, servername: DOMAINS[0]! });
    await once(kept, 'connect');
    // One without a request would be closed.
    await ask(kept, `${gateway.mediaUrl}/healthz`);
    const serialOf = () => (kept.socket as TLSSocket).getPeerCertificate().serialNumber;
    expect(serialOf()).toBe(first);
    const fresh = () => provenSerial(gateway.mediaUrl, DOMAINS[0]!, rootPem);
    await until('another certificate', async () => (await fresh()) !== first);
    await until('the same at the API', async () => {
      return (await provenSerial(gateway.apiUrl, DOMAINS[1]!, rootPem)) === (await fresh());
    });
    expect((await ask(kept, `${gateway.mediaUrl}/healthz`)).status).toBe(200);
    expect([serialOf(), kept.closed]).toEqual([first, false]);
    kept.close();
  });

  it('stays in use while the ACME server is down; the log and the metric say so', async () => {
    await server.stop();
    const line = JSON.parse(await gateway.child.line(/certificate not renewed/, 60_000));
    expect(line).toMatchObject({ isSelfSigned: false, err: { code: 'ACME_UNREACHABLE' } });
    expect(line.retryInSec).toBeGreaterThanOrEqual(300);
    const session = await openHttp2(gateway.mediaUrl);
    const { issuer } = (session.socket as TLSSocket).getPeerCertificate();
    expect(issuer.CN).toMatch(/^Pebble/);
    session.close();
    expect(await metricsOf(gateway)).toContain('sluice_tls_certificate_stale{listener="api"} 1');
  });
});

describe('a gateway whose ACME server is down', () => {
  let server: TestAcmeServer;
  let gateway: TestGateway;
  let httpPort: number;

  beforeAll(async () => {
    httpPort = await freePort();
    server = await TestAcmeServer.start({ folder, httpPort, lifetimeSec: LONG_SEC });
    await server.stop();
    gateway = await TestGateway.start(configOf(server, httpPort));
  });
  afterAll(async () => {
    await gateway?.dispose();
    await server?.stop();
  });

  it('starts with a certificate of its own and says so, and asks once, also after a restart', async () => {
    const line = JSON.parse(await gateway.child.line(/certificate not renewed/));
    expect(line).toMatchObject({ isSelfSigned: true, domains: DOMAINS });
    const session = await openHttp2(gateway.mediaUrl);
    expect((await ask(session, `${gateway.mediaUrl}/readyz`)).status).toBe(200);
    session.close();
    const nothing = await fetch(`http://127.0.0.1:${httpPort}/`);
    expect(nothing.status).toBe(404);
    await gateway.restart();
    expect(await metricsOf(gateway)).toContain('sluice_tls_certificate_stale{listener="media"} 1');
    const postponed = JSON.parse(await gateway.child.line(/certificate order postponed/));
    expect(postponed).toMatchObject({ isSelfSigned: true, failure: 'ACME_UNREACHABLE' });
    expect(gateway.child.lines.filter((text) => text.includes('certificate not renewed'))).toEqual([]);
  });

  it('gets its certificate at SIGHUP when the server is there again', async () => {
    await server.run();
    gateway.child.process.kill('SIGHUP');
    await gateway.child.line(/certificate order requested/);
    await gateway.child.line(/certificate renewed/);
    const rootPem = await server.rootPem();
    await until('it', () => provenSerial(gateway.mediaUrl, DOMAINS[0]!, rootPem));
    expect(await metricsOf(gateway)).toContain('sluice_tls_certificate_stale{listener="media"} 0');
  });

  it('keeps it while a domain is new, says so, and gets one for all at SIGHUP', async () => {
    const rootPem = await server.rootPem();
    const before = await provenSerial(gateway.mediaUrl, DOMAINS[0]!, rootPem);
    await gateway.configure(configOf(server, httpPort, [...DOMAINS, 'new.example.com']));
    await gateway.restart();
    await gateway.child.line(/certificate order postponed/);
    expect(await provenSerial(gateway.mediaUrl, DOMAINS[0]!, rootPem)).toBe(before);
    expect(await metricsOf(gateway)).toContain('sluice_tls_certificate_stale{listener="media"} 1');
    gateway.child.process.kill('SIGHUP');
    await gateway.child.line(/certificate renewed/);
    await until('the new domain', () => provenSerial(gateway.mediaUrl, 'new.example.com', rootPem));
    expect(await metricsOf(gateway)).toContain('sluice_tls_certificate_stale{listener="media"} 0');
  });
});
