import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import type { LoopbackClient } from '../loopback-client-fixture.ts';

const PART_BYTES = 40_000;
/** More than the sockets buffer: a viewer that does not read leaves the rest in the gateway. */
const MORE_THAN_SOCKETS_TAKE_BYTES = 32 * 1_048_576;
const SEGMENT_BYTES = 4 * PART_BYTES;

let door: FrontDoorFixture;
let client: LoopbackClient;
let folder: string;
/** The camera's bytes of the second segment. */
let segment: Buffer;

beforeAll(async () => {
  door = await openFrontDoorFixture();
  const live = door.camera.start();
  live.publishSegments(2, PART_BYTES);
  segment = live.segment(1)!.bytes;
  folder = await door.openShare(await door.share());
  client = await door.listen();
});
afterAll(() => door.close());

describe('media over a connection', () => {
  it('carries the bytes of the live window, whole and in parts', async () => {
    const whole = await client.get(`${folder}seg_1.m4v`);
    expect([whole.statusCode, whole.body.equals(segment)]).toEqual([200, true]);
    expect(whole.headers).toMatchObject({
      'content-length': String(segment.length),
      'accept-ranges': 'bytes',
    });
    expect(whole.headers['transfer-encoding']).toBeUndefined();
    const parts = await Promise.all([0, 1, 2, 3].map((part) => client.get(`${folder}seg_1.${part}.mp4`)));
    expect(Buffer.concat(parts.map(({ body }) => body)).equals(whole.body)).toBe(true);
  });

  it.each([
    ['bytes=0-', 0, SEGMENT_BYTES - 1],
    ['bytes=0-0', 0, 0],
    ['bytes=10-59', 10, 59],
    ['bytes=-1', SEGMENT_BYTES - 1, SEGMENT_BYTES - 1],
    ['bytes=100-99999999', 100, SEGMENT_BYTES - 1],
  ])('of the range %s is that part', async (range, first, last) => {
    expect(segment).toHaveLength(SEGMENT_BYTES);
    const response = await client.get(`${folder}seg_1.m4v`, { range });
    expect(response.statusCode).toBe(206);
    expect(response.headers).toMatchObject({
      'content-range': `bytes ${first}-${last}/${SEGMENT_BYTES}`,
      'content-length': String(last - first + 1),
      'content-type': 'video/mp4',
      'cache-control': 'private, max-age=3600, immutable',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Retry-After, Content-Range, Date',
    });
    expect(response.body.equals(segment.subarray(first, last + 1))).toBe(true);
  });

  it('beyond its end cannot be satisfied', async () => {
    for (const range of [`bytes=${SEGMENT_BYTES}-`, 'bytes=-0']) {
      const response = await client.get(`${folder}seg_1.m4v`, { range });
      expect([response.statusCode, response.body.length, response.headers['content-range']]).toEqual([
        416,
        0,
        `bytes */${SEGMENT_BYTES}`,
      ]);
    }
  });

  it.each(['bytes=5-1', 'bytes=0-1,4-5', 'items=0-1'])('for the range %s is whole', async (range) => {
    const response = await client.get(`${folder}seg_1.m4v`, { range });
    expect([response.statusCode, response.body.equals(segment)]).toEqual([200, true]);
    expect(response.headers['content-range']).toBeUndefined();
  });

  it('that was waited for can be sent by range, too', async () => {
    const requested = client.get(`${folder}seg_2.1.m4v`, { range: 'bytes=5-8' });
    const live = door.camera.fake('main');
    while (live.waitingCount === 0) await new Promise(setImmediate);
    live.publish(PART_BYTES);
    const response = await requested;
    expect([response.statusCode, String(response.body)]).toEqual([206, 'part']);
  });

  it('is returned when it is sent, or when the viewer leaves before', async () => {
    const live = door.camera.fake('main');
    const loansBefore = live.loans;
    await client.get(`${folder}seg_1.m4v`);
    await client.get(`${folder}seg_1.2.mp4`, { range: 'bytes=0-9' });
    await client.get(`${folder}seg_1.m4v`, { range: 'bytes=-0' });
    while (live.loans > loansBefore) await new Promise(setImmediate);
    while (live.segment(2) === null) live.publish(MORE_THAN_SOCKETS_TAKE_BYTES);
    const loansOfTest = live.loans;
    const { answer, leave } = client.begin(`${folder}seg_2.3.mp4`, {});
    while (live.loans === loansOfTest) await new Promise(setImmediate);
    leave();
    await expect(answer).rejects.toThrow();
    while (live.loans > loansOfTest) await new Promise(setImmediate);
  });

  it('does not send a body for HEAD, not even for a range', async () => {
    const { answer } = client.begin(`${folder}seg_1.m4v`, {
      method: 'HEAD',
      headers: { range: 'bytes=1-2' },
    });
    const { statusCode, headers, body } = await answer;
    expect([statusCode, headers['content-length'], body.length]).toEqual([206, '2', 0]);
  });
});
