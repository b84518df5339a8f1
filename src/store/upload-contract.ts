/** The contract of uploads in every store. store-contract.ts runs it. */

import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { Store } from './store.ts';
import type { StoredUpload } from './upload.ts';

const BASE_MS = Date.UTC(2026, 0, 1);

export function sampleUpload(overrides: Partial<StoredUpload> = {}): StoredUpload {
  return {
    uuid: newRuuid(),
    orgUuid: newRuuid(),
    keyUuid: newRuuid(),
    cameraUuid: newRuuid(),
    clipId: 'clip 1/ü',
    title: 'Gate',
    fileType: 'video/mp4',
    sha256: 'ab'.repeat(32),
    startMs: BASE_MS,
    byteLength: 5_000_000_000,
    syncedBytes: 0,
    state: 'receiving',
    refusal: null,
    recordingNumber: null,
    durationMs: null,
    createdAtMs: BASE_MS,
    updatedAtMs: BASE_MS,
    nodeId: '',
    ...overrides,
  };
}

export function describeUploads(store: () => Store): void {
  describe('uploads', () => {
    it('keeps one as it was saved last', async () => {
      const upload = sampleUpload();
      expect(await store().uploads.find(upload.uuid)).toBeNull();
      await store().uploads.save(upload);
      expect(await store().uploads.find(upload.uuid)).toEqual(upload);
      const done = {
        ...upload,
        state: 'done',
        recordingNumber: 7,
        durationMs: 60_000,
        sha256: null,
      } as const;
      await store().uploads.save(done);
      expect(await store().uploads.find(upload.uuid)).toEqual(done);
      await store().uploads.remove(upload.uuid, 'node-2');
      expect(await store().uploads.find(upload.uuid)).toEqual(done);
      await store().uploads.remove(upload.uuid, '');
      expect(await store().uploads.find(upload.uuid)).toBeNull();
    });

    it('belong to a node, which alone changes them, until another one takes them', async () => {
      const upload = sampleUpload({ nodeId: 'node-1' });
      const other = { ...upload, nodeId: 'node-2', syncedBytes: 5 };
      expect(await store().uploads.save(upload)).toBe(true);
      expect(await store().uploads.save(other)).toBe(false);
      expect(await store().uploads.find(upload.uuid)).toEqual(upload);
      const takers = ['node-2', 'node-3'].map((to) => store().uploads.take(upload.uuid, 'node-1', to));
      expect((await Promise.all(takers)).toSorted()).toEqual([false, true]);
      expect(await store().uploads.save(upload)).toBe(false);
    });

    it('lists what is not finished, oldest first', async () => {
      const states = ['done', 'receiving', 'refused', 'importing'] as const;
      const uploads = states.map((state, index) => sampleUpload({ state, createdAtMs: BASE_MS - index }));
      for (const upload of uploads) await store().uploads.save(upload);
      const found = await store().uploads.unfinished();
      expect(found.map(({ state }) => state)).toEqual(['importing', 'receiving']);
    });

    it('forgets what was finished long ago', async () => {
      const old = BASE_MS - 10;
      const kept = [
        sampleUpload({ state: 'receiving', updatedAtMs: old }),
        sampleUpload({ state: 'done', updatedAtMs: BASE_MS - 1 }),
        sampleUpload({ state: 'refused', updatedAtMs: BASE_MS }),
      ];
      const gone = [
        sampleUpload({ state: 'done', updatedAtMs: old }),
        sampleUpload({ state: 'refused', updatedAtMs: BASE_MS - 1 }),
        sampleUpload({ state: 'receiving', createdAtMs: BASE_MS - 101, nodeId: 'node-1' }),
      ];
      for (const upload of [...kept, ...gone]) await store().uploads.save(upload);
      const before = {
        doneBeforeMs: BASE_MS - 5,
        refusedBeforeMs: BASE_MS,
        abandonedBeforeMs: BASE_MS - 100,
      };
      expect(await store().uploads.removeOld(before)).toBe(3);
      for (const { uuid } of kept) expect(await store().uploads.find(uuid)).not.toBeNull();
      for (const { uuid } of gone) expect(await store().uploads.find(uuid)).toBeNull();
    });
  });
}
