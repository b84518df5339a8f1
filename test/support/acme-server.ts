/**
 * The test's own ACME server, Pebble of Let's Encrypt, on loopback ports. It validates as a public one does: it asks DNS
 * (where every name is this machine) and then the domain itself.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { resolve } from 'node:path';
import { installAcmeServer } from '../../scripts/api-tools.mjs';
import type { CertificateFolder } from './certificates.ts';
import { Child } from './child.ts';
import { freePort } from './ports.ts';

const PROGRAMS = resolve(import.meta.dirname, '../../.cache/acme-server');

export interface AcmeServerOptions {
  readonly folder: CertificateFolder;
  /** Where it looks for the responses of all domains. */
  readonly httpPort: number;
  /** Lifetime of the certificates that it issues. */
  readonly lifetimeSec: number;
}

export class TestAcmeServer {
  readonly directory: string;
  /** Certificate authority of its own HTTPS. */
  readonly ca: string;
  readonly #children: Child[] = [];
  readonly #managementUrl: string;
  readonly #config: string;
  readonly #dnsPort: number;

  private constructor(
    ports: { readonly api: number; readonly management: number; readonly dns: number },
    { folder, httpPort, lifetimeSec }: AcmeServerOptions,
  ) {
    const https = folder.make(`acme-${ports.api}`);
    this.directory = `https://localhost:${ports.api}/dir`;
    this.ca = https.cert;
    this.#managementUrl = `https://localhost:${ports.management}`;
    this.#dnsPort = ports.dns;
    this.#config = folder.path(`acme-${ports.api}.json`);
    const pebble = {
      listenAddress: `127.0.0.1:${ports.api}`,
      managementListenAddress: `127.0.0.1:${ports.management}`,
      certificate: https.cert,
      privateKey: https.key,
      httpPort,
      tlsPort: httpPort,
      ocspResponderURL: '',
      profiles: { default: { description: 'The only one', validityPeriod: lifetimeSec } },
    };
    writeFileSync(this.#config, JSON.stringify({ pebble }));
  }

  static async start(options: AcmeServerOptions): Promise<TestAcmeServer> {
    await installAcmeServer();
    const ports = { api: await freePort(), management: await freePort(), dns: await freePort() };
    const server = new TestAcmeServer(ports, options);
    try {
      await server.run();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  get log(): readonly string[] {
    return this.#children.flatMap(({ lines }) => lines);
  }

  /** How many certificates it has issued. */
  get issued(): number {
    return this.log.filter((line) => line.includes('Issued certificate serial')).length;
  }

  /** How many orders were placed. Requests that it refused because of their nonce are not among them. */
  get orders(): number {
    return this.log.filter((line) => /Added order .* to the db/.test(line)).length;
  }

  /** Root of the chains of its certificates. */
  rootPem(): Promise<string> {
    const options = { ca: readFileSync(this.ca) };
    return new Promise((done, fail) => {
      request(`${this.#managementUrl}/roots/0`, options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => done(text));
      })
        .on('error', fail)
        .end();
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.end('SIGKILL')));
  }

  /** Runs again after `stop`: with the same ports, another root, and without its former state. */
  async run(): Promise<void> {
    const dns = `127.0.0.1:${this.#dnsPort}`;
    const off = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-doh', ''];
    const names = new Child(`${PROGRAMS}/pebble-challtestsrv`, [
      ...off,
      ...['-dnsserver', dns, '-management', `127.0.0.1:${await freePort()}`],
      ...['-defaultIPv4', '127.0.0.1', '-defaultIPv6', ''],
    ]);
    this.#children.push(names);
    // No waits that are there to make clients ask more than once.
    const env = { PEBBLE_VA_NOSLEEP: '1' };
    const args = ['-config', this.#config, '-dnsserver', dns, '-strict'];
    const pebble = new Child(`${PROGRAMS}/pebble`, args, env);
    this.#children.push(pebble);
    await pebble.line(/ACME directory available/);
  }
}
