import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessUnit } from '../../codec/track.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { SourceInstance } from '../../stream/source/source.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { LocalStream } from '../local-stream/local-stream.ts';
import { pictureDigest } from '../local-stream/picture-digest.ts';
import type { RoleMember } from '../mirror/cluster-camera.ts';
import { type FakePair, fakeLinkPair } from '../mirror/fake-link-pair.ts';
import { CameraGiver } from './camera-giver.ts';
import { TO_GIVER, TO_HEIR } from './handover-messages.ts';

const KEY: AccessUnit = {
  trackIndex: 0,
  data: Uint8Array.of(1, 2, 3),
  ptsTicks: 0,
  dtsTicks: 0,
  isKey: true,
  arrivalMonoMs: 0,
};
const REPORT = { mediaMs: 0, arrivalMonoMs: 0, epochMs: null, leastDelayMs: 0 };
const NO_EVENTS = {
  onTracks: () => undefined,
  onAccessUnit: () => undefined,
  onDropped: () => undefined,
  onEnded: () => undefined,
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a camera whose main stream is transcoded, too', () => {
  const camera = newRuuid();
  let clock: FakeClock;
  let pair: FakePair;
  let giver: CameraGiver;
  let main: SourceSink;
  let members: RoleMember[];
  let finished: PromiseWithResolvers<void>;
  let isRequested: boolean;
  let warnings: string[];

  beforeEach(() => {
    [clock, pair] = [new FakeClock(), fakeLinkPair()];
    [finished, isRequested, warnings] = [Promise.withResolvers<void>(), false, []];
    Object.assign(pair.owner.links, { linkTo: async () => pair.owner.link });
    const log: Log = { ...silentLog, warn: (_fields, message) => void warnings.push(message) };
    giver = new CameraGiver(pair.owner.links, clock, log);
    pair.mirror.links.onRequest(TO_HEIR.prepare, async () => ({ body: null }));
    const stream = (profile: string, instance: Partial<SourceInstance>): RoleMember => {
      const open = (sink: SourceSink) => {
        if (profile === 'main') main = sink;
        return { close: async () => undefined, ...instance };
      };
      const local = LocalStream.open({ engine: 'direct', open }, new SourceSink(NO_EVENTS), clock);
      return { profile, engine: 'direct', local } as unknown as RoleMember;
    };
    const finish = (): Promise<void> => {
      isRequested = true;
      return finished.promise;
    };
    members = [stream('main', {}), stream('h264', { finish })];
    main.onTracks([
      {
        kind: 'video',
        codec: 'h264',
        codecString: 'avc1.64001f',
        timescaleHz: 1_000,
        sps: [],
        pps: [],
        widthPx: 320,
        heightPx: 180,
        nominalFrameRateHz: 25,
      },
    ]);
  });

  const heir = () => ({
    nodeId: 'mirror',
    runId: pair.owner.link.peer.runId,
    address: { host: '127.0.0.1', port: 1 },
  });

  /** Hands the camera over, up to the frame that both nodes have. */
  async function cut(): Promise<{ isDone: boolean }> {
    const state = { isDone: false };
    const given = giver.cut({
      cameraUuid: camera,
      members,
      renditions: ['main'],
      heir: heir(),
      limitMs: 5_000,
    });
    void given.then(() => {
      state.isDone = true;
    });
    await settled();
    const body = { camera, profile: 'main', key: { ...REPORT, digest: pictureDigest(KEY.data, 'h264') } };
    pair.mirror.link.send({ kind: TO_GIVER.key, body });
    expect(isRequested).toBe(false);
    main.onAccessUnit(KEY);
    await settled();
    expect([isRequested, state.isDone]).toEqual([true, false]);
    return state;
  }

  it('is given away once the encoder has given out what it has inside', async () => {
    const state = await cut();
    finished.resolve();
    await settled();
    expect([state.isDone, warnings]).toEqual([true, []]);
  });

  it('does not wait longer than 2 s for an encoder, and the log says so', async () => {
    const state = await cut();
    clock.advance(1_999);
    await settled();
    expect(state.isDone).toBe(false);
    clock.advance(1);
    await settled();
    expect([state.isDone, warnings]).toEqual([true, ['transcoded stream handed over with a gap']]);
  });

  describe('when the time is over', () => {
    const KEY_REPORT = { ...REPORT, digest: 'another' };
    let begun: unknown[];
    let cancelled: number;

    /** Resolves with the result of the handover: `null` if it was cut. */
    async function cutUntilTheEnd(): Promise<string | null> {
      finished.resolve();
      const given = giver
        .cut({ cameraUuid: camera, members, renditions: ['main'], heir: heir(), limitMs: 5_000 })
        .then(
          () => null,
          (error) => error.code as string,
        );
      await settled();
      main.onAccessUnit(KEY);
      clock.advance(5_000);
      await settled();
      return given;
    }

    beforeEach(() => {
      [begun, cancelled] = [[], 0];
      pair.mirror.links.onMessage(TO_HEIR.begin, ({ body }) => void begun.push(body));
      pair.mirror.links.onMessage(TO_HEIR.cancel, () => void cancelled++);
    });

    it('the next node begins with the next group that it gets, if it reads the camera', async () => {
      clock.after(1_000, () =>
        pair.mirror.link.send({ kind: TO_GIVER.key, body: { camera, profile: 'main', key: KEY_REPORT } }),
      );
      expect(await cutUntilTheEnd()).toBeNull();
      expect(begun).toMatchObject([
        { camera, profile: 'main', point: { by: 'limit', key: null, gapMs: null } },
      ]);
      expect(cancelled).toBe(0);
    });

    it('it is not cut, if the next node has reported nothing', async () => {
      expect(await cutUntilTheEnd()).toBe('HANDOVER_TIMED_OUT');
      expect([begun, cancelled]).toEqual([[], 1]);
    });
  });

  it('that was not cut: the next node hears which streams were published', async () => {
    const uncut: unknown[] = [];
    pair.mirror.links.onMessage(TO_HEIR.uncut, ({ body }) => void uncut.push(body));
    giver.uncut(camera, ['h264'], heir());
    giver.uncut(camera, ['main', 'h264', 'sub'], heir());
    await settled();
    expect(uncut).toEqual([{ camera, profiles: ['main', 'sub'] }]);
  });
});
