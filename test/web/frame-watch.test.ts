/** What tests see of a page's video: also across players, and on a page that is too busy to have a frame when it is announced. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { takeShownFrames, watchFrames } from './frame-watch.ts';

/** Trustworthy, as pages with players are; nothing listens there. */
const PAGE = 'http://localhost:1/';
/** The script runs before the watch begins, so its callbacks come first. */
const HTML = `<!doctype html><video muted></video><canvas></canvas><script>
const video = document.querySelector('video');
const canvas = document.querySelector('canvas');
const context = canvas.getContext('2d');
let shade = 0;
setInterval(() => {
  context.fillStyle = 'rgb(' + (shade = (shade + 40) % 256) + ', 0, 0)';
  context.fillRect(0, 0, canvas.width, canvas.height);
}, 40);
function play() {
  video.srcObject = canvas.captureStream();
  void video.play().catch(() => undefined);
}
let mayEmpty = false;
let hasEmptied = false;
function beforeWatch() {
  video.requestVideoFrameCallback(beforeWatch);
  if (!mayEmpty || hasEmptied) return;
  hasEmptied = true;
  video.srcObject = null;
  video.load();
}
video.requestVideoFrameCallback(beforeWatch);
play();
</script>`;

let browser: TestBrowser;
let record: PageRecord;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  record = await openPage(browser);
  await record.page.route(PAGE, (route) => route.fulfill({ contentType: 'text/html', body: HTML }));
  await watchFrames(record.page);
});
afterEach(() => record.page.close());

it('sees the frames of the next player after one that was announced when the video had none', async () => {
  const { page, problems } = record;
  await page.goto(PAGE);
  await until('frames', async () => (await takeShownFrames(page)).length > 0);
  await page.evaluate('mayEmpty = true');
  await page.waitForFunction('hasEmptied');
  await takeShownFrames(page);
  await page.evaluate('play()');
  await until('frames of the next player', async () => (await takeShownFrames(page)).length > 0);
  expect(problems).toEqual([]);
});
