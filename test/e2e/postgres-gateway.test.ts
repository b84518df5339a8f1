/** A whole gateway on a PostgreSQL database: what it keeps across crashes of either, and what its operator sees. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { runCli } from '../support/cli.ts';
import { API_KEY, type Json, TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { POSTGRES_PASSWORD, PostgresServer } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const COMMON = {
  demo: false,
  nvrs: [{ name: 'Core' }],
  // No one watches: it is never connected to.
  cameras: [{ name: 'Lobby', nvr: 'Core', rtsp: 'rtsp://127.0.0.1:9/' }],
};
const SECRETS = [POSTGRES_PASSWORD, encodeURIComponent(POSTGRES_PASSWORD)];

let server: PostgresServer;
let gateway: TestGateway;

beforeAll(async () => {
  server = await PostgresServer.start();
  const database = await server.createDatabase();
  gateway = await TestGateway.start({ ...COMMON, database: database.reveal() });
});
afterAll(async () => {
  await gateway?.dispose();
  await server?.dispose();
});

async function shareUuids(): Promise<string[]> {
  const { sharedLiveVideoStreams } = await gateway.call('camera/findAllSharedLiveVideoStreams');
  return sharedLiveVideoStreams.map(({ uuid }: Json) => uuid);
}

describe('shares', () => {
  it('are there again after the gateway was killed', async () => {
    const share = await gateway.share('Lobby');
    await gateway.restart('SIGKILL');
    expect(await shareUuids()).toContain(share.uuid);
    expect((await fetch(share.pageUrl)).status).toBe(200);
  });

  it('that were answered outlive a server that crashes under load, and others are refused until it is back', async () => {
    const cameraUuid = await gateway.cameraUuid('Lobby');
    const acknowledged: string[] = [];
    let refused = 0;
    let isOver = false;
    const writers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const body = { cameraUuid, streamType: 'USER', vodEnabled: false };
        const response = await gateway.call('camera/createSharedLiveVideoStream', body);
        if (response.error) refused += 1;
        else acknowledged.push(response.sharedLiveVideoStreamUuid);
      }
    });
    await until('shares', () => acknowledged.length > 100);
    await server.stop('SIGQUIT');
    await until('the gateway is not ready', async () => {
      const response = await fetch(`${gateway.apiUrl}/readyz`);
      return response.status === 503 && (await response.text()).includes('STORE_UNREACHABLE');
    });
    await until('refusals', () => refused > 0);
    const refusal = await fetch(`${gateway.apiUrl}/api/camera/findAllSharedLiveVideoStreams`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-apikey': API_KEY, 'x-auth-scheme': 'api-token' },
      body: '{}',
    });
    expect(refusal.status).toBe(503);
    expect(await refusal.json()).toMatchObject({ error: true });
    await server.run();
    await until('the gateway is ready', async () => (await fetch(`${gateway.apiUrl}/readyz`)).ok);
    const before = acknowledged.length;
    await until('shares after the crash', () => acknowledged.length > before + 20);
    isOver = true;
    await Promise.all(writers);
    const kept = new Set(await shareUuids());
    expect(acknowledged.filter((uuid) => !kept.has(uuid))).toEqual([]);
  });
});

describe('the operator', () => {
  async function configFile(database: string): Promise<string> {
    const file = join(gateway.folder, 'operator.yaml');
    const listen = { api: '127.0.0.1:0', media: '127.0.0.1:0' };
    await writeFile(file, stringify({ listen, data: join(gateway.folder, 'data'), demo: false, database }));
    return file;
  }

  it('sees from sluice check that the database answers', async () => {
    const file = await configFile(server.url().reveal());
    const { code, stdout } = await runCli('check', '--config', file);
    expect(stdout).toMatch(/^Database works: PostgreSQL \d+\.\d+.*, empty\.$/m);
    expect(code).toBe(0);
  });

  it.each(['check', 'serve'])('is told by sluice %s in one sentence what is wrong', async (command) => {
    const url = new URL(server.url().reveal());
    url.port = String(await freePort());
    const { code, stdout, stderr } = await runCli(command, '--config', await configFile(url.href));
    const output = stdout + stderr;
    expect(code).toBe(1);
    expect(output).toMatch(
      /^The PostgreSQL server of the setting `database` cannot be reached\..*ECONNREFUSED 127\.0\.0\.1:/m,
    );
    expect(output).not.toMatch(/^\s+at /m);
    for (const secret of SECRETS) expect(output).not.toContain(secret);
  });

  it('makes keys with sluice keys while the gateway runs', async () => {
    const config = join(gateway.folder, 'sluice.yaml');
    const { code, stdout } = await runCli('keys', 'make', '--name', 'second', '--config', config);
    expect(code).toBe(0);
    const response = await gateway.call('camera/findAllSharedLiveVideoStreams', {}, stdout.trim());
    expect(response.sharedLiveVideoStreams.length).toBeGreaterThan(0);
  });

  it('finds no password in the log', () => {
    const { lines } = gateway.child;
    expect(lines.some((line) => line.includes('STORE_UNREACHABLE'))).toBe(true);
    for (const secret of SECRETS) expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  });
});
