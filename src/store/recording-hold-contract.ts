/** The contract of legal holds on recordings, for every store. store-contract.ts runs it. */

import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { Store } from './store.ts';

export function describeRecordingHolds(store: () => Store): void {
  const newStream = () => ({ cameraUuid: newRuuid(), rendition: 'main' }) as const;
  const saveFiles = async (stream: ReturnType<typeof newStream>, count: number) => {
    const files = Array.from({ length: count }, (_, i) => ({
      ...stream,
      number: i,
      startMs: i * 100,
      endMs: (i + 1) * 100,
      byteLength: 10 ** i,
      segments: '{}',
    }));
    for (const file of files) await store().recordings.save(file);
    return files;
  };

  describe('legal holds on recordings', () => {
    it('hide files from those that are to be deleted, and refuse to delete them', async () => {
      const { recordings, recordingHolds } = store();
      const [stream, orgUuid, uuid] = [newStream(), newRuuid(), newRuuid()];
      const files = await saveFiles(stream, 4);
      const hold = { uuid, orgUuid, cameraUuid: stream.cameraUuid, startMs: 50, endMs: 201 };
      await recordingHolds.save(hold);
      expect(await recordingHolds.list()).toEqual([hold]);
      const numbers = async () => (await recordings.oldest(9, stream)).map(({ number }) => number);
      expect(await numbers()).toEqual([3]);
      expect((await recordings.oldestOf([stream], 9)).map(({ number }) => number)).toEqual([3]);
      expect(await recordings.removeUnheld(files[2]!)).toBe('held');
      expect(await recordings.removeUnheld(files[3]!)).toBe('removed');
      expect(await recordings.removeUnheld(files[3]!)).toBe('unknown');
      expect(await recordings.numbers(stream)).toEqual([0, 1, 2]);
      expect(await recordings.isHeld(stream.cameraUuid)).toBe(true);
      expect(await recordings.byteLength(stream, 'held')).toBe(111);
      expect(await recordings.byteLength(stream, 'unheld')).toBe(0);
      expect(await recordingHolds.remove(uuid)).toBe(true);
      expect(await recordingHolds.remove(uuid)).toBe(false);
      expect(await numbers()).toEqual([0, 1, 2]);
      expect(await recordings.isHeld(stream.cameraUuid)).toBe(false);
    });

    it('end where they end, for this camera and no other', async () => {
      const { recordings, recordingHolds } = store();
      const [stream, other, orgUuid] = [newStream(), newStream(), newRuuid()];
      await saveFiles(stream, 3);
      await saveFiles(other, 3);
      const { cameraUuid } = stream;
      await recordingHolds.save({ uuid: newRuuid(), orgUuid, cameraUuid, startMs: 100, endMs: 200 });
      const numbersOf = async (of: typeof stream) =>
        (await recordings.oldest(9, of)).map(({ number }) => number);
      expect(await numbersOf(stream)).toEqual([0, 2]);
      expect(await numbersOf(other)).toEqual([0, 1, 2]);
    });

    it('are for all streams of the camera', async () => {
      const { recordings, recordingHolds } = store();
      const main = newStream();
      const sub = { ...main, rendition: 'sub' } as const;
      for (const stream of [main, sub]) {
        for (const number of [0, 1, 2]) {
          const startMs = number * 100;
          await recordings.save({
            ...stream,
            number,
            startMs,
            endMs: startMs + 100,
            byteLength: 1,
            segments: '{}',
          });
        }
      }
      const { cameraUuid } = main;
      await recordingHolds.save({
        uuid: newRuuid(),
        orgUuid: newRuuid(),
        cameraUuid,
        startMs: 100,
        endMs: 200,
      });
      for (const stream of [main, sub]) {
        expect((await recordings.oldest(9, stream)).map(({ number }) => number)).toEqual([0, 2]);
        expect(await recordings.removeUnheld({ ...stream, number: 1 })).toBe('held');
      }
      expect(
        (await recordings.oldestOf([main, sub], 9)).map(({ rendition, number }) => [rendition, number]),
      ).toEqual(
        expect.arrayContaining([
          ['main', 0],
          ['sub', 0],
          ['main', 2],
          ['sub', 2],
        ]),
      );
    });

    it('count the bytes of an organization, each file once', async () => {
      const { recordingHolds } = store();
      const [stream, orgUuid] = [newStream(), newRuuid()];
      await saveFiles(stream, 4);
      const { cameraUuid } = stream;
      const time = { orgUuid, cameraUuid, startMs: 0, endMs: 150 };
      expect(await recordingHolds.byteLength(orgUuid, null)).toBe(0);
      expect(await recordingHolds.byteLength(orgUuid, time)).toBe(11);
      await recordingHolds.save({ uuid: newRuuid(), ...time });
      await recordingHolds.save({ uuid: newRuuid(), ...time, startMs: 100 });
      expect(await recordingHolds.byteLength(orgUuid, null)).toBe(11);
      expect(await recordingHolds.byteLength(orgUuid, { ...time, endMs: 250 })).toBe(111);
      expect(await recordingHolds.byteLength(newRuuid(), null)).toBe(0);
    });
  });
}
