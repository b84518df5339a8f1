/** An emergency outlives a gateway that is killed, and is over on time all the same: with one mail, and with its report. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { openShare } from '../support/hls.ts';
import { TestSmtpServer } from '../support/smtp-server.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const DISPATCH = 'dispatch@county.example';

let camera: SyntheticCamera;
let smtp: TestSmtpServer;
let gateway: TestGateway;

beforeAll(async () => {
  camera = await startCamera();
  smtp = await TestSmtpServer.open();
  gateway = await TestGateway.start({
    demo: false,
    mail: { host: '127.0.0.1', port: smtp.port, tls: 'none', from: 'alarms@example.com' },
    cameras: [{ name: 'Lobby', rtsp: camera.url }],
  });
});
afterAll(async () => {
  await gateway?.dispose();
  await smtp?.close();
  await camera?.close();
});

it('kill -9 neither ends it early, nor keeps it open, nor sends its link twice', async () => {
  const { partner } = await gateway.call('emergency/setEmergencyPartner', {
    name: 'Dispatch',
    partnerType: 'RAPIDSOS',
    mailAddresses: [DISPATCH],
  });
  const { emergency, links } = await gateway.call('emergency/openEmergency', {
    emergencyPartnerUuid: partner.emergencyPartnerUuid,
    cameraUuids: [await gateway.cameraUuid('Lobby')],
    reason: 'Fire',
    minutes: 1,
  });
  await until('the mail', () => smtp.for(DISPATCH).length > 0);
  const mailed = links.find(({ sentBy }: Json) => sentBy === 'mail').cameraUrls[0].liveM3U8Url;
  const { pathname } = new URL(mailed);
  const urlNow = () => new URL(pathname, gateway.mediaUrl).href;
  const before = new TestViewer((await openShare(urlNow())).replace('stream.m3u8', 'file.m3u8'));
  await until('parts', () => before.parts > 0);

  gateway.child.process.kill('SIGKILL');
  await gateway.child.exited;
  await gateway.run();
  await until('the link is open again', async () => (await fetch(urlNow())).ok);
  const viewer = new TestViewer((await openShare(urlNow())).replace('stream.m3u8', 'file.m3u8'));
  await until('parts after the restart', () => viewer.parts > 0);
  await until('the end', () => viewer.failures.length > 0);
  expect(viewer.failures[0]).toMatch(/^403 .*"(?:revoked|expired)"/);
  expect((await fetch(urlNow())).status).toBe(403);

  const { emergencyUuid } = emergency;
  const report = () => gateway.call('emergency/getEmergencyReport', { emergencyUuid });
  await until('its report', async () => (await report()).emergency.isOpen === false);
  const { emergency: past, views, deliveries } = await report();
  expect(past.closedAtMs).toBe(emergency.untilMs);
  // The killed gateway could not say when its viewer's view ended.
  expect(views).toHaveLength(2);
  expect(views.map(({ untilMs }: Json) => untilMs === undefined)).toEqual([true, false]);
  expect(deliveries).toMatchObject([{ address: DISPATCH, state: 'DELIVERED', attempts: 1 }]);
  expect(smtp.for(DISPATCH)).toHaveLength(1);
});
