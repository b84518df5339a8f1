/** A link with a password and a schedule in Chromium: refused, watched, hidden, watched again, and cut off for good. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { expectInOrder } from '../support/frame-order.ts';
import { PATIENT, TestGateway } from '../support/gateway.ts';
import { refusalReason } from '../support/hls.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { cardTitled, takePictures } from '../web/frame-watch.ts';
import { useGatewayPage } from '../web/gateway-page.ts';
import { expectNoPicture, waitForMotion } from '../web/page-probes.ts';

const PASSWORD = 'Correct horse';
const ALWAYS = [{ minuteOfWeekStart: 0, minuteOfWeekStop: 0 }];
const PICTURES = 25;
const WAIT_MS = 90_000;

let camera: SyntheticCamera;
let gateway: TestGateway;

/** Ends all of it, the newest first, also what was started before something failed. */
const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());

beforeAll(async () => {
  camera = started.adopt(await startCamera(), (one) => one.close());
  gateway = started.adopt(
    await TestGateway.start({
      sources: PATIENT,
      hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
      cameras: [{ name: 'Dock', rtsp: camera.url }],
    }),
    (one) => one.dispose(),
  );
});

const opened = useGatewayPage(() => gateway);

it('asks for the password, follows its schedule, and ends with its reason when it is revoked', async () => {
  const { page } = opened();
  page.setDefaultTimeout(WAIT_MS);
  const { scheduleUuid } = await gateway.call('schedule/createWeeklySchedule', {
    schedule: { name: 'Opening hours', intervalList: ALWAYS },
  });
  const share = await gateway.share('Dock', { password: PASSWORD, scheduleUuid });
  const schedule = (intervalList: object[]) =>
    gateway.call('policy/updateSchedule', { schedule: { uuid: scheduleUuid, intervalList } });

  // No password, no media: for programs, too.
  const bare = await fetch(share.m3u8Url);
  expect([bare.status, await refusalReason(bare)]).toEqual([401, 'password-needed']);
  await page.goto(share.pageUrl);
  await page.fill('#password', PASSWORD.toLowerCase());
  await page.press('#password', 'Enter');
  await page.waitForSelector('#password-error:has-text("isn’t right")');
  await expectNoPicture(page);

  const playlists = new Set<string>();
  page.on('request', (request) => {
    if (request.url().includes('.m3u8')) playlists.add(request.url());
  });
  await page.fill('#password', PASSWORD);
  await page.press('#password', 'Enter');
  await waitForMotion(page);
  expectInOrder(await takePictures(page, PICTURES), { fps: FRAMES_PER_SEC, clipFrames: 64 * FRAMES_PER_SEC });
  const [playlistUrl] = playlists;
  expect((await fetch(playlistUrl!)).status).toBe(200);

  await schedule([]);
  await cardTitled(page, 'Not available right now');
  await expectNoPicture(page);
  const hidden = await fetch(playlistUrl!);
  expect([hidden.status, await refusalReason(hidden)]).toEqual([403, 'hidden-by-schedule']);
  await schedule(ALWAYS);
  await page.reload();
  await page.fill('#password', PASSWORD);
  await page.press('#password', 'Enter');
  await waitForMotion(page);

  await gateway.revoke(share);
  const { text } = await cardTitled(page, 'This link has been turned off');
  expect(text).not.toBe('');
  await expectNoPicture(page);
  for (const url of [playlistUrl!, share.m3u8Url]) {
    const refused = await fetch(url);
    expect([refused.status, await refusalReason(refused)]).toEqual([403, 'revoked']);
  }
});
