/**
 * 10,000 alerts in a row, on a gateway with a real mail server: a few mails that count each of them, while the API keeps responding. The
 * delays are printed, and judge nothing.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import { TestGateway } from '../support/gateway.ts';
import { TestSmtpServer } from '../support/smtp-server.ts';

const ALERTS = 10_000;
const TOGETHER = 500;
const CAMERAS = 40;
const MAX_MAILS = 20;
const EMAIL = 'ada@example.com';

let server: TestSmtpServer;
let gateway: TestGateway;

beforeAll(async () => {
  server = await TestSmtpServer.open();
  gateway = await TestGateway.start({
    mail: { host: '127.0.0.1', port: server.port, tls: 'none', from: 'alarms@example.com' },
    cameras: Array.from({ length: CAMERAS }, (_, index) => ({
      name: `Mast ${index}`,
      rtsp: `rtsp://127.0.0.1:9/${index}`,
    })),
  });
});
afterAll(async () => {
  await gateway?.dispose();
  await server?.close();
});

it('is a few mails that count each alert, and the API keeps responding', async () => {
  const { inviteUrl } = await gateway.call('console/invitePerson', {
    name: 'Ada',
    email: EMAIL,
    role: 'admin',
  });
  const accepted = await fetch(`${gateway.apiUrl}/api/console/acceptInvite`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: gateway.apiUrl, 'x-auth-scheme': 'console' },
    body: JSON.stringify({
      inviteToken: String(inviteUrl).split('#invite=')[1],
      password: 'correct horse battery',
    }),
  });
  const { person } = (await accepted.json()) as { person: { personUuid: string } };
  const timeFrames = [{ mediums: ['EMAIL'], rows: [{ activities: ['MOTION_HUMAN'] }] }];
  await gateway.call('customer/updateCurrentUserNotificationSettings', {
    userUuid: person.personUuid,
    timeFrames,
  });
  const cameras = await Promise.all(
    Array.from({ length: CAMERAS }, (_, index) => gateway.cameraUuid(`Mast ${index}`)),
  );

  let isOver = false;
  const delaysMs: number[] = [];
  const asking = (async () => {
    while (!isOver) {
      const beganMs = performance.now();
      const response = await gateway.call('camera/getMinimalCameraStateList', {});
      expect(response.error).toBe(false);
      delaysMs.push(performance.now() - beganMs);
    }
  })();
  const beganMs = performance.now();
  for (let start = 0; start < ALERTS; start += TOGETHER) {
    const rows = Array.from({ length: TOGETHER }, (_, index) => ({
      uuid: newRuuid(),
      deviceUuid: cameras[(start + index) % CAMERAS]!,
      timestampMs: Date.now(),
      policyAlertTriggers: ['MOTION_HUMAN'],
    }));
    expect(await gateway.call('ingest/policyAlerts', { rows })).toMatchObject({ rejected: [] });
  }
  const counted = () =>
    server.for(EMAIL).reduce((sum, { headers }) => sum + Number(headers.get('x-sluice-count')), 0);
  await expect.poll(counted, { timeout: 240_000, interval: 500 }).toBe(ALERTS);
  const tookMs = performance.now() - beganMs;
  isOver = true;
  await asking;
  expect(server.for(EMAIL).length).toBeLessThanOrEqual(MAX_MAILS);
  const sorted = delaysMs.sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))]!);
  process.stdout.write(
    `${ALERTS} alerts: ${server.for(EMAIL).length} mails in ${Math.round(tookMs / 1_000)} s; ` +
      `${sorted.length} calls of the API, median ${at(0.5)} ms, 99% ${at(0.99)} ms, longest ${at(1)} ms\n`,
  );
}, 300_000);
