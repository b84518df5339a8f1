import { expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { Numbering, NumberingEntry, NumberingStore } from './numbering/numbering.ts';
import { OpenRenditions } from './open-renditions.ts';
import type { CreatePackager, RenditionPackager } from './packaging/packaging.ts';

const STORED: Numbering = {
  nextMediaSequenceNumber: 5_000,
  nextDiscontinuitySequence: 7,
  initFingerprint: 'x',
};

/** A store whose reads wait for the test. */
class SlowStore implements NumberingStore {
  stored = STORED;
  readonly reads: (() => void)[] = [];

  async find(): Promise<Numbering> {
    await new Promise<void>((resolve) => this.reads.push(resolve));
    return this.stored;
  }

  async save({ nextMediaSequenceNumber, nextDiscontinuitySequence, initFingerprint }: NumberingEntry) {
    this.stored = { nextMediaSequenceNumber, nextDiscontinuitySequence, initFingerprint };
  }

  async answer(): Promise<void> {
    await settled();
    for (const read of this.reads.splice(0)) read();
    await settled();
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await Promise.resolve();
}

function setup() {
  const store = new SlowStore();
  const packagers: Parameters<CreatePackager>[0][] = [];
  const renditions = new OpenRenditions({
    cameraUuid: newRuuid(),
    clock: new FakeClock(),
    log: silentLog,
    numberingStore: store,
    startMs: 10_000,
    createPackager: (options) => {
      packagers.push(options);
      return {
        published: { failWaiters: () => undefined },
        close: () => undefined,
      } as unknown as RenditionPackager;
    },
    nameOf: () => 'main',
    otherOf: () => null,
    openedMonoMs: () => 0,
    epochMinusMonoMs: () => 0,
    onOpened: () => undefined,
    onPlayable: () => undefined,
    onPublished: () => undefined,
  });
  const publish = (segments: number) => {
    for (let i = 1; i <= segments; i++) {
      packagers.at(-1)!.onNumbering({ ...STORED, nextMediaSequenceNumber: 5_000 + i });
    }
  };
  return { store, packagers, renditions, publish };
}

it.each([
  ['dropped and wanted again', 1],
  ['dropped and wanted again three times', 3],
])('reserves numbers of a content that is %s while they are read', async (_, times) => {
  const { store, packagers, renditions, publish } = setup();
  renditions.want('sound');
  await settled();
  for (let i = 0; i < times; i++) {
    renditions.drop('sound');
    renditions.want('sound');
    await settled();
  }
  for (let i = 0; i <= times; i++) await store.answer();
  expect(packagers.map(({ numbering }) => numbering)).toEqual([STORED]);
  publish(300);
  await settled();
  // The numbering that a gateway finds when it starts after a crash.
  expect(store.stored.nextMediaSequenceNumber).toBeGreaterThan(5_300);
});

it('reserves numbers of a camera that is closed and opened again while they are read', async () => {
  const { store, packagers, renditions, publish } = setup();
  renditions.want('sound');
  await settled();
  const closed = renditions.close();
  renditions.want('sound');
  for (let i = 0; i < 2; i++) await store.answer();
  await closed;
  expect(packagers).toHaveLength(1);
  publish(300);
  await settled();
  expect(store.stored.nextMediaSequenceNumber).toBeGreaterThan(5_300);
  const ended = renditions.close();
  await ended;
  expect(store.stored.nextMediaSequenceNumber).toBe(5_300);
});

it('gives back the numbers of a content that is dropped while they are read', async () => {
  const { store, packagers, renditions } = setup();
  renditions.want('sound');
  await settled();
  renditions.drop('sound');
  await store.answer();
  expect([packagers, store.stored]).toEqual([[], STORED]);
});
