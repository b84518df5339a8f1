/** Shared paths and viewer threads: every thread lists the same ones, and leads to them. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { openShare } from '../support/hls.ts';
import { rawRequest } from '../support/raw-http.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

/** With so many connections, none of two threads is left out. */
const CONNECTIONS = 40;
const SHARED_NAME = /[^"\n]*\/cdn\/[^"\n]*\/seg_[\d.]+\.mp4/g;

let camera: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    cdn: true,
    threads: { viewers: 2 },
    cameras: [{ name: 'Dock', rtsp: camera.url }],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

/** Each on a connection of its own. */
async function textsOf(playlistUrl: string): Promise<string[]> {
  const { pathname } = new URL(playlistUrl);
  const requested = Array.from({ length: CONNECTIONS }, () => rawRequest(gateway.mediaUrl, pathname));
  return (await Promise.all(requested)).map(({ body }) => body.toString());
}

it('lists the same paths on every thread, and serves them on every thread', async () => {
  const url = await openShare((await gateway.share('Dock')).m3u8Url);
  const texts = await until('segments', async () => {
    const all = await textsOf(url);
    return all.every((text) => text.includes('#EXTINF')) ? all : null;
  });
  const signatures = new Map<string, string>();
  for (const text of texts) {
    const names = text.match(SHARED_NAME) ?? [];
    expect(names.length).toBeGreaterThan(0);
    expect(text).not.toMatch(/^seg_/m);
    for (const name of names) {
      const { pathname } = new URL(name, url);
      const file = pathname.split('/').at(-1)!;
      expect(signatures.get(file) ?? pathname).toBe(pathname);
      signatures.set(file, pathname);
    }
  }
  const hinted = /HINT:TYPE=PART,URI="([^"]+)"/.exec(texts[0]!)![1]!;
  const paths = [...signatures.values(), new URL(hinted, url).pathname];
  const responses = await Promise.all(paths.map((path) => rawRequest(gateway.mediaUrl, path)));
  expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200));
  for (const { headers } of responses)
    expect(headers['cache-control']).toMatch(/^public, max-age=\d+, immutable/);
});

it('follows a change of the share on every thread', async () => {
  const share = await gateway.share('Dock');
  const url = await openShare(share.m3u8Url);
  const isShared = async (wanted: boolean) =>
    (await textsOf(url)).every((text) => text.includes('#EXTINF') && text.includes('/cdn/') === wanted);
  await until('shared paths', () => isShared(true));
  const change = { uuid: share.uuid, cdn: false, cdnUpdated: true };
  await gateway.call('camera/updateSharedLiveVideoStream', change);
  await until('paths of the viewer', () => isShared(false));
});
