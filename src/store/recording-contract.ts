/** The contract of recordings in every store. store-contract.ts runs it. */

import { describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { MAX_RECORDING_SPAN_MS, type Recording } from './recording.ts';
import { sampleCamera, sampleOrganization } from './sample-entities-fixture.ts';
import type { Store } from './store.ts';

const BASE_MS = Date.UTC(2026, 0, 1);

/** `number` of a camera, which lasts from `from` to `to` seconds after BASE_MS. */
function recordingOf(cameraUuid: Ruuid, number: number, from: number, to: number): Recording {
  return {
    cameraUuid,
    rendition: 'main',
    number,
    purpose: 'camera',
    startMs: BASE_MS + from * 1_000,
    endMs: BASE_MS + to * 1_000,
    byteLength: 1_000 + number,
    segments: `{"v":1,"r":[${number}]}`,
  };
}

export function describeRecordings(store: () => Store): void {
  describe('recordings', () => {
    const at = (sec: number) => BASE_MS + sec * 1_000;

    it('says whose recordings they are, also of cameras that were removed', async () => {
      const { organizations, cameras, recordings } = store();
      const organization = sampleOrganization();
      await organizations.save(organization);
      const [kept, removed, unused] = [0, 1, 2].map(() =>
        sampleCamera(organization.uuid, { locationUuid: null, nvrUuid: null }),
      );
      for (const camera of [kept!, removed!, unused!]) await cameras.save(camera);
      const streams = [removed!, kept!].map(({ uuid }) => ({ cameraUuid: uuid, rendition: 'main' as const }));
      await recordings.save(recordingOf(removed!.uuid, 3, 100, 200));
      await recordings.save(recordingOf(removed!.uuid, 4, 300, 400));
      await recordings.save(recordingOf(kept!.uuid, 9, 0, 100));
      await recordings.save(recordingOf(newRuuid(), 1, 0, 10));
      for (const { uuid } of [removed!, unused!]) await cameras.remove(organization.uuid, uuid);
      await recordings.forgetOwners();
      const owners = (await recordings.usage()).map(({ orgUuid }) => orgUuid);
      expect(owners.toSorted((a, b) => Number(a === null) - Number(b === null))).toEqual([
        organization.uuid,
        organization.uuid,
        null,
      ]);
      const oldest = await recordings.oldestOf(streams, 2);
      expect(oldest.map(({ number }) => number)).toEqual([9, 3]);
      expect(await recordings.oldestOf([], 2)).toEqual([]);
    });

    it('lists the files that cover any of a range, in the order of recording', async () => {
      const cameraUuid = newRuuid();
      const files = [
        recordingOf(cameraUuid, 7, 0, 100),
        recordingOf(cameraUuid, 8, 100, 200),
        recordingOf(cameraUuid, 9, 300, 400),
        // The clock was set back: it covers time that others cover too.
        recordingOf(cameraUuid, 10, 150, 250),
      ];
      for (const file of files.toReversed()) await store().recordings.save(file);
      await store().recordings.save({ ...files[0]!, rendition: 'sub' });
      const numbers = async (from: number, to: number) => {
        const stream = { cameraUuid, rendition: 'main' } as const;
        return (await store().recordings.list(stream, at(from), at(to))).map(({ number }) => number);
      };
      expect(await numbers(0, 500)).toEqual([7, 8, 9, 10]);
      expect(await numbers(99, 100)).toEqual([7]);
      expect(await numbers(100, 101)).toEqual([8]);
      expect(await numbers(160, 161)).toEqual([8, 10]);
      expect(await numbers(250, 300)).toEqual([]);
      const [found] = await store().recordings.list({ cameraUuid, rendition: 'main' }, at(300), at(301));
      expect(found).toEqual(files[2]);
    });

    it('takes times with fractions of milliseconds', async () => {
      const cameraUuid = newRuuid();
      const stream = { cameraUuid, rendition: 'main' } as const;
      await store().recordings.save(recordingOf(cameraUuid, 0, 0, 100));
      const { recordings } = store();
      const found = async (fromMs: number, toMs: number) => [
        (await recordings.list(stream, fromMs, toMs)).length,
        (await recordings.hours(stream, fromMs, toMs)).length,
      ];
      expect(await found(at(100) - 0.25, at(100) + 0.5)).toEqual([1, 1]);
      expect(await found(at(100) + 0.25, at(100) + 0.5)).toEqual([0, 0]);
      expect(await found(at(-1) + 0.25, at(0) + 0.5)).toEqual([1, 1]);
      expect(await recordings.firstFrom(stream, at(0) - 0.5)).toMatchObject({ number: 0 });
      expect(await recordings.firstFrom(stream, at(0) + 0.5)).toBeNull();
      await recordings.claim(stream, at(0) + 0.5, at(1) + 0.5);
    });

    it('finds a file as long as files can be', async () => {
      const cameraUuid = newRuuid();
      const spanSec = MAX_RECORDING_SPAN_MS / 1_000;
      await store().recordings.save(recordingOf(cameraUuid, 0, 0, spanSec));
      const stream = { cameraUuid, rendition: 'main' } as const;
      expect(await store().recordings.list(stream, at(spanSec) - 1, at(spanSec))).toHaveLength(1);
    });

    it('finds what comes after a gap', async () => {
      const cameraUuid = newRuuid();
      const stream = { cameraUuid, rendition: 'main' } as const;
      await store().recordings.save(recordingOf(cameraUuid, 0, 0, 100));
      await store().recordings.save(recordingOf(cameraUuid, 1, 300, 400));
      expect(await store().recordings.firstFrom(stream, at(101))).toMatchObject({ number: 1 });
      expect(await store().recordings.firstFrom(stream, at(300))).toMatchObject({ number: 1 });
      expect(await store().recordings.firstFrom(stream, at(301))).toBeNull();
    });

    it('lists the oldest of what was handed over by time, in whatever order it came', async () => {
      const cameraUuid = newRuuid();
      for (const [number, from] of [
        [0, 500],
        [1, 100],
        [2, 300],
      ] as const) {
        const file = recordingOf(cameraUuid, number, from, from + 10);
        for (const rendition of ['main', 'uploaded'] as const)
          await store().recordings.save({ ...file, rendition });
      }
      const numbers = async (rendition: 'main' | 'uploaded') =>
        (await store().recordings.oldest(9, { cameraUuid, rendition })).map(({ number }) => number);
      expect(await numbers('uploaded')).toEqual([1, 2, 0]);
      expect(await numbers('main')).toEqual([0, 1, 2]);
    });

    it('replaces, removes, and lists the oldest', async () => {
      const [camera, other] = [newRuuid(), newRuuid()];
      const stream = { cameraUuid: camera, rendition: 'main' } as const;
      await store().recordings.save(recordingOf(camera, 3, 100, 200));
      await store().recordings.save(recordingOf(camera, 4, 200, 300));
      await store().recordings.save({ ...recordingOf(camera, 4, 200, 250), byteLength: 5 });
      await store().recordings.save(recordingOf(other, 0, 50, 60));
      expect(await store().recordings.numbers(stream)).toEqual([3, 4]);
      const heads = (await store().recordings.oldest(9)).map(({ cameraUuid, number }) => [
        cameraUuid,
        number,
      ]);
      expect(heads).toEqual([
        [other, 0],
        [camera, 3],
        [camera, 4],
      ]);
      expect(await store().recordings.oldest(1, stream)).toMatchObject([{ number: 3 }]);
      const usage = await store().recordings.usage();
      expect(usage.toSorted((a, b) => b.files - a.files)).toEqual([
        { ...stream, orgUuid: null, files: 2, byteLength: 1_003 + 5, startMs: at(100) },
        { cameraUuid: other, rendition: 'main', orgUuid: null, files: 1, byteLength: 1_000, startMs: at(50) },
      ]);
      expect(await store().recordings.byteLength(stream, 'unheld')).toBe(1_003 + 5);
      expect(await store().recordings.byteLength({ ...stream, rendition: 'sub' }, 'unheld')).toBe(0);
      expect(await store().recordings.remove({ ...stream, number: 3 })).toBe(true);
      expect(await store().recordings.remove({ ...stream, number: 3 })).toBe(false);
      expect(await store().recordings.numbers(stream)).toEqual([4]);
    });

    it('sums up what was recorded lately by stream, and for shares', async () => {
      const [camera, other] = [newRuuid(), newRuuid()];
      await store().recordings.save(recordingOf(camera, 1, 100, 200));
      await store().recordings.save(recordingOf(camera, 2, 200, 300));
      await store().recordings.save({ ...recordingOf(camera, 3, 300, 400), purpose: 'shares' });
      await store().recordings.save({ ...recordingOf(camera, 4, 400, 500), rendition: 'sub' });
      await store().recordings.save(recordingOf(other, 5, 100, 199));
      const found = await store().recordings.recent(at(200));
      expect(found.toSorted((a, b) => b.byteLength - a.byteLength)).toEqual([
        { cameraUuid: camera, rendition: 'main', byteLength: 1_002 + 1_003, sharesBytes: 1_003 },
        { cameraUuid: camera, rendition: 'sub', byteLength: 1_004, sharesBytes: 0 },
      ]);
      expect(await store().recordings.recent(at(400.5))).toEqual([]);
    });

    it('lists the hours in which files start, with the time that those cover', async () => {
      const cameraUuid = newRuuid();
      const stream = { cameraUuid, rendition: 'main' } as const;
      const hour = (hours: number) => (500_000 + hours) * 3_600_000;
      const save = async (number: number, startMs: number, endMs: number) =>
        store().recordings.save({ ...recordingOf(cameraUuid, number, 0, 1), startMs, endMs });
      await save(0, hour(1), hour(1.2));
      await save(1, hour(1.6), hour(2.4));
      await save(2, hour(4.5), hour(4.6));
      await save(3, hour(9), hour(10));
      const other = recordingOf(newRuuid(), 0, 0, 1);
      await store().recordings.save({ ...other, startMs: hour(3), endMs: hour(3.1) });
      expect(await store().recordings.hours(stream, hour(2), hour(9))).toEqual([
        { startMs: hour(1), endMs: hour(2.4) },
        { startMs: hour(4.5), endMs: hour(4.6) },
      ]);
      expect(await store().recordings.hours(stream, hour(0), hour(3))).toEqual([
        { startMs: hour(1), endMs: hour(2.4) },
      ]);
      expect(await store().recordings.hours({ ...stream, rendition: 'sub' }, 0, hour(99))).toEqual([]);
    });

    it('knows what was recorded for shares only, until an event claims it', async () => {
      const cameraUuid = newRuuid();
      const stream = { cameraUuid, rendition: 'main' } as const;
      await store().recordings.save(recordingOf(cameraUuid, 0, 0, 100));
      for (const number of [1, 2, 3]) {
        const file = recordingOf(cameraUuid, number, number * 100, number * 100 + 100);
        await store().recordings.save({ ...file, purpose: 'shares' });
      }
      const shared = async () =>
        (await store().recordings.oldest(9, stream, 'shares')).map(({ number }) => number);
      expect(await shared()).toEqual([1, 2, 3]);
      expect(await store().recordings.oldest(9, stream, 'camera')).toMatchObject([{ number: 0 }]);
      await store().recordings.claim(stream, at(150), at(201));
      expect(await shared()).toEqual([3]);
      await store().recordings.claim({ ...stream, rendition: 'sub' }, at(0), at(900));
      expect(await shared()).toEqual([3]);
      const [all] = await store().recordings.list(stream, at(300), at(301));
      expect(all).toMatchObject({ number: 3, purpose: 'shares' });
    });
  });
}
