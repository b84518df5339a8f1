import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PARTS_PER_SEGMENT } from '../fake-live-camera.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import { RawViewer } from '../raw-viewer-fixture.ts';
import { GRACE_MS, MAX_LENT_BYTES_PER_VIEWER, MIN_BYTES_PER_SEC } from '../response/media-responses.ts';

let door: FrontDoorFixture;
beforeEach(async () => {
  door = await openFrontDoorFixture({ hasSubStream: true });
  door.camera.start();
});
afterEach(() => door.close());

const settle = () => new Promise(setImmediate);
const pathOf = (name: string, { rendition = 'main', signature = 'signed' } = {}) =>
  `/cdn/${door.camera.uuid}/${rendition}/${signature}/${name}`;
const main = () => door.camera.fake('main');

describe('a connection that does not read', () => {
  const PART_BYTES = 6 * 1_048_576;
  let reader: RawViewer;

  beforeEach(async () => {
    // The sockets on loopback take less than a segment.
    for (let i = 0; i < 8 * PARTS_PER_SEGMENT; i++) main().publish(PART_BYTES);
    await door.listen();
    reader = await RawViewer.connect((door.app.server.address() as AddressInfo).port);
  });
  afterEach(() => reader.leave());

  const until = async (condition: () => boolean) => {
    while (!condition()) await settle();
  };

  it('is cut off like a viewer', async () => {
    reader.stopReading().ask(pathOf('seg_1.m4v'));
    await until(() => main().loans === 1);
    door.sharing.clock.advance(GRACE_MS + (4 * PART_BYTES * 1_000) / MIN_BYTES_PER_SEC + 2_000);
    await until(() => main().loans === 0);
    expect(door.app.mediaResponses.cuts()['too-slow']).toBe(1);
  });

  it('gets nothing more when the path ends', async () => {
    reader.stopReading().ask(pathOf('seg_1.m4v'));
    await until(() => main().loans === 1);
    door.sharing.clock.advance(2_000);
    expect(main().loans).toBe(1);
    main().sharedMs = 0;
    door.sharing.clock.advance(1_000);
    await until(() => main().loans === 0);
    reader.goOn();
    await until(() => reader.end !== null);
    expect(reader.bytesRead).toBeLessThan(4 * PART_BYTES);
  });

  it('holds no more than a viewer', async () => {
    const most = Math.ceil(MAX_LENT_BYTES_PER_VIEWER / (4 * PART_BYTES));
    reader.stopReading().ask(...Array.from({ length: 7 }, (_, n) => pathOf(`seg_${n + 1}.m4v`)));
    await until(() => main().loans > 0);
    for (let turn = 0; turn < 50; turn++) await settle();
    expect(main().loans).toBeLessThanOrEqual(most);
    reader.leave();
    await until(() => main().loans === 0);
  });
});
