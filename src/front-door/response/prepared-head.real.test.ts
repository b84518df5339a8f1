import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import { RawViewer } from '../raw-viewer-fixture.ts';

const LOADED_MS = Date.now();

const PART_BYTES = 40_000;

let door: FrontDoorFixture;
let port: number;
let folder: string;

beforeAll(async () => {
  door = await openFrontDoorFixture();
  door.camera.start().publishSegments(2, PART_BYTES);
  folder = await door.openShare(await door.share());
  await door.listen();
  port = (door.app.server.address() as AddressInfo).port;
});
afterAll(() => door.close());

/** The lines of the response's head, and its body. */
async function ask(path: string, ...headers: readonly string[]): Promise<{ head: string[]; body: string }> {
  const viewer = await RawViewer.connect(port);
  const lines = [`GET ${path} HTTP/1.1`, 'Host: media', ...headers];
  viewer.socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await expect.poll(() => viewer.text).toContain('\r\n\r\n');
  const [head = '', body = ''] = viewer.text.split('\r\n\r\n');
  viewer.leave();
  // A RawViewer keeps only the beginning of each chunk of a long body.
  return { head: head.split('\r\n'), body: body.slice(0, 500) };
}

/** Headers that say whether the connection stays open, and the date. */
const isNodes = (line: string): boolean => /^(?:Connection|Keep-Alive|Date): /.test(line);

describe('a head that was prepared', () => {
  it.each([
    ['playlist', 'file.m3u8', []],
    ['compressed playlist', 'file.m3u8', ['Accept-Encoding: gzip']],
    ['part', 'seg_1.0.m4v', []],
  ])('of a %s is the one that Node makes', async (_what, name, headers) => {
    const prepared = await ask(folder + name, ...headers);
    const afterMs = Date.now();
    // Node makes those of a connection that ends.
    const made = await ask(folder + name, ...headers, 'Connection: close');
    expect(prepared.head.filter((line) => !isNodes(line))).toEqual(
      made.head.filter((line) => !isNodes(line)),
    );
    expect(prepared.head[0]).toBe('HTTP/1.1 200 OK');
    expect(prepared.body).toBe(made.body);
    expect(made.head).toContain('Connection: close');
    const [date, connection, keepAlive] = prepared.head.filter(isNodes);
    expect([connection, keepAlive]).toEqual(['Connection: keep-alive', 'Keep-Alive: timeout=75']);
    const dateMs = Date.parse(date!.slice('Date: '.length));
    // In whole seconds, and made every second.
    const isOfThisRun = dateMs > LOADED_MS - 1_000 && dateMs <= afterMs;
    expect({ dateMs, afterMs, isOfThisRun }).toMatchObject({ isOfThisRun: true });
    expect(date).toBe(`Date: ${new Date(dateMs).toUTCString()}`);
  });

  it('is followed by further responses on the same connection', async () => {
    const viewer = await RawViewer.connect(port);
    viewer.ask(`${folder}file.m3u8`, `${folder}file.m3u8`, `${folder}seg_init.mp4`);
    viewer.send('HEAD', `${folder}file.m3u8`).send('GET', `${folder}nothing`);
    await expect.poll(() => viewer.text).toContain('HTTP/1.1 404');
    const statuses = viewer.text.match(/HTTP\/1\.1 \d+/g);
    expect(statuses).toEqual([...Array(4).fill('HTTP/1.1 200'), 'HTTP/1.1 404']);
    expect(viewer.text.split('#EXTM3U')).toHaveLength(3);
    viewer.leave();
  });
});
