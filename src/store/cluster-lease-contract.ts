/** The contract of a cluster's leases in every store. Part of the store contract. */

import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { Store } from './store.ts';

export function describeClusterLeases({ store }: { store(): Store }): void {
  const newRun = (nodeId: string) => ({
    nodeId,
    runId: newRuuid(),
    address: `${nodeId}:7700`,
    beat: 1,
    aliveMs: 2_000,
  });
  const numbering = (cameraUuid: ReturnType<typeof newRuuid>, nextMediaSequenceNumber: number) => ({
    ...({ cameraUuid, rendition: 'main', nextMediaSequenceNumber } as const),
    nextDiscontinuitySequence: 3,
    initFingerprint: null,
  });

  describe('leases of a cluster', () => {
    it('have fences that only grow, also after a release', async () => {
      const { clusterLeases } = store();
      const [camera, a, b] = [newRuuid(), newRun('a'), newRun('b')];
      const claimed = { kind: 'claimed', isContinuation: false };
      expect(await clusterLeases.claim(camera, a, null)).toEqual({ ...claimed, fence: 1 });
      expect(await clusterLeases.claim(camera, b, null)).toEqual({ ...claimed, fence: 2 });
      expect(await clusterLeases.claim(camera, b, null)).toMatchObject({ fence: 3, isContinuation: true });
      await clusterLeases.release([{ cameraUuid: camera, runId: b.runId, fence: 3 }]);
      expect(await clusterLeases.claim(camera, b, null)).toEqual({ ...claimed, fence: 4 });
    });

    it('claimed at once by many get one fence each', async () => {
      const { clusterLeases } = store();
      const camera = newRuuid();
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, i) => clusterLeases.claim(camera, newRun(`n${i}`), null)),
      );
      const fences = claims.map((claim) => (claim.kind === 'claimed' ? claim.fence : null));
      expect(fences.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });

    it('of a run that relies on the store are taken by no other, until its beat has stopped', async () => {
      const { clusterLeases } = store();
      const [camera, other, a, b] = [newRuuid(), newRuuid(), newRun('a'), newRun('b')];
      await clusterLeases.claim(camera, a, null);
      expect(await clusterLeases.relyingOwner(camera)).toBeNull();
      expect(await clusterLeases.rely(a)).toEqual([{ cameraUuid: camera, runId: a.runId, fence: 1 }]);
      expect(await clusterLeases.relyingOwner(camera)).toMatchObject({ ...a, fence: 1, beat: 1 });
      expect(await clusterLeases.relyingRun(a.runId)).toEqual(a);
      expect(await clusterLeases.relyingRun(b.runId)).toBeNull();
      expect(await clusterLeases.claim(other, b, null)).toMatchObject({ kind: 'claimed' });

      const refused = await clusterLeases.claim(camera, b, null);
      expect(refused).toEqual({ kind: 'refused', holder: { ...a, beat: 1 } });
      await clusterLeases.rely({ ...a, beat: 2, aliveMs: 10_000 });
      const stillBeats = await clusterLeases.claim(camera, b, { ...a, beat: 1 });
      expect(stillBeats).toEqual({ kind: 'refused', holder: { ...a, beat: 2, aliveMs: 10_000 } });
      expect(await clusterLeases.claim(camera, b, { ...a, beat: 2 })).toMatchObject({ fence: 2 });
      // Back after all: it owns nothing.
      expect(await clusterLeases.rely(a)).toEqual([]);
      await clusterLeases.stopRelying(a);
    });

    it('of a run that no longer relies on the store are free, and its own always', async () => {
      const { clusterLeases } = store();
      const [camera, a, b] = [newRuuid(), newRun('a'), newRun('b')];
      await clusterLeases.claim(camera, a, null);
      await clusterLeases.rely(a);
      expect(await clusterLeases.claim(camera, a, null)).toMatchObject({ fence: 2, isContinuation: true });
      await clusterLeases.rely({ ...a, beat: 2 });
      await clusterLeases.stopRelying(a);
      expect(await clusterLeases.claim(camera, b, null)).toMatchObject({ kind: 'refused' });
      await clusterLeases.stopRelying({ ...a, beat: 2 });
      expect(await clusterLeases.claim(camera, b, null)).toMatchObject({ fence: 3 });
    });

    it('are released by their owner alone', async () => {
      const { clusterLeases } = store();
      const [cameraUuid, a, b] = [newRuuid(), newRun('a'), newRun('b')];
      await clusterLeases.claim(cameraUuid, a, null);
      const lease = { cameraUuid, runId: a.runId, fence: 1 };
      await clusterLeases.release([
        { ...lease, fence: 2 },
        { ...lease, runId: b.runId },
      ]);
      expect(await clusterLeases.rely(a)).toEqual([lease]);
      await clusterLeases.release([lease]);
      expect(await clusterLeases.rely(a)).toEqual([]);
      // Released, so that it is free although its owner relies on the store.
      expect(await clusterLeases.claim(cameraUuid, b, null)).toMatchObject({ fence: 2 });
      await clusterLeases.release([lease]);
      expect(await clusterLeases.rely(b)).toEqual([{ cameraUuid, runId: b.runId, fence: 2 }]);
    });

    it('let their owner alone write the numbering of streams', async () => {
      const { clusterLeases, streamLedger } = store();
      const [cameraUuid, a, b] = [newRuuid(), newRun('a'), newRun('b')];
      await clusterLeases.claim(cameraUuid, a, null);
      const lease = { cameraUuid, runId: a.runId, fence: 1 };
      expect(await clusterLeases.saveNumbering(numbering(cameraUuid, 1_000), lease)).toBe(true);
      expect(await clusterLeases.saveNumbering(numbering(cameraUuid, 2_000), lease)).toBe(true);
      await clusterLeases.claim(cameraUuid, b, null);
      expect(await clusterLeases.saveNumbering(numbering(cameraUuid, 1_017), lease)).toBe(false);
      expect(await streamLedger.find(cameraUuid, 'main')).toEqual(numbering(cameraUuid, 2_000));
    });
  });
}
