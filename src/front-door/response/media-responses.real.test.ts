import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Share } from '../../store/entities.ts';
import type { FakeRendition } from '../fake-live-camera.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import { RawViewer } from '../raw-viewer-fixture.ts';
import { GRACE_MS, MAX_RESPONSES_PER_VIEWER, MIN_BYTES_PER_SEC } from './media-responses.ts';

const MIB = 1_048_576;
/** Size of four parts. The sockets on loopback take less than one. */
const LARGE_BYTES = 24 * MIB;
const SEGMENTS = 6;
/** The next part: one more than those of the segments. */
const NEXT = `seg_${SEGMENTS + 1}.1.m4v`;
const AFTER_NEXT = `seg_${SEGMENTS + 1}.2.m4v`;

let door: FrontDoorFixture;
let live: FakeRendition;
let port: number;
let viewers: RawViewer[];

beforeEach(async () => {
  door = await openFrontDoorFixture();
  live = door.camera.start();
  viewers = [];
  await door.listen();
  port = (door.app.server.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const viewer of viewers) viewer.leave();
  await door.close();
});

async function connect(): Promise<RawViewer> {
  const viewer = await RawViewer.connect(port);
  viewers.push(viewer);
  return viewer;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

/** A share, its viewer's folder, and segments of the given size from number 1 on. */
async function watch(segmentBytes: number, fields: object = {}): Promise<{ share: Share; folder: string }> {
  live.publishSegments(SEGMENTS + 1, segmentBytes / 4);
  const share = await door.share(fields);
  return { share, folder: await door.openShare(share) };
}

function names(folder: string, count = SEGMENTS): string[] {
  return Array.from({ length: count }, (_, index) => `${folder}seg_${index + 1}.m4v`);
}

const timeFor = (bytes: number) => GRACE_MS + (bytes * 1_000) / MIN_BYTES_PER_SEC;

describe('a viewer that does not read what it requested', () => {
  it('is cut off after the time that the slowest allowed viewer needs, but not before', async () => {
    const { folder } = await watch(LARGE_BYTES);
    const slow = (await connect()).stopReading().ask(`${folder}seg_1.m4v`);
    await until(() => live.loans === 1);
    door.sharing.clock.advance(timeFor(LARGE_BYTES) - 2_000);
    expect([live.loans, door.app.mediaResponses.cuts()['too-slow']]).toEqual([1, 0]);
    door.sharing.clock.advance(4_000);
    expect(door.app.mediaResponses.cuts()['too-slow']).toBe(1);
    await until(() => live.loans === 0);
    slow.goOn();
    await until(() => slow.end !== null);
    expect(slow.bytesRead).toBeLessThan(LARGE_BYTES);
  });

  it('is not cut off while it reads in time, one response after the other on one connection', async () => {
    const { folder } = await watch(LARGE_BYTES);
    const viewer = (await connect()).stopReading().ask(...names(folder, 2));
    await until(() => live.loans === 2);
    door.sharing.clock.advance(timeFor(LARGE_BYTES) - 2_000);
    viewer.goOn();
    await until(() => live.loans === 1);
    viewer.stopReading();
    // The second one's time began when its turn came.
    door.sharing.clock.advance(timeFor(LARGE_BYTES) - 2_000);
    viewer.goOn();
    await until(() => live.loans === 0);
    expect(door.app.mediaResponses.cuts()['too-slow']).toBe(0);
  });

  it('ends every loan of its connection when it leaves, including those of queued responses', async () => {
    const { folder } = await watch(LARGE_BYTES);
    const viewer = (await connect()).stopReading().ask(...names(folder, 2));
    await until(() => live.loans === 2);
    viewer.leave();
    await until(() => live.loans === 0);
    expect(door.app.mediaResponses.size).toBe(0);
  });

  it('ends its loans when the window wants them back', async () => {
    const { folder } = await watch(LARGE_BYTES);
    const viewer = (await connect()).stopReading().ask(`${folder}seg_1.m4v`);
    await until(() => live.loans === 1);
    live.isRecalled = true;
    door.sharing.clock.advance(1_000);
    await until(() => live.loans === 0);
    viewer.goOn();
    await until(() => viewer.end !== null);
    expect(viewer.bytesRead).toBeLessThan(LARGE_BYTES);
  });

  it('gets no more than a viewer needs, while others are served', async () => {
    const { share, folder } = await watch(LARGE_BYTES);
    const [hoarder, other] = [await connect(), await connect()];
    hoarder.stopReading().ask(...names(folder, 3));
    await until(() => live.loans === 2);
    const refused = await door.get(`${folder}seg_4.m4v`);
    expect([refused.statusCode, refused.json().reason]).toEqual([503, 'busy']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    other.ask(`${await door.openShare(share)}seg_1.m4v`);
    await until(() => other.bytesRead > LARGE_BYTES);
    expect(live.loans).toBe(2);
  });

  it('gets no more concurrent responses than a viewer needs, however small', async () => {
    const { folder } = await watch(4);
    live.publishSegments(1, LARGE_BYTES / 4);
    const viewer = (await connect()).stopReading().ask(`${folder}seg_${SEGMENTS + 1}.m4v`);
    for (let i = 0; i < MAX_RESPONSES_PER_VIEWER + 5; i++) viewer.ask(`${folder}seg_1.m4v`);
    await until(() => live.loans === MAX_RESPONSES_PER_VIEWER);
    expect((await door.get(`${folder}seg_1.m4v`)).statusCode).toBe(503);
    viewer.leave();
    await until(() => live.loans === 0);
    expect((await door.get(`${folder}seg_1.m4v`)).statusCode).toBe(200);
  });

  it('ends loans of responses that had to wait for their video and were overtaken', async () => {
    const { folder } = await watch(LARGE_BYTES);
    const viewer = (await connect()).stopReading();
    viewer.ask(folder + NEXT, `${folder}seg_1.m4v`);
    await until(() => live.loans === 1 && live.waitingCount === 1);
    live.publish(MIB);
    expect(live.loans).toBe(2);
    viewer.ask(folder + AFTER_NEXT);
    live.publish(MIB);
    viewer.goOn();
    await until(() => live.loans === 0);
    expect(viewer.end).toBeNull();
  });

  it('has no loan for HEAD', async () => {
    const { folder } = await watch(LARGE_BYTES);
    const viewer = (await connect()).stopReading().send('HEAD', `${folder}seg_1.m4v`);
    await until(() => door.app.mediaResponses.size === 0 && viewer.socket.bytesWritten > 0);
    viewer.goOn();
    await until(() => viewer.text.endsWith('\r\n\r\n'));
    expect([live.loans, viewer.end]).toEqual([0, null]);
  });
});

describe('media in transit', () => {
  const minuteSec = 60;
  it.each([
    [
      'is revoked',
      {},
      (share: Share) =>
        void door.sharing.directory.applied({ kind: 'share', uuid: share.uuid, record: null }),
    ],
    [
      'expires',
      { expirationTimeSecs: minuteSec },
      () => {
        // Reading it slowly counts as present.
        door.sharing.clock.advance(minuteSec * 1_000 - 1);
        expect(live.loans).toBe(2);
        door.sharing.clock.advance(1);
      },
    ],
  ])('does not arrive after its share %s', async (_name, fields, end) => {
    const { share, folder } = await watch(LARGE_BYTES, fields);
    const other = await connect();
    const otherFolder = await door.openShare(await door.share());
    const viewer = (await connect()).stopReading().ask(...names(folder, 2));
    await until(() => live.loans === 2);
    end(share);
    await until(() => live.loans === 0);
    viewer.goOn();
    other.ask(`${otherFolder}seg_1.m4v`);
    await until(() => viewer.end !== null && other.bytesRead > LARGE_BYTES);
    expect([viewer.end, viewer.bytesRead < LARGE_BYTES]).toEqual(['ECONNRESET', true]);
    expect(other.end).toBeNull();
  });

  it('does not arrive after a schedule hides the share', async () => {
    const nowSec = door.sharing.clock.epochMs() / 1_000;
    const intervals = [{ startSec: nowSec - 100, stopSec: nowSec + 30 }];
    const { uuid } = await door.sharing.schedules.createAbsolute(door.sharing.orgUuid, {
      name: 'Half a minute',
      oneTimeUse: true,
      intervals,
    });
    const { folder } = await watch(LARGE_BYTES, { scheduleUuid: uuid });
    const viewer = (await connect()).stopReading().ask(...names(folder, 2));
    await until(() => live.loans === 2);
    door.sharing.clock.advance(29_999);
    expect(live.loans).toBe(2);
    door.sharing.clock.advance(1);
    await until(() => live.loans === 0);
    viewer.goOn();
    await until(() => viewer.end !== null);
    expect(viewer.bytesRead).toBeLessThan(LARGE_BYTES);
  });

  it('is recalled from the kernel, too', async () => {
    // Less than the kernel holds for a client that does not read once the client's own buffer is full.
    const { share, folder } = await watch(64 * 1_024);
    const viewer = (await connect()).stopReading().ask(`${folder}seg_1.m4v`);
    await until(
      () => viewer.socket.bytesWritten > 0 && door.app.mediaResponses.size === 0 && live.loans === 0,
    );
    await until(() => door.sharing.sessions.size === 1);
    door.sharing.directory.applied({ kind: 'share', uuid: share.uuid, record: null });
    await until(() => door.app.connectionTable.counts().open === 0);
    expect(door.app.mediaResponses.cuts().access).toBe(1);
  });

  it('does not cut the connection for the next viewer that a proxy serves on it', async () => {
    const { share, folder } = await watch(4_000);
    const nextFolder = await door.openShare(await door.share());
    const proxy = (await connect()).ask(`${folder}seg_1.m4v`);
    await until(() => proxy.bytesRead > 4_000);
    const before = proxy.bytesRead;
    proxy.ask(nextFolder + NEXT);
    await until(() => live.waitingCount === 1);
    door.sharing.directory.applied({ kind: 'share', uuid: share.uuid, record: null });
    live.publish(4_000);
    await until(() => proxy.bytesRead > before + 4_000);
    expect(proxy.end).toBeNull();
  });

  it('belongs to its viewer only as long as the connection serves that viewer', async () => {
    const [first, second] = [await watch(4_000), await door.openShare(await door.share())];
    const sessionOf = (folder: string) => {
      const access = door.sharing.sessions.access(folder.split('/').at(-2)!);
      if (!access.allowed) throw new Error(`no access: ${folder}`);
      return access;
    };
    const known = () => [first.folder, second].map((folder) => sessionOf(folder).connections.size);
    const proxy = (await connect()).ask(`${first.folder}seg_1.m4v`);
    await until(() => proxy.bytesRead > 4_000);
    expect(known()).toEqual([1, 0]);
    for (const folder of [second, first.folder, second, second]) {
      const before = proxy.bytesRead;
      proxy.ask(`${folder}seg_1.m4v`);
      await until(() => proxy.bytesRead > before + 4_000);
    }
    expect(known()).toEqual([0, 1]);
    proxy.leave();
    await until(() => known().every((count) => count === 0));
  });

  it('ends, while a waiting request of the same viewer gets the reason', async () => {
    const { share, folder } = await watch(LARGE_BYTES);
    const [loading, waiting] = [await connect(), await connect()];
    loading.stopReading().ask(`${folder}seg_1.m4v`);
    waiting.ask(folder + NEXT);
    await until(() => live.loans === 1 && live.waitingCount === 1);
    door.sharing.directory.applied({ kind: 'share', uuid: share.uuid, record: null });
    loading.goOn();
    await until(() => loading.end !== null && waiting.text.includes('revoked'));
    expect([loading.end, waiting.text.slice(0, 12), waiting.end]).toEqual([
      'ECONNRESET',
      'HTTP/1.1 403',
      null,
    ]);
  });
});
