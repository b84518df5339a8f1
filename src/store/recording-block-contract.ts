/** The contract of the numbers of recording files in a cluster, for every store. store-contract.ts runs it. */

import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { Store } from './store.ts';

export function describeRecordingBlocks(store: () => Store): void {
  const newStream = () => ({ cameraUuid: newRuuid(), rendition: 'main' }) as const;
  const newRun = (nodeId: string) => ({ nodeId, runId: newRuuid() });

  describe('numbers of recording files', () => {
    it('are asked for, once, when nothing is known of the stream', async () => {
      const { recordingBlocks } = store();
      const [stream, run] = [newStream(), newRun('a')];
      expect(await recordingBlocks.reserve(stream, run, 10, null)).toBeNull();
      const first = await recordingBlocks.reserve(stream, run, 10, 7);
      expect(first).toEqual({ ...stream, ...run, first: 7, end: 17 });
      expect(await recordingBlocks.reserve(stream, run, 10, null)).toMatchObject({ first: 17, end: 27 });
    });

    it('are above those that have a row, and never go back', async () => {
      const { recordingBlocks, recordings } = store();
      const [stream, run] = [newStream(), newRun('a')];
      const file = { ...stream, number: 41, startMs: 1, endMs: 2, byteLength: 3, segments: '{}' };
      await recordings.save(file);
      const first = await recordingBlocks.reserve(stream, run, 4, null);
      expect(first).toMatchObject({ first: 42, end: 46 });
      await recordings.remove(file);
      await recordingBlocks.remove(first!);
      expect(await recordingBlocks.reserve(stream, run, 4, 0)).toMatchObject({ first: 46 });
      await recordings.save({ ...file, number: 99 });
      expect(await recordingBlocks.reserve(stream, run, 4, null)).toMatchObject({ first: 100, end: 104 });
    });

    it('are given once, however many nodes ask at the same time', async () => {
      const { recordingBlocks } = store();
      const stream = newStream();
      await recordingBlocks.reserve(stream, newRun('first'), 4, 0);
      const blocks = await Promise.all(
        Array.from({ length: 8 }, (_, i) => recordingBlocks.reserve(stream, newRun(`n${i}`), 4, null)),
      );
      const firsts = blocks.map((block) => block!.first).toSorted((a, b) => a - b);
      expect(firsts).toEqual([4, 8, 12, 16, 20, 24, 28, 32]);
      await recordingBlocks.reserve(newStream(), newRun('other'), 4, 0);
      const listed = await recordingBlocks.list(stream);
      expect(listed.map(({ first }) => first)).toEqual([0, ...firsts]);
      expect(listed).toContainEqual(blocks[3]);
      await recordingBlocks.remove(listed[0]!);
      expect(
        (await recordingBlocks.list()).find(({ cameraUuid }) => cameraUuid === stream.cameraUuid),
      ).toEqual(listed[1]);
    });
  });
}
