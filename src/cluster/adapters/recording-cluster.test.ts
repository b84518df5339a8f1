import { expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { RecorderCall } from '../../recording/recorder-protocol.ts';
import { RecordingBlocks } from '../../recording/recording-blocks.ts';
import {
  RecordingKeeper,
  type RecordingKeeperOptions,
  SWEEP_INTERVAL_MS,
} from '../../recording/recording-keeper.ts';
import type { RecordedFile } from '../../recording/segment-index.ts';
import { RecordingCluster } from './recording-cluster.ts';

const RUN = { nodeId: 'a', runId: newRuuid() };

/** A node that starts where another run has left a block. No node has seen the end of that run. */
function started({ isCaretaker = true } = {}) {
  const clock = new FakeClock();
  const before = { nodeId: 'a', runId: newRuuid(), isRelying: false, isThere: false };
  const block = {
    cameraUuid: newRuuid(),
    rendition: 'main',
    first: 0,
    end: 256,
    nodeId: before.nodeId,
    runId: before.runId,
  };
  let blocks = [block];
  const files: number[] = [];
  const listed: number[] = [];
  const nodes = new RecordingCluster(
    {
      run: RUN,
      registry: {
        isRegistered: true,
        find: () => (before.isThere ? before : null),
        onChange: () => () => undefined,
      },
      ownership: { ranking: () => [isCaretaker ? RUN : before] },
    } as unknown as ConstructorParameters<typeof RecordingCluster>[0],
    {
      clusterLeases: { relyingOwner: async () => (before.isRelying ? before : null) },
    } as unknown as ConstructorParameters<typeof RecordingCluster>[1],
    clock,
  );
  let looks = 0;
  const stored = {
    list: async () => {
      looks++;
      return blocks;
    },
    remove: async () => {
      blocks = [];
    },
  };
  const recorder = {
    call: async ({ name, number }: RecorderCall & { readonly number?: number }) => {
      if (name === 'streams') return files.length === 0 ? [] : [block];
      if (name === 'numbers') return files;
      return name === 'repair' ? { ...block, number, segments: [], byteLength: 0 } : [];
    },
  };
  const catalog = { isUnsaved: () => false, add: ({ number }: RecordedFile) => void listed.push(number) };
  const recordings = {
    usage: async () => [],
    numbers: async () => listed,
    forgetOwners: async () => undefined,
    oldest: async () => [],
  };
  const cluster = {
    blocks: new RecordingBlocks({ blocks: stored, nodes, recorder } as unknown as ConstructorParameters<
      typeof RecordingBlocks
    >[0]),
    nodes: { isCaretaker: () => isCaretaker },
    hasAllFiles: true,
  };
  const limits = { keepMs: null, maxBytes: null, minFreeBytes: 0 };
  const keeper = new RecordingKeeper({
    clock,
    log: silentLog,
    recorder,
    catalog,
    recordings,
    limits,
    cluster,
  } as unknown as RecordingKeeperOptions);
  keeper.begin();
  const pass = async (ms: number): Promise<void> => {
    for (let atMs = 0; atMs < ms; atMs += 500) {
      clock.advance(500);
      await keeper.settled();
    }
  };
  const becomeCaretaker = (): void => {
    isCaretaker = true;
  };
  return { before, pass, left: () => blocks.length, looks: () => looks, files, listed, becomeCaretaker };
}

it('lists what an earlier run has left seconds after its node has started, if no other node saw its end', async () => {
  const { pass, left } = started();
  await pass(5_500);
  expect(left()).toBe(1);
  await pass(1_000);
  expect(left()).toBe(0);
});

it('waits for a run that relies on the store until it does so no longer', async () => {
  const { before, pass, left } = started();
  before.isRelying = true;
  await pass(10_000);
  expect(left()).toBe(1);
  before.isRelying = false;
  await pass(3_000);
  expect(left()).toBe(0);
});

it('does not look again and again for a run that is there', async () => {
  const { before, pass, looks } = started();
  before.isThere = true;
  await pass(SWEEP_INTERVAL_MS / 2);
  expect(looks()).toBe(1);
});

it('leaves a file without a row and a block to the caretaker, which may be deleting it', async () => {
  const { pass, files, listed, becomeCaretaker } = started({ isCaretaker: false });
  files.push(512);
  await pass(2 * SWEEP_INTERVAL_MS);
  expect(listed).toEqual([]);
  becomeCaretaker();
  await pass(2 * SWEEP_INTERVAL_MS);
  expect(listed).toEqual([512]);
});
