/** Signing in to the console of a whole gateway: the link of the first start, people, roles, and the command line. */

import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../support/cli.ts';
import { type Json, TestGateway } from '../support/gateway.ts';

const PASSWORD = 'correct horse battery';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ demo: false });
});
afterAll(() => gateway?.dispose());

/** A browser at the console. */
class Browser {
  #cookie = '';

  async post(path: string, body: Json = {}): Promise<{ status: number; answer: Json }> {
    const response = await fetch(`${gateway.apiUrl}/api/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-auth-scheme': 'console',
        origin: gateway.apiUrl,
        cookie: this.#cookie,
      },
      body: JSON.stringify(body),
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) this.#cookie = set.split(';')[0]!;
    return { status: response.status, answer: (await response.json()) as Json };
  }
}

const config = () => join(gateway.folder, 'sluice.yaml');
const linkFile = () => join(gateway.folder, 'data', 'console-link.txt');
const codeOf = (link: string) => /\/console\/#code=(slk_[\w-]{43})$/.exec(link.trim())![1]!;

it('leads from the link of the first start to people with roles, and to no link any more', async () => {
  const link = await readFile(linkFile(), 'utf8');
  expect(link.startsWith(`${gateway.apiUrl}/console/#code=`)).toBe(true);
  expect((await stat(linkFile())).mode & 0o777).toBe(0o600);
  expect(gateway.child.lines.join('\n')).toContain('console-link.txt: a link that works once');
  expect(gateway.child.lines.join('\n')).not.toContain(codeOf(link));

  const admin = new Browser();
  const { answer } = await admin.post('console/signIn', { oneTimeCode: codeOf(link) });
  expect(answer.person).toMatchObject({ name: 'Administrator', role: 'admin' });
  const { personUuid } = answer.person;
  await admin.post('console/updatePerson', { personUuid, name: 'Ada', email: 'ada@example.com' });
  expect(await admin.post('console/changePassword', { newPassword: PASSWORD })).toMatchObject({
    status: 200,
  });

  const wanted = { name: 'Bea', email: 'bea@example.com', role: 'viewer' };
  const invited = await admin.post('console/invitePerson', wanted);
  const inviteToken = invited.answer.inviteUrl.split('#invite=')[1];
  const viewer = new Browser();
  await viewer.post('console/acceptInvite', { inviteToken, password: PASSWORD });
  expect(await viewer.post('location/getLocations')).toMatchObject({ status: 200 });
  const denied = await viewer.post('location/createLocation', { name: 'Pier', address1: 'x', tz: 'UTC' });
  expect(denied).toMatchObject({ status: 403, answer: { errorMsg: expect.stringContaining('role admin') } });

  const sessions = await admin.post('console/getSessions', { everyone: true });
  const hers = sessions.answer.sessions.find((each: Json) => !each.isCurrent);
  expect(await admin.post('console/endSession', { sessionUuid: hers.sessionUuid })).toMatchObject({
    status: 200,
  });
  expect(await viewer.post('location/getLocations')).toMatchObject({ status: 401 });

  await gateway.restart();
  expect(existsSync(linkFile())).toBe(false);
  expect(await admin.post('console/getSession')).toMatchObject({ answer: { person: { name: 'Ada' } } });
});

it('takes links and keys with a role from the command line while it runs', async () => {
  const made = await runCli('console-link', '--config', config(), '--email', 'BEA@example.com');
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('works once') });
  const bea = new Browser();
  const { answer } = await bea.post('console/signIn', { oneTimeCode: codeOf(made.stdout) });
  expect(answer.person).toMatchObject({ name: 'Bea', role: 'viewer' });
  expect(await runCli('console-link', '--config', config(), '--email', 'no.one@example.com')).toMatchObject({
    code: 2,
    stdout: '',
  });

  const key = (await runCli('keys', 'make', '--config', config(), '--role', 'viewer')).stdout.trim();
  expect(await gateway.call('location/getLocations', {}, key)).toMatchObject({ error: false });
  const denied = await gateway.call('location/createLocation', { name: 'Pier' }, key);
  expect(denied.errorMsg).toBe('This needs the role admin. The caller has the role viewer.');
  expect((await runCli('keys', 'list', '--config', config())).stdout).toMatch(/ viewer +\S+ +active/);
  const device = await runCli('keys', 'make', '--config', config(), '--role', 'viewer', '--scheme', 'device');
  expect([device.code, device.stdout]).toEqual([2, '']);
});
